import type { RouteRequest } from '../../../http/route.js';
import type { ClientInfo } from './sessions.js';

/** Facts about the client of a request. */
export function clientOf(request: Pick<RouteRequest<unknown, unknown, unknown>, 'address' | 'header'>): ClientInfo {
  return { address: request.address, userAgent: request.header('user-agent') };
}
