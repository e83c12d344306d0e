import { actorOf } from '../../../audit-log/actor.js';
import type { RouteRequest } from '../../../http/route.js';
import type { SignInBy } from '../completion/completion.js';
import { clientOf } from '../sessions/client-info.js';

/** Client and actor of a request that signs in. */
export function signInBy(request: RouteRequest<unknown, unknown, unknown>): SignInBy {
  return { client: clientOf(request), actor: actorOf(request) };
}
