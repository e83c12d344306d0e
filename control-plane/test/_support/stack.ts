import { type Clock, systemClock } from '@vantage/shared/clock.js';
import type { Test } from 'tap';
import { commandLine } from '../../src/actor.js';
import { parseConfig } from '../../src/config.js';
import { type ControlPlane, startControlPlane } from '../../src/control-plane.js';
import { createLogger } from '../../src/log.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { temporaryDirectory } from './temporary-directory.js';

/** Every replica of a test's installation seals with this. */
export const SECRET_KEY = Buffer.alloc(32, 7).toString('base64');

/** An admin's credentials and a way to call the API with or without them. */
export interface TestApi {
  readonly url: string;
  readonly token: string;
  readonly userId: string;
  /** Status and parsed body. `as` null: without credentials; default: the admin. */
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

/** Settings of the environment beyond the stack's own. */
export type StackSettings = Readonly<Record<string, string>>;

/** A whole control plane in this process, on a database of its own, with an admin; stopped when `t` ends. */
export async function startStack(t: Test, settings: StackSettings = {}, clock: Clock = systemClock): Promise<Stack> {
  const database = await createTestDatabase(t);
  const controlPlane = await startReplica(t, database.url, settings, clock);
  return { database, controlPlane, api: await createAdmin(controlPlane) };
}

/** One more control plane on the same database. All replicas share the public URL of the first, as behind a balancer. */
export async function startReplica(
  t: Test,
  databaseUrl: string,
  settings: StackSettings = {},
  clock: Clock = systemClock,
): Promise<ControlPlane> {
  const { config } = parseConfig({
    env: {
      VANTAGE_DATABASE_URL: databaseUrl,
      VANTAGE_DATA_DIR: temporaryDirectory(t),
      VANTAGE_SECRET_KEY: SECRET_KEY,
      VANTAGE_LISTEN: '127.0.0.1:0',
      VANTAGE_METRICS_LISTEN: 'off',
      VANTAGE_ALLOW_TARGETS: '127.0.0.0/8,::1/128',
      // tests about something else ask more than thirty times a minute
      VANTAGE_PLANS: '{"anonymous": {"requests_per_minute": null, "node_tests_per_day": null}}',
      ...settings,
    },
    file: null,
  });
  const log = createLogger(process.env['VANTAGE_TEST_LOG'] === undefined ? 'silent' : 'debug');
  const controlPlane = await startControlPlane({ config, clock, log, isStrict: true });
  t.teardown(() => controlPlane.stop());
  return controlPlane;
}

/** Makes an admin with a token for everything. */
export async function createAdmin(controlPlane: ControlPlane, email = 'admin@test.example'): Promise<TestApi> {
  return createUserApi(controlPlane, email, 'admin');
}

/** Makes a user with a token for everything the role may do. */
export async function createUserApi(
  controlPlane: ControlPlane,
  email: string,
  role: 'user' | 'admin',
): Promise<TestApi> {
  const { accounts, tokens } = controlPlane.services;
  const user = await accounts.createUser({ email, role, password: null });
  const { token } = await tokens.personal.create({ userId: user.id, scopes: null }, { name: 'test' }, commandLine);
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

/** @throws Error with what somebody in between answered in our place */
function parsed(text: string, status: number): ApiAnswer['body'] {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`answered ${status} with no JSON: ${text.slice(0, 200)}`);
  }
}
