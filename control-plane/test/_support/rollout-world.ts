import { randomBytes } from 'node:crypto';
import { systemClock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { pino } from 'pino';
import type { Test } from 'tap';
import { PostgresBus } from '../../src/bus/postgres-bus.js';
import { openDatabase } from '../../src/db/database.js';
import { finishUpgrade, storeUpgradeReport } from '../../src/links/records/upgrade-store.js';
import { NodeDirectory } from '../../src/modules/nodes/index.js';
import { rolloutTurns } from '../../src/modules/rollouts/rollout-turns.js';
import { Rollouts } from '../../src/modules/rollouts/rollouts.js';
import { busSecretKey } from './bus-driver.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { insertUser } from './stored-node.js';

const log = pino({ level: 'silent' });
/** A roll-out to every node. */
export const order = { version: '0.2.0', selection: {}, stages: [1, 10, 100], maxFailures: 10, pauseS: 0 };

const silent = { announce: async () => {} };

/** Many nodes with links, without their agents: a test reports what these would. */
export class RolloutWorld {
  private constructor(
    readonly database: TestDatabase,
    readonly rollouts: Rollouts,
  ) {}

  static async open(t: Test, nodes: number): Promise<RolloutWorld> {
    const database = await createTestDatabase(t);
    const { db, url } = database;
    const owner = await insertUser(db, { role: 'admin', plan: 'unlimited' });
    const rows = Array.from({ length: nodes }, (_, index) => ({
      id: newId(idPrefixes.node),
      owner_id: owner,
      name: `node ${index}`,
      visibility: 'public',
      public_key: randomBytes(32),
      hostname: 'node.test',
      agent_version: '0.1.0',
      os: 'linux',
      arch: 'x64',
      session_id: `session ${index}`,
    }));
    await db.batchInsert('nodes', rows, 200);
    const bus = new PostgresBus({
      url,
      replicaId: 'rep_test',
      secretKey: busSecretKey,
      isListening: false,
      hasOthers: () => false,
      log,
      clock: systemClock,
    });
    const directory = NodeDirectory.open({ db, bus, clock: systemClock, log });
    return new RolloutWorld(database, new Rollouts({ db, directory, wake: () => {} }));
  }

  /** A replica with connections of its own, which can die. */
  replica(t: Test): { run(): Promise<void>; kill(): Promise<void> } {
    const name = `replica ${randomBytes(4).toString('hex')}`;
    const db = openDatabase({ url: this.database.url, poolSize: 1, applicationName: name });
    t.teardown(() => db.destroy());
    const turns = rolloutTurns({ db, directory: silent, clock: systemClock, log });
    return {
      run: () => turns.run(),
      kill: async () => {
        await this.database.db.raw(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ?',
          [name],
        );
        await db.destroy();
      },
    };
  }

  /** Upgrades that run, oldest request first. */
  async running(): Promise<{ nodeId: string; sessionId: string; requestedAt: Date; version: string }[]> {
    return this.database
      .db('nodes')
      .whereIn('upgrade_state', ['requested', 'running'])
      .orderBy(['upgrade_requested_at', 'id'])
      .select({
        nodeId: 'id',
        sessionId: 'session_id',
        requestedAt: 'upgrade_requested_at',
        version: 'upgrade_version',
      });
  }

  /** Ends a running upgrade; `failure` is null if its agent is back with the version. */
  async end(
    upgrade: { nodeId: string; sessionId: string; requestedAt: Date; version: string },
    failure: string | null,
  ): Promise<void> {
    const { db } = this.database;
    if (failure !== null) return void (await storeUpgradeReport(db, { ...upgrade, failure }));
    await db('nodes').where({ id: upgrade.nodeId }).update({ agent_version: upgrade.version });
    await finishUpgrade(db, upgrade.nodeId);
  }

  /** Number of requests to each node, from the audit log. */
  async requests(): Promise<Map<string, number>> {
    const rows = await this.database.db('audit_log').where({ action: 'node.upgrade_requested' }).select('subject');
    const counts = new Map<string, number>();
    for (const { subject } of rows) counts.set(subject, (counts.get(subject) ?? 0) + 1);
    return counts;
  }
}
