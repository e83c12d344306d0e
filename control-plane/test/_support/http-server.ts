import { Writable } from 'node:stream';
import { type Clock, systemClock } from '@vantage/shared/clock.js';
import type { Test } from 'tap';
import { ApiError } from '../../src/http/errors.js';
import type { IdempotencyKeys } from '../../src/http/frame/idempotency.js';
import { HttpServer, type HttpServerSettings } from '../../src/http/listeners/server.js';
import type { RateLimiter } from '../../src/http/rate-limit.js';
import type { Account, AnyRoute, Services } from '../../src/http/route.js';
import { defaultPlans } from '../../src/plans/index.js';
import { createLogger } from '../../src/runtime/log.js';
import { accountOf } from './owners.js';

/** A line of the server's log. */
export type LogLine = Readonly<Record<string, unknown>>;

export interface TestServer {
  readonly server: HttpServer;
  readonly port: number;
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly log: readonly LogLine[];
}

/**
 * Tokens the server knows: `reader` may read probes, `prober` may create them, `admin` is an administrator; `expired`
 * has expired.
 */
export const accounts: Readonly<Record<string, Account>> = {
  reader: anAccount('reader', { scopes: new Set(['probe:read']) }),
  prober: anAccount('prober', { scopes: new Set(['probe', 'probe:read']) }),
  admin: anAccount('admin', { role: 'admin', scopes: new Set(['admin']) }),
};

export interface TestServerOptions extends Partial<HttpServerSettings> {
  readonly clock?: Clock;
}

/** A real server on a free port of 127.0.0.1, strict, stopped when the test ends. */
export async function startTestServer(
  t: Test,
  routes: readonly AnyRoute[],
  options: TestServerOptions = {},
): Promise<TestServer> {
  const log: LogLine[] = [];
  const server = new HttpServer({
    routes,
    services: {} as Services,
    authenticator: { authenticate },
    log: createLogger('debug', collect(log)),
    clock: systemClock,
    publicUrl: 'https://vantage.example',
    trustedProxies: [],
    limiter: unlimited,
    plans: defaultPlans,
    idempotency: forgetful,
    isStrict: true,
    host: '127.0.0.1',
    port: 0,
    ...options,
  });
  const { port } = await server.start();
  t.teardown(() => server.stop());
  return { server, port, url: `http://127.0.0.1:${port}`, log };
}

function anAccount(name: string, overrides: Partial<Account>): Account {
  return accountOf(`u_${name}`, { credentialId: `pat_${name}`, ...overrides });
}

/** Limiter that counts nothing, for tests of the frame about something else. */
const unlimited: RateLimiter = {
  consume: async ({ limit }) => ({ limit, remaining: limit, resetsAt: 0, isAllowed: true }),
  refund: async () => {},
  isExhausted: () => false,
};

/** Idempotency that treats every request as the first, for tests of the frame about something else. */
const forgetful: IdempotencyKeys = {
  claim: async () => ({ kind: 'first', store: async () => {}, release: async () => {} }),
};

function authenticate(token: string): Promise<Account> {
  if (token === 'expired') return Promise.reject(new ApiError('TOKEN_EXPIRED'));
  const account = accounts[token];
  return account === undefined ? Promise.reject(new ApiError('AUTH_INVALID_TOKEN')) : Promise.resolve(account);
}

function collect(lines: LogLine[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()));
      done();
    },
  });
}
