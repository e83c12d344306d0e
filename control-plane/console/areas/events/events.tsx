import type { View } from '../../shell/areas.js';
import { EventPage } from './detail.js';
import { EventTimeline } from './timeline.js';

export const views: readonly View[] = [
  { path: '/events', view: EventTimeline },
  { path: '/events/:id', view: EventPage },
];
