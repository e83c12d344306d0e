import type { View } from '../../shell/areas.js';
import { NodeList } from './list.js';
import { NodePage } from './node-page.js';

export const views: readonly View[] = [
  { path: '/nodes', view: NodeList },
  { path: '/nodes/:id', view: NodePage },
];
