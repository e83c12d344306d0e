import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { systemClock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Test } from 'tap';
import { commandLine } from '../../src/audit-log/actor.js';
import { Authentication } from '../../src/authentication/index.js';
import { PostgresBus } from '../../src/bus/postgres-bus.js';
import { Tokens } from '../../src/modules/tokens/index.js';
import { createLogger } from '../../src/runtime/log.js';
import { busSecretKey } from './bus-driver.js';
import { createReusedDatabase, type TestDatabase } from './database.js';
import { type AsUser, asUser, insertUsers } from './owners.js';

/** Keys and tokens on one replica: functions that create and revoke them, and the outcome of requests with them. */
export interface TokenReplica {
  readonly tokens: Tokens;
  readonly authentication: Authentication;
}

/** Tokens of one user, on any number of replicas, by a clock that stands still until the test advances it. */
export interface TokenBench {
  readonly database: TestDatabase;
  readonly clock: FakeClock;
  /** Actor that may grant every scope. */
  readonly owner: AsUser;
  readonly actor: typeof commandLine;
  startReplica(): Promise<TokenReplica>;
}

/** Starts benches for one test after another, on a database that has one user each time. */
export async function benchesInTurn(t: Test): Promise<(t: Test) => Promise<TokenBench>> {
  const fresh = await createReusedDatabase(t);
  return async (t) => startTokenBench(t, await fresh());
}

async function startTokenBench(t: Test, database: TestDatabase): Promise<TokenBench> {
  const clock = new FakeClock();
  const userId = await insertUser(database);
  const log = createLogger('silent');
  const startReplica = async (): Promise<TokenReplica> => {
    const replicaId = newId(idPrefixes.replica);
    const isAlone = { isListening: true, hasOthers: () => true };
    const bus = new PostgresBus({
      url: database.url,
      replicaId,
      secretKey: busSecretKey,
      ...isAlone,
      log,
      clock: systemClock,
    });
    const { db } = database;
    const tokens = new Tokens({ db, clock, authentication: { revoked: (id) => authentication.revoked(id) } });
    const authentication = new Authentication({ sources: tokens.sources, bus, clock, log, needsVerifiedEmail: false });
    await bus.start();
    t.teardown(() => bus.stop());
    return { tokens, authentication };
  };
  return { database, clock, owner: asUser(userId), actor: commandLine, startReplica };
}

/** Stores a user with the plan `unlimited`. @returns the user's id */
export async function insertUser({ db }: TestDatabase, email = 'ada@example.com'): Promise<string> {
  const id = newId(idPrefixes.user);
  await insertUsers(db, [{ id, email, role: 'user', plan: 'unlimited' }]);
  return id;
}
