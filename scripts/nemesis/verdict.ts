import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type History, recordsOf } from '../invariants/history.js';
import { findBreaches, invariants } from '../invariants/index.js';
import { keptReports } from '../invariants/kept-reports.js';
import type { AgentUnit } from './agent-unit.js';
import type { Alerting } from './alerts.js';
import type { Clients } from './clients.js';
import { Recorder } from './recorder.js';
import type { Targets } from './targets.js';
import { recordWatches } from './watches.js';
import { type World, waitFor } from './world.js';

/** Finding for one invariant. */
export interface Finding {
  readonly id: string;
  readonly says: string;
  readonly breaches: readonly string[];
  /** Reason why it was not checked here; null if it was. */
  readonly notChecked: string | null;
}

/** Time in which an agent that holds a row has had a moment without one, if it delivers. */
const DELIVERY_MS = 60_000;

interface Evidence {
  readonly world: World;
  readonly clients: Clients;
  readonly targets: Targets;
  /** If absent, nothing breaks that people are notified of. */
  readonly alerting?: Alerting;
  /** Directory with the logs, in `logs`; records read at the end are written to `end.jsonl`. */
  readonly directory: string;
}

/** Reads what there is at the end (database, agents, targets, logs), and judges it with all that was recorded. */
export async function judge(evidence: Evidence): Promise<Finding[]> {
  const { recorder, agents, secrets } = evidence.world;
  const end = new Recorder(join(evidence.directory, 'end.jsonl'));
  const untilRead = recorder.records.length;
  await readDatabase(evidence.world, end);
  await readMonitors(evidence.world, end);
  for (const agent of agents) {
    await untilDelivered(agent);
    readAgent(agent, end);
  }
  await evidence.alerting?.read(end);
  readVisits(evidence, end);
  readLogs(evidence, end);
  // a row acknowledged while the database is read may have been stored after its table was read
  const seen = recorder.records.filter(({ type }, index) => index < untilRead || type !== 'acknowledged');
  return findingsOf({ records: [...seen, ...end.records], secrets });
}

/** Findings for each invariant in a run, by its number. */
export function findingsOf(history: History): Finding[] {
  const breaches = findBreaches(history);
  const seen = new Set(history.records.map(({ type }) => type));
  return [...new Set(invariants.map(({ id }) => id))].map((id) => {
    const parts = invariants.filter((invariant) => invariant.id === id);
    const isChecked = parts.some(({ evidence }) => evidence.some((type) => seen.has(type)));
    return {
      id,
      says: parts.map(({ says }) => says).join('; '),
      breaches: breaches.filter((breach) => breach.id === id).map(({ message }) => message),
      notChecked: isChecked ? null : 'nothing of this kind has happened',
    };
  });
}

const TASKS = `SELECT id, node_id, state, success, finished_at, coalesce(lost_code, result #>> '{error,code}',
    CASE WHEN state = 'done' THEN 'success' END) AS outcome FROM probe_node_tasks`;
const SUPERSEDED = 'SELECT id, node_id, received_at FROM superseded_results';
const GAPS = `SELECT node_id, encode(epoch, 'hex') AS epoch, lane, first, last, reason FROM spool_gaps`;
const CLAIMED = `SELECT label, encode(consumed_public_key, 'base64') AS key FROM enrollment_tokens WHERE used_at IS NOT NULL`;
const DEAD = `SELECT node_id, convert_from(payload, 'UTF8') AS payload, received_at FROM dead_letters`;
// NOTE: numbers of proto/link.proto
const LANES: Readonly<Record<number, string>> = { 1: 'task', 2: 'check' };

interface NodeTaskRow {
  readonly id: string;
  readonly node_id: string;
  readonly state: 'pending' | 'done' | 'lost';
  readonly finished_at: Date | null;
  readonly outcome: string | null;
}

async function readDatabase({ database }: World, recorder: Recorder): Promise<void> {
  for (const row of (await database.query(TASKS)) as unknown as NodeTaskRow[]) {
    const { id: subject, node_id: nodeId, state, outcome } = row;
    const storedAt = row.finished_at?.getTime() ?? null;
    recorder.record('task', { subject, nodeId, state, storedAt, outcome });
    if (state === 'done') recorder.record('kept', { subject, nodeId, as: 'result', storedAt: storedAt ?? 0 });
  }
  for (const row of await database.query(SUPERSEDED)) {
    const storedAt = (row['received_at'] as Date).getTime();
    const about = { subject: String(row['id']), nodeId: String(row['node_id']) };
    recorder.record('kept', { ...about, as: 'superseded', storedAt });
  }
  for (const row of await database.query(GAPS)) {
    recorder.record('gap', {
      nodeId: String(row['node_id']),
      epoch: String(row['epoch']),
      lane: LANES[Number(row['lane'])] ?? '',
      first: Number(row['first']),
      last: Number(row['last']),
      reason: String(row['reason']),
    });
  }
  for (const row of await database.query(CLAIMED))
    recorder.record('token-used', { token: String(row['label']), publicKey: String(row['key']) });
  for (const row of await database.query(DEAD)) {
    recorder.record('crashed', { of: 'ingest', how: `a result became a dead letter: ${String(row['payload'])}` });
  }
}

const SLOTS = `SELECT n.id AS node_id, m.id AS monitor_id, s.* FROM (
    SELECT monitor_key, node_key, at AS first_at, at AS last_at, 1 AS count, NULL AS missed, at AS stored_at FROM monitor_checks
    WHERE flags & 2 = 0
    UNION ALL
    SELECT monitor_key, node_key, first_at, last_at, slots, reason, received_at FROM missed_slots) s
  JOIN monitors m ON m.key = s.monitor_key JOIN nodes n ON n.key = s.node_key`;
const CREATED = 'SELECT id, created_at FROM monitors';
const ASSIGNED = 'SELECT node_id, monitor_id, generation FROM monitor_assignments WHERE ended_at IS NULL';
/** Events of targets that were there all the time. */
const EVENTS = `SELECT e.monitor_id, e.type, e.reason, e.started_at, e.ended_at FROM monitor_events e
  JOIN monitors m ON m.id = e.monitor_id WHERE m.name <> 'breaks'`;

/** Slots and events of monitors, and what nodes answer for. */
async function readMonitors({ database, recorder }: World, end: Recorder): Promise<void> {
  const stored = (await database.query(SLOTS)).map((row) => ({
    nodeId: String(row['node_id']),
    monitorId: String(row['monitor_id']),
    firstMs: (row['first_at'] as Date).getTime(),
    lastMs: (row['last_at'] as Date).getTime(),
    count: Number(row['count']),
    missed: row['missed'] === null ? null : String(row['missed']),
    storedAt: (row['stored_at'] as Date).getTime(),
  }));
  for (const { storedAt: _, ...slots } of stored) end.record('slots', slots);
  // the time at which a check was stored is not recorded: it cannot be compared with bans
  const created = (await database.query(CREATED)).map(
    (row) => [String(row['id']), (row['created_at'] as Date).getTime()] as const,
  );
  for (const report of keptReports(recorder.records, stored, new Map(created)))
    end.record('kept', { ...report, storedAt: 0 });
  recordWatches(recorder, end, stored);
  for (const row of await database.query(ASSIGNED))
    end.record('assigned', {
      nodeId: String(row['node_id']),
      monitorId: String(row['monitor_id']),
      generation: Number(row['generation']),
    });
  for (const row of await database.query(EVENTS)) {
    const endedAt = (row['ended_at'] as Date | null)?.getTime() ?? null;
    const startedAt = (row['started_at'] as Date).getTime();
    const what = `${row['type']}: ${row['reason']}`;
    end.record('event', { monitorId: String(row['monitor_id']), startedAt, endedAt, what });
  }
}

/** Checks go on: a row that is under way when its agent is looked at is no backlog. */
async function untilDelivered(agent: AgentUnit): Promise<void> {
  await waitFor(`the rows of ${agent.name}`, DELIVERY_MS, () => agent.isDelivered).catch(() => {});
}

function readAgent(agent: AgentUnit, recorder: Recorder): void {
  const { nodeId } = agent;
  const status = agent.status();
  recorder.record('backlog', { nodeId, rows: status?.spool.rows ?? Number.NaN });
  if (status === null) return recorder.record('crashed', { of: agent.name, how: 'it does not report it' });
  // one machine, one clock: any offset is an error
  recorder.record('clock', { nodeId, errorMs: status.clock.offset_ms, uncertaintyMs: status.clock.uncertainty_ms });
  // results for which a full disk had no space are declared as dropped
  const declared = recordsOf({ records: recorder.records, secrets: [] }, 'gap')
    .filter((gap) => gap.nodeId === nodeId)
    .reduce((sum, { first, last }) => sum + last - first + 1, 0);
  recorder.record('gauge', { name: 'rows dropped', of: agent.name, value: status.spool.dropped, limit: declared });
}

/** A probe that came to its target has begun; the one request of a key has one node task for each node. */
function readVisits({ world, targets, clients }: Evidence, recorder: Recorder): void {
  const isForgotten = lastSecondsOf(world.recorder);
  const byKey = new Map(clients.accepted.map((accepted) => [accepted.key, accepted]));
  for (const [key, times] of targets.visits) {
    const accepted = byKey.get(key);
    const unseen = Array.from({ length: clients.asked.get(key) ?? 1 }, (_, index) => `${key}, node ${index + 1},`);
    const subjects = accepted?.subjects ?? unseen;
    // requested or assigned again after the database had lost it
    const counted = times.filter((at, index) => index === times.length - 1 || !isForgotten(at));
    counted.forEach((at, index) => {
      // more visits than node tasks: one was measured twice
      const subject = subjects[index] ?? subjects[0] ?? key;
      recorder.record('started', { subject, nodeId: accepted?.nodeIds[index] ?? '', bootId: '' }, at);
    });
  }
  if (targets.refusedVisits > 0) recorder.record('packet', { nodeId: '', to: 'a refused address', isRefused: true });
}

/** Returns a function that is true for instants within what a failover lost. */
function lastSecondsOf({ records }: Recorder): (at: number) => boolean {
  const lost = recordsOf({ records, secrets: [] }, 'database-rolled-back');
  return (at) => lost.some((rollback) => rollback.since <= at && at <= rollback.at);
}

function readLogs({ directory }: Evidence, recorder: Recorder): void {
  for (const name of readdirSync(join(directory, 'logs'))) {
    recorder.record('text', { where: name, text: readFileSync(join(directory, 'logs', name), 'utf8') });
  }
}
