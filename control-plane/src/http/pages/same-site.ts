import { ApiError } from '../errors.js';
import type { RouteRequest } from '../route.js';

/**
 * Checks that a form was sent from a page of this site: one of another site would spend the allowance of its visitors. The forms
 * of pages act without credentials, and browsers send none by themselves, so there is nothing else to forge.
 * @throws ApiError FORBIDDEN
 */
export function refuseOtherSites(request: Pick<RouteRequest<unknown, unknown, unknown>, 'header'>): void {
  const site = request.header('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none') throw new ApiError('FORBIDDEN');
}
