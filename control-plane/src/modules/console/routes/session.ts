import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { ApiError, limitReached } from '../../../http/errors.js';
import { defineRoute, type RouteRequest, type Services } from '../../../http/route.js';
import { ConsoleTokenSchema } from '../schema.js';

const common = {
  method: 'POST',
  tag: 'Pages',
  auth: { kind: 'none' },
  isClosedToOrigins: true,
  isDocumented: false,
} as const;

type AnyRequest = RouteRequest<unknown, unknown, unknown>;

/**
 * POST /session/token: an access token for the session of the browser's cookie. It is never answered to a page of another site, nor to a form.
 */
export const sessionToken = defineRoute({
  ...common,
  operationId: 'createConsoleToken',
  path: '/session/token',
  summary: 'Access token of the console',
  replies: { 200: ConsoleTokenSchema },
  errors: [
    'FORBIDDEN',
    'AUTH_SESSION_INVALID',
    'ACCOUNT_DELETED',
    'AUTH_ACCOUNT_DISABLED',
    'AUTH_EMAIL_NOT_VERIFIED',
    'ACCOUNT_NOT_FOUND',
    'RATE_LIMIT_EXCEEDED',
  ],
  async handle(request, services) {
    const { sessions, users } = services.accounts;
    const visitor = await visitorOf(request, services);
    const [{ accessToken, expiresInSeconds }, user] = await Promise.all([
      sessions.issueToBrowser(visitor),
      users.getProfile(visitor.userId),
    ]);
    const data = {
      access_token: accessToken,
      token_type: 'Bearer' as const,
      expires_in: expiresInSeconds,
      user,
      role: visitor.role,
    };
    return { status: 200, data, headers: { Vary: 'Cookie' } };
  },
});

/** POST /session/end: signs the browser out. */
export const sessionEnd = defineRoute({
  ...common,
  operationId: 'endConsoleSession',
  path: '/session/end',
  summary: 'Sign the console out',
  replies: { 200: Type.Null() },
  errors: [
    'FORBIDDEN',
    'AUTH_SESSION_INVALID',
    'ACCOUNT_DELETED',
    'AUTH_ACCOUNT_DISABLED',
    'AUTH_EMAIL_NOT_VERIFIED',
    'NOT_FOUND',
    'RATE_LIMIT_EXCEEDED',
  ],
  async handle(request, services) {
    const { pages, sessions } = services.accounts;
    const { userId, sessionId } = await visitorOf(request, services);
    await sessions.end(userId, sessionId, { actor: actorOf({ ...request, account: null }), isLogout: true });
    const headers = { 'Set-Cookie': pages.clearedSession, 'Clear-Site-Data': '"storage"' };
    return { status: 200, data: null, headers };
  },
});

/** Requests of a session for its tokens. */
const TOKENS_PER_MINUTE = 600;

/** Person of a request that a script of our own page sent; a cookie that is worth nothing is taken away. @throws ApiError */
async function visitorOf(request: AnyRequest, { accounts: { pages }, console: { limiter } }: Services) {
  // other sites can't set a header of their own without being allowed to (Fetch standard, CORS-preflight)
  if (!pages.isFromHere(request) || request.header('x-vantage-console') !== '1') throw new ApiError('FORBIDDEN');
  const visitor = await pages.requireVisitor(request).catch((error: unknown) => {
    throw error instanceof ApiError && error.status < 500 ? withoutCookie(error, pages.clearedSession) : error;
  });
  const key = `console-tokens:${visitor.sessionId}`;
  const allowance = await limiter.consume({ key, limit: TOKENS_PER_MINUTE, windowMs: 60_000 });
  if (!allowance.isAllowed) throw limitReached('RATE_LIMIT_EXCEEDED', allowance);
  return visitor;
}

function withoutCookie(error: ApiError, cookie: string): ApiError {
  return new ApiError(error.code, { headers: { 'Set-Cookie': cookie } });
}
