import type { DatabaseStop } from '../postgres-server.js';
import { claims, type FaultKind, type Heal, type Strike } from './fault.js';

const HOT_TABLES = ['probe_node_tasks', 'probe_tasks', 'ingest_marks', 'nodes', 'replicas'];
/** Number of connections, more than max_connections: the last ones are refused. */
const CROWD = 120;

/** An administrator's restart: sessions are ended, what was committed is on the disk. */
export const databaseFast = restarted('fast', 2);
/** Like a power cut for its processes: its log is replayed at the next start. */
export const databaseImmediate = restarted('immediate', 2);
/** kill -9 of every process of it. */
export const databaseKilled = restarted('kill', 2);

/** SIGSTOP of every process of it: connections are there, and no one answers. */
export const databaseStopped: FaultKind = {
  weight: 2,
  lastsMs: { least: 500, most: 15_000 },
  aim: () =>
    ofDatabase('all its processes', async ({ database }) => {
      await database.pause();
      return () => database.resume();
    }),
};

/** Every answer takes half a second. */
export const databaseSlow: FaultKind = {
  weight: 1,
  lastsMs: { least: 5_000, most: 20_000 },
  aim: ({ replicas }) => ({
    says: '250 ms each way',
    claims: Array.from({ length: replicas }, (_, index) => claims.replicaLine(index)),
    inflict: async (world) => {
      for (const { line } of world.replicas) line.set({ latencyMs: 250 });
      return async () => {
        for (const { line } of world.replicas) line.heal();
      };
    },
  }),
};

/** A migration of another program holds one of the hot tables. */
export const databaseLocked: FaultKind = {
  weight: 2,
  lastsMs: { least: 1_000, most: 20_000 },
  aim: (_shape, random) => {
    const table = random.pick(HOT_TABLES);
    return ofDatabase(`table ${table}`, async ({ database }) => {
      const client = await database.connect();
      // statements before this one in the queue have to finish; those behind it wait
      await client.query('BEGIN');
      await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
      return async () => {
        await client.query('ROLLBACK').catch(() => {});
        await client.end().catch(() => {});
      };
    });
  },
};

/** Others have taken every connection there was. */
export const databaseCrowded: FaultKind = {
  weight: 1,
  lastsMs: { least: 1_000, most: 15_000 },
  aim: () =>
    ofDatabase('taken by others', async ({ database }) => {
      const settled = await Promise.allSettled(Array.from({ length: CROWD }, () => database.connect()));
      const clients = settled.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      return async () => void (await Promise.all(clients.map((client) => client.end().catch(() => {}))));
    }),
};

/**
 * A standby that was a few seconds behind takes over: what was committed meanwhile is gone. What was said to nodes and
 * to enrolling strangers in these seconds would be gone as well, and no one could say whose fault that is.
 */
export const databaseFailedOver: FaultKind = {
  weight: 2,
  lastsMs: { least: 1_500, most: 5_000 },
  aim: ({ agents }) => ({
    says: 'to a copy',
    claims: [claims.database, claims.enrollment, ...Array.from({ length: agents }, (_, index) => claims.node(index))],
    inflict: async ({ database, recorder }) => {
      const since = Date.now();
      const older = await database.copy();
      return async () => {
        await database.failOver(older);
        recorder.record('database-rolled-back', { since });
        await database.start();
      };
    },
  }),
};

function restarted(how: DatabaseStop, weight: number): FaultKind {
  return {
    weight,
    lastsMs: { least: 100, most: 12_000 },
    aim: () =>
      ofDatabase(how, async ({ database }) => {
        await database.stop(how);
        return () => database.start();
      }),
  };
}

function ofDatabase(says: string, inflict: (world: Parameters<Strike['inflict']>[0]) => Promise<Heal>): Strike {
  return { says, claims: [claims.database], inflict };
}
