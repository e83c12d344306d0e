import { version } from '../../version.js';
import { defineModule } from '../module.js';
import { pageRoutes } from './routes.js';

/** Pages that people open in a browser. */
export const pagesModule = defineModule({
  name: 'pages',
  routes: pageRoutes,
  open: ({ config, publicUrl }) => ({ service: { version, publicUrl, abuseContact: config.abuseContact } }),
});
