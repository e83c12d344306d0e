import { rounds } from '@vantage/shared/_support/rounds.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { CHECK_KIND, MISSED_KIND } from '@vantage/shared/monitor-state/report-kinds.js';
import t from 'tap';
import type { LaneEnd, StoreBatch, StoreRow } from 'vantage-control/ingest/batch.js';
import { ingestStore } from 'vantage-control/ingest/index.js';
import { ResultReader } from 'vantage-control/ingest/result-kinds.js';
import { linkRecords } from 'vantage-control/links/index.js';
import {
  endAssignments,
  listAssignments,
  listChangesSince,
  listKeysOf,
  sumKeysOf,
} from 'vantage-control/modules/monitors/definition/assignment-store.js';
import type { Node } from 'vantage-control/modules/nodes/index.js';
import { nodeReads } from 'vantage-control/modules/nodes/store.js';
import { dispatchStore } from 'vantage-control/modules/probes/store.js';
import { replicaStore } from 'vantage-control/replicas/store.js';
import { testDatabase } from '../../_support/test-database.js';
import { SeededRandom } from '../../seeded-random.js';
import { READINGS_TABLE, readingMessage, simulatedKinds } from '../reading-kind.js';
import { banNode, markKey, unbanNode } from './link-model.js';
import { assign, endAssignment } from './slots-model.js';
import { modelStores, type Stores } from './stores.js';
import { emptyTables, type Tables } from './tables.js';

const SEQUENCES = rounds(40, 3);
const STATEMENTS = 120;
const HOUR_MS = 3_600_000;
const REPLICAS = ['rep_a', 'rep_b'];
const EPOCHS = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)];

type Knex = Parameters<typeof linkRecords>[0];

/** Both databases, which run the same statements. */
interface Pair {
  readonly random: SeededRandom;
  readonly db: Knex;
  readonly real: Stores;
  readonly tables: Tables;
  readonly model: Stores;
  readonly nodeIds: readonly string[];
  readonly taskIds: string[];
}

type Ask = (stores: Stores) => Promise<unknown>;

/** Each picks its arguments once, and is then asked of both. */
const statements: readonly ((pair: Pair) => Ask)[] = [
  ({ random, nodeIds }) => {
    const nodeId = random.pick(nodeIds);
    const session = {
      nodeId,
      publicKey: keyOf(nodeId),
      sessionId: `ses_${random.integer(1, 3)}`,
      replicaId: random.pick(REPLICAS),
      bootId: `boot-${random.integer(1, 2)}`,
      generation: random.integer(1, 60),
      agentVersion: '0.1.0',
      capabilities: [],
    };
    return ({ links }) => links.open(session);
  },
  ({ random, nodeIds }) => {
    const [nodeId, sessionId, graceMs] = [
      random.pick(nodeIds),
      `ses_${random.integer(1, 3)}`,
      random.pick([0, HOUR_MS]),
    ];
    return ({ links }) => links.close(nodeId, sessionId, graceMs);
  },
  ({ random, nodeIds }) => {
    const nodeId = random.pick(nodeIds);
    return random.chance(0.2) ? ({ links }) => links.quarantine(nodeId) : ({ links }) => links.findNode(nodeId);
  },
  ({ random, nodeIds }) => {
    const [nodeId, epoch] = [random.pick(nodeIds), random.pick(EPOCHS)];
    return ({ links }) => links.ensureMarks(nodeId, epoch);
  },
  ({ random }) => {
    const replica = { id: random.pick(REPLICAS), url: null, isDraining: random.chance(0.5), allowTargets: [] };
    return ({ replicas }) => replicas.upsert(replica);
  },
  ({ random }) => {
    const [silentMs, graceMs] = [random.pick([HOUR_MS, HOUR_MS, -HOUR_MS]), random.pick([0, HOUR_MS])];
    return ({ replicas }) => replicas.removeDead(silentMs, graceMs);
  },
  () =>
    async ({ nodes }) =>
      (await nodes.listAll()).map(nodeView),
  insertTask,
  storeBatch,
  storeBatch,
  storeBatch,
  storeReports,
  ({ random, nodeIds }) => {
    const nodeId = random.pick(nodeIds);
    return async ({ assigned: { keys, sum, find } }) => {
      const found = await Promise.all(MONITOR_IDS.map((monitorId) => find(nodeId, monitorId)));
      return {
        ...(await keys(nodeId)),
        sumAlone: await sum(nodeId),
        found: found.map((one) => one?.generation ?? null),
      };
    };
  },
  ({ random, nodeIds }) => {
    const [nodeId, epoch, first] = [random.pick(nodeIds), random.pick(EPOCHS), random.integer(1, 12)];
    const sessionId = `ses_${random.integer(1, 3)}`;
    const gap = { kind: 'rows', nodeId, sessionId, epoch, lane: 1, first, last: first + 2, rows: [] } as const;
    return ({ ingest }) => ingest.storeGap(gap, 'spool_full');
  },
  ({ random, taskIds }) => {
    const ids = taskIds.filter(() => random.chance(0.3));
    return random.chance(0.5) ? ({ dispatch }) => dispatch.listPending(ids) : ({ dispatch }) => dispatch.lose(ids);
  },
  ({ random, nodeIds }) => {
    const nodeId = random.pick(nodeIds);
    return ({ dispatch }) => dispatch.listPendingOfNode(nodeId);
  },
  ({ random }) => {
    const replicaId = random.pick(REPLICAS);
    return ({ dispatch }) => dispatch.listPendingOfReplica(replicaId);
  },
  () =>
    ({ dispatch }) =>
      dispatch.loseOfGoneNodes(),
  ({ random }) => {
    const graceMs = random.pick([0, HOUR_MS]);
    return ({ dispatch }) => dispatch.noticeUnlinkedWork(graceMs);
  },
  () =>
    ({ dispatch }) =>
      dispatch.expire(),
];

const db = await testDatabase(t);
await db.raw(READINGS_TABLE);

t.test('the tables in memory answer as PostgreSQL does', async (t) => {
  for (let seed = 1; seed <= SEQUENCES; seed += 1) {
    const pair = await aPair(db, seed);
    for (let step = 0; step < STATEMENTS; step += 1) {
      if (pair.random.chance(0.05)) await changeBan(pair);
      const index = pair.random.integer(0, statements.length - 1);
      const ask = statements[index]?.(pair);
      if (ask === undefined) continue;
      const [expected, found] = [await ask(pair.real), await ask(pair.model)];
      const says = `seed ${seed}, step ${step}, statement ${index}`;
      if (JSON.stringify(plain(found)) !== JSON.stringify(plain(expected)))
        t.strictSame(plain(found), plain(expected), says);
    }
    t.strictSame(await rest(pair.db), restOf(pair.tables), `what is stored after seed ${seed}`);
  }
});

t.test('slots that are reported again are stored as PostgreSQL stores them', async (t) => {
  let stored = 0;
  for (let seed = 1; seed <= SEQUENCES; seed += 1) {
    const pair = await aPair(db, seed);
    for (const nodeId of pair.nodeIds) await openLink(pair, nodeId);
    for (let step = 0; step < STATEMENTS / 4; step += 1) {
      if (pair.random.chance(0.2)) await ageProcess(pair);
      const ask = storeReports(pair);
      t.strictSame(plain(await ask(pair.model)), plain(await ask(pair.real)), `seed ${seed}, step ${step}`);
    }
    t.strictSame(await rest(pair.db), restOf(pair.tables), `what is stored after seed ${seed}`);
    stored += [...pair.tables.slots.values()].flat().length;
  }
  t.ok(stored > 10 * SEQUENCES, `${stored} rows`);
});

async function openLink({ real, model }: Pair, nodeId: string): Promise<void> {
  const about = { replicaId: 'rep_a', bootId: 'boot-1', generation: 1, agentVersion: '0.1.0', capabilities: [] };
  const session = { nodeId, publicKey: keyOf(nodeId), sessionId: 'ses_1', ...about };
  for (const { links } of [real, model]) {
    await links.open(session);
    for (const epoch of EPOCHS) await links.ensureMarks(nodeId, epoch);
  }
}

/** The process of a node has been known for long: nothing that it reports was reported before. */
async function ageProcess({ random, db, tables, nodeIds }: Pair): Promise<void> {
  const id = random.pick(nodeIds);
  const node = tables.nodes.get(id);
  if (node === undefined) return;
  const seenAt = Date.now() - random.pick([0, 3 * HOUR_MS]);
  tables.nodes.set(id, { ...node, bootSeenAt: seenAt });
  await db('nodes')
    .where({ id })
    .update({ boot_seen_at: new Date(seenAt) });
}

async function aPair(db: Knex, seed: number): Promise<Pair> {
  for (const table of [
    'nodes',
    'replicas',
    'ingest_marks',
    'probe_tasks',
    'probe_node_tasks',
    'superseded_results',
    'spool_gaps',
    'readings',
    'monitor_checks',
    'missed_slots',
    'monitor_assignments',
  ]) {
    await db.raw('DELETE FROM ??', [table]);
  }
  const random = new SeededRandom(seed);
  const tables = emptyTables();
  const nodeIds = Array.from({ length: 3 }, (_, index) => `n_${index}`);
  await db.raw(
    `INSERT INTO owners (id, kind, plan) VALUES ('u_owner', 'user', 'free') ON CONFLICT DO NOTHING;
     INSERT INTO users (id, email, role) VALUES ('u_owner', 'o@example.com', 'user') ON CONFLICT DO NOTHING`,
  );
  for (const id of nodeIds) {
    await db('nodes').insert({
      id,
      owner_id: 'u_owner',
      name: id,
      visibility: 'public',
      public_key: keyOf(id),
      hostname: id,
      agent_version: '0.1.0',
      os: 'linux',
      arch: 'x64',
    });
    const unset = {
      bootId: null,
      opening: 0,
      bootOpening: 0,
      sessionId: null,
      replicaId: null,
      bootSeenAt: null,
      lostAfter: null,
    };
    const shutOut = { bannedAt: null, quarantinedAt: null };
    tables.nodes.set(id, { id, publicKey: keyOf(id), generation: 0, ...unset, ...shutOut, updatedAt: 0, revision: 0 });
  }
  await assignMonitors(db, tables, nodeIds);
  const real: Stores = {
    links: linkRecords(db),
    nodes: nodeReads(db),
    replicas: replicaStore(db),
    ingest: ingestStore(db),
    dispatch: dispatchStore(db),
    ...assignmentReads(db),
  };
  const model = modelStores(async (statement) => statement(tables, Date.now()));
  return { random, db, real, tables, model, nodeIds, taskIds: [] };
}

/**
 * Reads of assignments as in the module of monitors: `spec` is the config here, because only assignments are
 * compared.
 */
function assignmentReads(db: Knex): Pick<Stores, 'assigned' | 'assignmentChanges'> {
  return {
    assigned: {
      keys: async (nodeId) => {
        const [{ keys, sum } = { keys: [], sum: 0 }] = await listKeysOf(db, [nodeId]);
        const named = keys.map(([monitorId, generation, hasSecrets]) => ({ monitorId, generation, hasSecrets }));
        return { keys: named, sum };
      },
      sum: async (nodeId) => (await sumKeysOf(db, [nodeId]))[0]?.sum ?? 0,
      find: async (nodeId, monitorId) => {
        const [row] = await listAssignments(db, [{ nodeId, monitorId }]);
        return row === undefined
          ? null
          : { generation: row.generation, specJson: Buffer.from(JSON.stringify(row.config)) };
      },
    },
    assignmentChanges: (since) => listChangesSince(db, since),
  };
}

function keyOf(nodeId: string): Buffer {
  return Buffer.alloc(32, nodeId);
}

async function changeBan({ random, db, tables, nodeIds }: Pair): Promise<void> {
  const id = random.pick(nodeIds);
  if (random.chance(0.4)) {
    if (banNode(tables, id, Date.now())) await db.raw('UPDATE nodes SET banned_at = now() WHERE id = ?', [id]);
  } else if (unbanNode(tables, id, Date.now())) {
    // NOTE: updateUnban of modules/nodes/store.ts, which its door does not show
    await db.raw(
      `UPDATE nodes SET banned_at = NULL, quarantined_at = NULL,
              generation = CASE WHEN quarantined_at IS NULL THEN generation ELSE 0 END WHERE id = ?`,
      [id],
    );
  }
}

function insertTask({ random, nodeIds, taskIds }: Pair): Ask {
  const now = Date.now();
  const [id = '', ...nodeTaskIds] = Array.from({ length: 3 }, () => newId(idPrefixes.probeTask, now)).sort();
  taskIds.push(...nodeTaskIds);
  const task = {
    id,
    ownerId: null,
    isTest: false,
    probeType: 'tcp',
    target: '192.0.2.9:80',
    spec: { type: 'tcp' },
    specJson: '{"type":"tcp"}',
    deadlineMs: 1_000,
    createdAt: new Date(),
    expiresInMs: random.pick([HOUR_MS, HOUR_MS, -HOUR_MS]),
    targetKeys: null,
    nodeTasks: nodeTaskIds.map((nodeTaskId) => ({
      id: nodeTaskId,
      nodeId: random.pick(nodeIds),
      refusedCode: random.chance(0.1) ? 'target_rate_limited' : null,
    })),
  };
  return ({ dispatch }) => dispatch.insert([task]);
}

function storeBatch({ random, nodeIds, taskIds }: Pair): Ask {
  const first = random.integer(1, 12);
  const count = random.integer(1, 4);
  const ids = [...taskIds, newId(idPrefixes.probeTask)];
  if (random.chance(0.2)) return storeReadings(random, { first, count, nodeId: random.pick(nodeIds) });
  const rows = Array.from({ length: count }, (_, index) => ({
    writer: null,
    sequence: first + index,
    taskId: random.pick(ids),
    probeType: random.chance(0.9) ? 'tcp' : 'ping',
    result: {},
    resultJson: '{}',
    isSuccess: true,
    outcome: 'success',
  }));
  // a statement of PostgreSQL's changes a row once: two results of one task in one batch are no one's honest work
  const once = rows.filter((row, index) => rows.findIndex(({ taskId }) => taskId === row.taskId) === index);
  const [nodeId, epoch] = [random.pick(nodeIds), random.pick(EPOCHS)];
  const sessionId = `ses_${random.integer(1, 3)}`;
  const batch = batchOf({ nodeId, sessionId, epoch, lane: 1, last: first + count - 1 }, first, once);
  return ({ ingest }) => ingest.storeBatches([batch]);
}

function storeReadings(random: SeededRandom, at: { first: number; count: number; nodeId: string }): Ask {
  const { first, count, nodeId } = at;
  const reader = new ResultReader(simulatedKinds);
  const rows = Array.from({ length: count }, (_, index) => {
    const message = readingMessage(newId(idPrefixes.probeTask), index);
    const read = reader.read(message, 'check', { nowMs: 0 });
    if ('reject' in read) throw new Error(read.reject);
    return { ...read.row, sequence: first + index };
  });
  const [epoch, sessionId] = [random.pick(EPOCHS), `ses_${random.integer(1, 3)}`];
  const batch = batchOf({ nodeId, sessionId, epoch, lane: 2, last: first + count - 1 }, first, rows);
  return ({ ingest }) => ingest.storeBatches([batch]);
}

/** Numbers of a lane from `first` to its end; without numbers, the question whether those before are stored. */
function batchOf(lane: LaneEnd, first: number, rows: readonly StoreRow[]): StoreBatch {
  return lane.last < first ? { kind: 'question', ...lane } : { kind: 'rows', ...lane, first, rows };
}

const MONITOR_IDS = [newId(idPrefixes.monitor), newId(idPrefixes.monitor)];
const SLOT_MS = 10_000;

/** Checks and missed slots of a few slots, over and over, reported by processes that come and go. */
function storeReports({ random, nodeIds, tables }: Pair): Ask {
  const nodeId = random.pick(nodeIds);
  const epoch = random.pick(EPOCHS);
  // mostly such as are stored
  const first = (tables.marks.get(markKey(nodeId, epoch, 2)) ?? 0) + random.pick([1, 1, 1, 0, 2]);
  const sessionId = tables.nodes.get(nodeId)?.sessionId ?? 'ses_1';
  const reader = new ResultReader(simulatedKinds);
  const nowMs = Date.now();
  // of now, or of a time before their process
  const baseMs = Math.floor(nowMs / 60_000) * 60_000 - random.pick([0, 4 * HOUR_MS]);
  const rows = Array.from({ length: random.integer(1, 3) }, (_, index) => {
    const [slot, length] = [random.integer(0, 8), random.integer(0, 4)];
    const about = { monitor_id: random.pick(MONITOR_IDS), generation: 1 };
    const [firstMs, lastMs] = [slot, slot + length].map((at) => baseMs - at * SLOT_MS).sort((a, b) => a - b);
    const isCheck = random.chance(0.5);
    const measured = { late_ms: 0, outcome: 'ok', response_ms: 1, status_code: null, error: null, through_ms: 0 };
    const state = { verdict: 'ok', since_ms: 0, streak: 1 };
    const body = isCheck
      ? { ...about, slot_ms: firstMs, ...measured, state }
      : { ...about, first_slot_ms: firstMs, last_slot_ms: lastMs, count: length + 1, reason: 'stopped', through_ms: 0 };
    const message = { kind: isCheck ? CHECK_KIND : MISSED_KIND, resultJson: Buffer.from(JSON.stringify(body)) };
    const read = reader.read(message, 'check', { nowMs });
    if ('reject' in read) throw new Error(read.reject);
    return { ...read.row, sequence: first + index };
  });
  const batch = batchOf({ nodeId, sessionId, epoch, lane: 2, last: first + rows.length - 1 }, first, rows);
  return ({ ingest }) => ingest.storeBatches([batch]);
}

/** Assigns both monitors to the first two nodes; one of them no longer. */
async function assignMonitors(db: Knex, tables: Tables, nodeIds: readonly string[]): Promise<void> {
  for (const [index, monitorId] of MONITOR_IDS.entries()) {
    await db.raw(
      `INSERT INTO monitors (id, owner_id, created_by, name, type, target, interval_s, config, node_selection, node_count, consecutive_fail,
         consecutive_ok, fail_node_quorum, created_at)
       VALUES (?, 'u_owner', 'u_owner', ?, 'tcp', '192.0.2.9:80', 10, '{}', '{}', 2, 2, 1, '2/3', 'epoch')
       ON CONFLICT DO NOTHING`,
      [monitorId, monitorId],
    );
    for (const nodeId of nodeIds.slice(0, 2)) {
      await db('monitor_assignments').insert({ monitor_id: monitorId, node_id: nodeId, generation: 1 });
      assign(tables, { monitorId, nodeId, generation: 1, specJson: '{}' }, Date.now());
      if (index === 0) continue;
      await endAssignments(db, monitorId, [nodeId]);
      endAssignment(tables, monitorId, nodeId, Date.now());
    }
  }
}

/** Copy without values that differ between any two databases: their own times, and numbers of changes. */
function plain(answer: unknown): unknown {
  const text = JSON.stringify(answer ?? null, (key, value: unknown) => {
    if (key === 'revision' || key === 'finishedAt') return undefined;
    if (Array.isArray(value))
      return value
        .map((item) => JSON.stringify(item))
        .sort()
        .map((item) => JSON.parse(item));
    return value;
  });
  return sortKeys(JSON.parse(text));
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sortKeys(item)]),
  );
}

function nodeView({ id, sessionId, replicaId, isBanned, isQuarantined }: Node) {
  return { id, sessionId, replicaId, isBanned, isQuarantined };
}

async function rest(db: Knex) {
  const tasks = await db('probe_node_tasks').orderBy('id').select('id', 'state', 'lost_code', 'late');
  const superseded = await db('superseded_results').orderBy('id').select('id', 'node_id');
  const marks = await db('ingest_marks').select('node_id', 'epoch', 'lane', 'mark');
  const readings = await db('readings').select('node_id', 'subject');
  const slots = await db.raw<{ rows: { slots: string }[] }>(
    `SELECT concat_ws(' ', m.id, n.id, (extract(epoch FROM s.first_at) * 1000)::bigint, (extract(epoch FROM s.last_at) * 1000)::bigint,
            s.slots, s.reason) AS slots
     FROM (SELECT monitor_key, node_key, at AS first_at, at AS last_at, 1 AS slots, 'checked' AS reason FROM monitor_checks
           UNION ALL SELECT monitor_key, node_key, first_at, last_at, slots, reason FROM missed_slots) s
     JOIN monitors m ON m.key = s.monitor_key JOIN nodes n ON n.key = s.node_key`,
  );
  const gaps = await db('spool_gaps').orderBy('id').select('node_id', 'first', 'last');
  return {
    tasks: tasks.map((row) => [row.id, row.state, row.lost_code, row.late].join(' ')),
    superseded: superseded.map((row) => `${row.id} ${row.node_id}`),
    marks: marks.map((row) => `${row.node_id} ${row.epoch.toString('hex')} ${row.lane} ${row.mark}`).sort(),
    gaps: gaps.map((row) => `${row.node_id} ${row.first} ${row.last}`),
    readings: readings.map((row) => `${row.node_id} ${row.subject}`).sort(),
    slots: slots.rows.map((row) => row.slots).sort(),
  };
}

function restOf({ nodeTasks, superseded, marks, gaps, readings, slots }: Tables) {
  const tasks = [...nodeTasks.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    tasks: tasks.map((row) => [row.id, row.state, row.lostCode, row.isLate].join(' ')),
    superseded: [...superseded].map(([id, row]) => `${id} ${row.nodeId}`).sort(),
    marks: [...marks].map(([key, mark]) => `${key} ${mark}`).sort(),
    gaps: gaps.map((row) => `${row.nodeId} ${row.first} ${row.last}`),
    readings: readings.map((row) => `${row.nodeId} ${row.subject}`).sort(),
    slots: [...slots.values()]
      .flat()
      .map((row) => [row.monitorId, row.nodeId, row.firstMs, row.lastMs, row.count, row.missed ?? 'checked'].join(' '))
      .sort(),
  };
}
