import { actorOf } from '../../../audit-log/actor.js';
import type { RouteRequest } from '../../../http/route.js';
import type { SignInBy } from '../sign-in/completion.js';
import type { ClientInfo } from './sessions.js';

/** Facts about the client of a request. */
export function clientOf(request: Pick<RouteRequest<unknown, unknown, unknown>, 'address' | 'header'>): ClientInfo {
  return { address: request.address, userAgent: request.header('user-agent') };
}

/** Client and actor of a request that signs in. */
export function signInBy(request: RouteRequest<unknown, unknown, unknown>): SignInBy {
  return { client: clientOf(request), actor: actorOf(request) };
}
