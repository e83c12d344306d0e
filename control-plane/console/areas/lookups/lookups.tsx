import type { View } from '../../shell/areas.js';
import { Lookups } from './lookup.js';

export const views: readonly View[] = [
  { path: '/lookups', view: Lookups },
  { path: '/lookups/:kind', view: Lookups },
];
