import { needsFreshSession, needsVerifiedEmail } from '../access.js';
import { type ErrorCode, errorTable } from '../error-table.js';
import { routeLimitOf } from '../rate-limit.js';
import type { AnyRoute } from '../route.js';

/** Refusal by the frame, before or around a handler, on every route that it applies to. */
interface FrameRefusal {
  /** Name in the OpenAPI document. */
  readonly name: string;
  readonly status: number;
  readonly codes: readonly ErrorCode[];
  appliesTo(route: AnyRoute): boolean;
}

const always = () => true;
const looksAtCredentials = ({ auth }: AnyRoute) => auth.kind !== 'none';
const asksForCredentials = ({ auth }: AnyRoute) => auth.kind !== 'none' && auth.kind !== 'public';
const hasBody = ({ method }: AnyRoute) => method !== 'GET';
const readsBody = (route: AnyRoute) => hasBody(route) && route.rawBody === undefined;
const isPost = ({ method }: AnyRoute) => method === 'POST';

const frameRefusals: readonly FrameRefusal[] = [
  {
    name: 'InvalidInput',
    status: 400,
    codes: ['VALIDATION_FAILED'],
    appliesTo: (route) => Boolean(route.params || route.query) || readsBody(route),
  },
  { name: 'UnreadableBody', status: 400, codes: ['REQUEST_BODY_INVALID'], appliesTo: readsBody },
  { name: 'NotAuthenticated', status: 401, codes: ['AUTH_REQUIRED'], appliesTo: asksForCredentials },
  {
    name: 'CredentialsRefused',
    status: 401,
    codes: ['AUTH_INVALID_TOKEN', 'AUTH_EXPIRED', 'AUTH_SESSION_INVALID', 'API_KEY_REVOKED', 'TOKEN_EXPIRED'],
    appliesTo: looksAtCredentials,
  },
  {
    name: 'AccountClosed',
    status: 403,
    codes: ['AUTH_ACCOUNT_DISABLED', 'ACCOUNT_DELETED', 'AUTH_EMAIL_NOT_VERIFIED'],
    appliesTo: looksAtCredentials,
  },
  { name: 'StepUpRequired', status: 401, codes: ['AUTH_2FA_REQUIRED'], appliesTo: needsFreshSession },
  // by scope, by role, or by the origins a key allows
  { name: 'Forbidden', status: 403, codes: ['FORBIDDEN'], appliesTo: looksAtCredentials },
  {
    name: 'EmailUnverified',
    status: 403,
    codes: ['ACCOUNT_EMAIL_UNVERIFIED'],
    appliesTo: needsVerifiedEmail,
  },
  { name: 'FeatureLocked', status: 403, codes: ['FEATURE_LOCKED'], appliesTo: ({ feature }) => feature !== undefined },
  { name: 'BodyTooSlow', status: 408, codes: ['REQUEST_TIMEOUT'], appliesTo: hasBody },
  // an Idempotency-Key may be in use
  { name: 'RepeatConflict', status: 409, codes: ['CONFLICT'], appliesTo: isPost },
  {
    name: 'BodyTooLarge',
    status: 413,
    codes: ['REQUEST_BODY_INVALID'],
    appliesTo: ({ method }) => method !== 'GET',
  },
  {
    name: 'RateLimited',
    status: 429,
    codes: ['RATE_LIMIT_EXCEEDED'],
    // wrong credentials have a limit of their own
    appliesTo: (route) => routeLimitOf(route) !== 'none' || looksAtCredentials(route),
  },
  { name: 'Failed', status: 500, codes: ['INTERNAL_ERROR'], appliesTo: always },
  { name: 'Unavailable', status: 503, codes: ['UNAVAILABLE'], appliesTo: always },
];

/** Statuses that are sent before a route is known, and so belong to no operation. */
const statusesOutsideRoutes: ReadonlySet<number> = new Set([405, 431]);

/** Errors that the frame adds to an operation under one status. */
export interface FrameErrors {
  /** Name that depends on the codes alone: `NotAuthenticatedOrCredentialsRefused`. */
  readonly name: string;
  readonly codes: ReadonlySet<ErrorCode>;
}

/** The errors that the frame adds for an operation's credentials, parameters, body and limit, by status. */
export function frameErrors(route: AnyRoute): ReadonlyMap<number, FrameErrors> {
  const byStatus = new Map<number, FrameErrors>();
  for (const { name, status, codes } of frameRefusals.filter((refusal) => refusal.appliesTo(route))) {
    const known = byStatus.get(status);
    byStatus.set(status, {
      name: known === undefined ? name : `${known.name}Or${name}`,
      codes: new Set([...(known?.codes ?? []), ...codes]),
    });
  }
  return byStatus;
}

/**
 * Errors that an operation can return, by status: those of its definition and those that the frame adds. The OpenAPI
 * document shows them; tests compare replies with them.
 */
export function declaredErrors(route: AnyRoute): ReadonlyMap<number, ReadonlySet<ErrorCode>> {
  const byStatus = new Map([...frameErrors(route)].map(([status, { codes }]) => [status, new Set(codes)]));
  for (const code of route.errors) {
    for (const status of errorTable[code].statuses) {
      if (!statusesOutsideRoutes.has(status)) byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
    }
  }
  return byStatus;
}

/** Codes that are sent for requests that belong to no operation, too. */
const codesOutsideRoutes: readonly ErrorCode[] = ['NOT_FOUND', 'REQUEST_BODY_INVALID'];

/** Codes that an API of these routes returns, in the order of the table, which has those of later versions, too. */
export function returnedCodes(routes: readonly AnyRoute[]): ErrorCode[] {
  const declared = routes.flatMap((route) => [...declaredErrors(route).values()].flatMap((codes) => [...codes]));
  const returned = new Set([...codesOutsideRoutes, ...declared]);
  return (Object.keys(errorTable) as ErrorCode[]).filter((code) => returned.has(code));
}
