import type { View } from '../../shell/areas.js';
import { Reports } from './list.js';
import { ReportPage } from './report.js';

export const views: readonly View[] = [
  { path: '/diagnose', view: Reports },
  { path: '/diagnose/:id', view: ReportPage },
];
