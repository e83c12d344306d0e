import { defineModule } from '../module.js';
import { domainComboRoutes } from './routes.js';

/** Domains combined from parts, as candidates for registration. */
export const domainComboModule = defineModule({
  name: 'domain-combo',
  tags: { 'Domain combination': 'Combine words, letters and numbers into domains.' },
  routes: domainComboRoutes,
});
