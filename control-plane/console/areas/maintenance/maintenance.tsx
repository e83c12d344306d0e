import type { View } from '../../shell/areas.js';
import { EditWindow, NewWindow } from './form.js';
import { WindowList } from './list.js';

export const views: readonly View[] = [
  { path: '/maintenance', view: WindowList },
  { path: '/maintenance/new', view: NewWindow },
  { path: '/maintenance/:id', view: EditWindow },
];
