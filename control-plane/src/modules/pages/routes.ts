import type { AnyRoute } from '../../http/route.js';
import { abusePage } from './routes/abuse-page.js';
import { guidePage } from './routes/guide-page.js';
import { homePage, sendHomeForm } from './routes/home-page.js';
import { nodesPage } from './routes/nodes-page.js';
import { taskPage } from './routes/task-page.js';
import { taskPreview } from './routes/task-preview.js';

/** Pages for browsers; none is part of the documented API. */
export const pageRoutes: readonly AnyRoute[] = [
  homePage,
  sendHomeForm,
  taskPage,
  taskPreview,
  nodesPage,
  abusePage,
  guidePage,
];
