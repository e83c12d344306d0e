import { type Clock, systemClock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Test } from 'tap';
import { commandLine } from '../../src/audit-log/actor.js';
import { type Config, parseConfig } from '../../src/config/config.js';
import { type ControlPlane, startControlPlane } from '../../src/control-plane.js';
import { scopesOfRole } from '../../src/http/scopes.js';
import { createLogger } from '../../src/runtime/log.js';
import type { Patience } from '../../src/wiring/foundation.js';
import { cheapHasher } from './cheap-hasher.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { temporaryDirectory } from './temporary-directory.js';

/** Key with which every replica of a test's installation seals. */
export const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');

/** An administrator's credentials and a way to call the API with or without them. */
export interface TestApi {
  readonly url: string;
  readonly token: string;
  readonly userId: string;
  /** Returns status and parsed body. `as` is null for a request without credentials; default: the administrator. */
  call(
    method: string,
    path: string,
    options?: { body?: unknown; as?: string | null; headers?: Readonly<Record<string, string>> },
  ): Promise<ApiAnswer>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly body: any;
}

export interface Stack {
  readonly database: TestDatabase;
  readonly controlPlane: ControlPlane;
  readonly api: TestApi;
}

/** A busy machine takes longer than one in service: limits that all replicas share, and callers that are not refused. */
export const PATIENCE: Patience = { limitsMs: 30_000, connectMs: 30_000, turnMs: 60_000, busyHeartbeatMs: 10_000 };

/** The machine's clock, on which only these rounds look by themselves; the others look only when something asks them to. */
export function movingRounds(...names: readonly string[]): Clock {
  return {
    ...systemClock,
    after: (ms, callback, options) =>
      options?.round === undefined || names.includes(options.round.name)
        ? systemClock.after(ms, callback, options)
        : () => {},
  };
}

/** The clock of a stack unless its test gives another one. */
export const stillRounds: Clock = movingRounds();

/** Settings of the environment in addition to the stack's own. */
export type StackSettings = Readonly<Record<string, string>>;

/** A whole control plane in this process, on a database of its own, with an administrator; stopped when `t` ends. */
export async function startStack(t: Test, settings: StackSettings = {}, clock: Clock = stillRounds): Promise<Stack> {
  const database = await createTestDatabase(t);
  const controlPlane = await startReplica(t, database.url, settings, clock);
  return { database, controlPlane, api: await createAdmin(controlPlane) };
}

/**
 * One more control plane on the same database. All replicas share the public URL of the first, as behind a balancer.
 */
export async function startReplica(
  t: Test,
  databaseUrl: string,
  settings: StackSettings = {},
  clock: Clock = stillRounds,
): Promise<ControlPlane> {
  const config = replicaConfig(t, databaseUrl, settings);
  const log = createLogger(process.env['VANTAGE_TEST_LOG'] === undefined ? 'silent' : 'debug');
  const controlPlane = await startControlPlane({
    config,
    clock,
    log,
    isStrict: true,
    patience: PATIENCE,
    hasher: cheapHasher(),
  });
  t.teardown(() => controlPlane.stop());
  return controlPlane;
}

/** Configuration of a replica on this database. */
export function replicaConfig(t: Test, databaseUrl: string, settings: StackSettings = {}): Config {
  const { config } = parseConfig({
    env: {
      VANTAGE_DATABASE_URL: databaseUrl,
      VANTAGE_DATA_DIR: temporaryDirectory(t),
      VANTAGE_SECRET_KEY: SECRET_KEY,
      VANTAGE_LISTEN: '127.0.0.1:0',
      VANTAGE_METRICS_LISTEN: 'off',
      VANTAGE_ALLOW_TARGETS: '127.0.0.0/8,::1/128',
      // tests that are not about limits send more than thirty requests a minute
      VANTAGE_PLANS: '{"anonymous": {"requests_per_minute": null, "node_tests_per_day": null}}',
      ...settings,
    },
    file: null,
  });
  return config;
}

/** Creates an administrator with a token for everything. */
export async function createAdmin(controlPlane: ControlPlane, email = 'admin@test.example'): Promise<TestApi> {
  return createUserApi(controlPlane, email, 'admin');
}

/** Creates a user with a token for everything the role may do. */
export async function createUserApi(
  controlPlane: ControlPlane,
  email: string,
  role: 'user' | 'admin',
): Promise<TestApi> {
  const { accounts, tokens } = controlPlane.services;
  const user = await accounts.users.createUser({ email, role, password: null });
  const request = { name: 'test', scopes: [...scopesOfRole(role)] };
  const { token } = await tokens.personal.create({ userId: user.id, scopes: null }, request, commandLine);
  return apiOf(controlPlane.listenUrl, token, user.id);
}

/** The API at another address with the same credentials. */
export function apiOf(url: string, token: string, userId: string): TestApi {
  return {
    url,
    token,
    userId,
    async call(method, path, { body, as = token, headers = {} } = {}) {
      const response = await fetch(new URL(path, url), {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(as === null ? {} : { authorization: `Bearer ${as}` }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: text === '' ? null : parsed(text, response.status),
      };
    },
  };
}

/** @throws Error with the text that an intermediary returned instead of JSON */
function parsed(text: string, status: number): ApiAnswer['body'] {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`answered ${status} with no JSON: ${text.slice(0, 200)}`);
  }
}

/** Access token of a new session of a user, as by signing in. */
export async function freshSession({ services }: ControlPlane, db: Knex, userId: string): Promise<string> {
  const client = { address: '127.0.0.1', userAgent: null };
  return (await services.accounts.sessions.open(db, userId, { methods: ['password'], client })).accessToken;
}
