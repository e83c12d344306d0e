import type { RouteRequest } from '../../http/route.js';
import type { ClientInfo } from './sessions.js';

/** What a request tells of the client that sent it. */
export function clientOf(request: Pick<RouteRequest<unknown, unknown, unknown>, 'address' | 'header'>): ClientInfo {
  return { address: request.address, userAgent: request.header('user-agent') };
}
