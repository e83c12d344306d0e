import type { CheckReport, MissedReport } from '@vantage/shared/monitor-state/check-report.js';
import { CHECK_KIND, MISSED_KIND } from '@vantage/shared/monitor-state/report-kinds.js';
import type { StoreRow } from 'vantage-control/ingest/index.js';
import { type AssignedKeys, keyHash } from 'vantage-control/links/index.js';
import { type SlotsRow, slotsKey, type Tables } from './tables.js';

// NOTE: models the SQL of control-plane/src/modules/monitors (check-store.ts, missed-store.ts, assignment-store.ts),
// model.test.ts compares them. Slot by slot: the product's way of counting is not used here.

/** Greatest difference between clocks (reported-slots-store.ts). */
const MARGIN_MS = 120_000;

/** storeChecks, storeMissed: kinds are stored one after the other, in the order of their first rows. */
export function storeSlots(tables: Tables, nodeId: string, rows: readonly StoreRow[], nowMs: number): void {
  for (const name of new Set(rows.flatMap(({ writer }) => writer?.name ?? []))) {
    const bodies = rows.flatMap((row) => (row.writer !== null && row.writer.name === name ? [row.body] : []));
    if (name === CHECK_KIND) for (const body of bodies) storeCheck(tables, nodeId, body as CheckReport, nowMs);
    if (name === MISSED_KIND) for (const body of bodies) storeMissed(tables, nodeId, body as MissedReport, nowMs);
  }
}

function storeCheck(tables: Tables, nodeId: string, { monitor_id: monitorId, slot_ms }: CheckReport, nowMs: number) {
  const at = Math.floor(slot_ms);
  const isNew = !mayBeReported(tables, nodeId, at) || !reportedSlots(tables, monitorId, nodeId).has(at);
  if (isNew) put(tables, { nodeId, monitorId, firstMs: at, lastMs: at, count: 1, missed: null, storedAt: nowMs });
}

function storeMissed(tables: Tables, nodeId: string, report: MissedReport, nowMs: number): void {
  const { monitor_id: monitorId, first_slot_ms: firstMs, last_slot_ms: lastMs, count, reason: missed } = report;
  const whole = { nodeId, monitorId, firstMs, lastMs, count, missed, storedAt: nowMs };
  if (!mayBeReported(tables, nodeId, firstMs)) return put(tables, whole);
  const reported = reportedSlots(tables, monitorId, nodeId);
  for (const run of runsOf(
    slotsOf(whole).filter((at) => !reported.has(at)),
    lastMs - firstMs,
    count,
  ))
    put(tables, { ...whole, firstMs: run.at(0) ?? 0, lastMs: run.at(-1) ?? 0, count: run.length });
}

/** Groups slots that follow each other. */
function runsOf(slots: readonly number[], lengthMs: number, count: number): number[][] {
  const runs: number[][] = [];
  for (const at of slots) {
    const run = runs.at(-1);
    const stepMs = count > 1 ? lengthMs / (count - 1) : 0;
    if (run !== undefined && at - (run.at(-1) ?? 0) === stepMs) run.push(at);
    else runs.push([at]);
  }
  return runs;
}

function slotsOf({ firstMs, lastMs, count }: Pick<SlotsRow, 'firstMs' | 'lastMs' | 'count'>): number[] {
  if (count === 1) return [firstMs];
  return Array.from({ length: count }, (_, index) => firstMs + (index * (lastMs - firstMs)) / (count - 1));
}

function reportedSlots(tables: Tables, monitorId: string, nodeId: string): Set<number> {
  return new Set((tables.slots.get(slotsKey(monitorId, nodeId)) ?? []).flatMap(slotsOf));
}

function mayBeReported(tables: Tables, nodeId: string, at: number): boolean {
  const seenAt = tables.nodes.get(nodeId)?.bootSeenAt ?? null;
  return seenAt !== null && at < seenAt + MARGIN_MS;
}

/** Stores a row; nothing is kept for an assignment that the node never had. */
function put(tables: Tables, row: SlotsRow): void {
  const key = slotsKey(row.monitorId, row.nodeId);
  if (!tables.assignments.has(key)) return;
  tables.slots.set(key, [...(tables.slots.get(key) ?? []), row]);
}

/** insertAssignments, and what the monitor is to be checked by. */
export function assign(tables: Tables, to: AssignmentChange, nowMs: number): void {
  const { monitorId, nodeId, generation, specJson } = to;
  tables.assignments.set(slotsKey(monitorId, nodeId), { monitorId, nodeId, generation, specJson, endedAt: null });
  tables.assignmentChanges.set(nodeId, nowMs);
}

/** New assignment of a node. `generation` is one that no one had before. */
export interface AssignmentChange {
  readonly monitorId: string;
  readonly nodeId: string;
  readonly generation: number;
  readonly specJson: string;
}

/** endAssignments */
export function endAssignment(tables: Tables, monitorId: string, nodeId: string, nowMs: number): void {
  const key = slotsKey(monitorId, nodeId);
  const assignment = tables.assignments.get(key);
  if (assignment === undefined || assignment.endedAt !== null) return;
  tables.assignments.set(key, { ...assignment, endedAt: nowMs });
  tables.assignmentChanges.set(nodeId, nowMs);
}

/** listKeysOf: monitors of the model have no secrets. */
export function keysOf(tables: Tables, nodeId: string): AssignedKeys {
  const keys = [...tables.assignments.values()]
    .filter((assignment) => assignment.nodeId === nodeId && assignment.endedAt === null)
    .map(({ monitorId, generation }) => ({ monitorId, generation, hasSecrets: false }));
  return { keys, sum: keys.reduce((sum, key) => sum + keyHash(key), 0) };
}

/** listAssignments, of one */
export function findAssignment(tables: Tables, nodeId: string, monitorId: string) {
  const assignment = tables.assignments.get(slotsKey(monitorId, nodeId));
  if (assignment === undefined || assignment.endedAt !== null) return null;
  return { generation: assignment.generation, specJson: Buffer.from(assignment.specJson) };
}

/** listChangesSince */
export function changesSince(tables: Tables, sinceMs: number): { node_id: string; changed_at: Date }[] {
  return [...tables.assignmentChanges]
    .filter(([, at]) => at > sinceMs)
    .sort(([, a], [, b]) => a - b)
    .map(([node_id, at]) => ({ node_id, changed_at: new Date(at) }));
}
