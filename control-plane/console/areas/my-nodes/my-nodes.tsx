import type { View } from '../../shell/areas.js';
import { EnrollNode } from './enroll.js';
import { OwnNodeList } from './list.js';
import { OwnNodePage } from './own-node-page.js';

export const views: readonly View[] = [
  { path: '/my-nodes', view: OwnNodeList },
  { path: '/my-nodes/enroll', view: EnrollNode },
  { path: '/my-nodes/:id', view: OwnNodePage },
];
