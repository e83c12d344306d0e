import { Writable } from 'node:stream';
import { type Clock, systemClock } from '@vantage/shared/clock.js';
import type { Test } from 'tap';
import { ApiError } from '../../src/http/errors.js';
import type { Account, AnyRoute, Services } from '../../src/http/route.js';
import { HttpServer, type HttpServerSettings } from '../../src/http/server.js';
import { createLogger } from '../../src/log.js';

/** A line of the server's log. */
export type LogLine = Readonly<Record<string, unknown>>;

export interface TestServer {
  readonly server: HttpServer;
  readonly port: number;
  /** `http://127.0.0.1:port` */
  readonly url: string;
  readonly log: readonly LogLine[];
}

/** Tokens the server knows: `reader` may read probes, `prober` may create them, `admin` is one; `expired` has expired. */
export const accounts: Readonly<Record<string, Account>> = {
  reader: { userId: 'u_reader', role: 'user', scopes: new Set(['probe:read']), credentialId: 'pat_reader' },
  prober: { userId: 'u_prober', role: 'user', scopes: new Set(['probe', 'probe:read']), credentialId: 'pat_prober' },
  admin: { userId: 'u_admin', role: 'admin', scopes: new Set(), credentialId: 'pat_admin' },
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
    isStrict: true,
    host: '127.0.0.1',
    port: 0,
    ...options,
  });
  const { port } = await server.start();
  t.teardown(() => server.stop());
  return { server, port, url: `http://127.0.0.1:${port}`, log };
}

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
