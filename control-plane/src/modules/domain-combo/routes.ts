import type { AnyRoute } from '../../http/route.js';
import { getDomainComboPreview, getUnversionedDomainComboPreview, postDomainComboPreview } from './routes/preview.js';

/** Every operation on combined domains. */
export const domainComboRoutes: readonly AnyRoute[] = [
  getDomainComboPreview,
  postDomainComboPreview,
  getUnversionedDomainComboPreview,
];
