import type { View } from '../../shell/areas.js';
import { MonitorPage } from './detail.js';
import { EditMonitor, NewMonitor } from './form.js';
import { MonitorList } from './list.js';

export const views: readonly View[] = [
  { path: '/monitors', view: MonitorList },
  { path: '/monitors/new', view: NewMonitor },
  { path: '/monitors/:id', view: MonitorPage },
  { path: '/monitors/:id/edit', view: EditMonitor },
];
