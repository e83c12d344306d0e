import type { View } from '../../shell/areas.js';
import { StartProbe } from './start.js';
import { TaskPage } from './task-page.js';

export const views: readonly View[] = [
  { path: '/probe', view: StartProbe },
  { path: '/probe/:id', view: TaskPage },
];
