import { type HistoryRecordOf, recordsOf, type SlotRunOf } from '../invariants/history.js';
import type { Recorder } from './recorder.js';

// Assignments of nodes, observed from outside: the wire shows the assignments that are sent, and the first slot that a
// node reports some seconds later shows that its process has received them, and that its disk has had time to store
// them.

/** An agent writes down what it watches within a second; a process that reported a slot that long after has done so, or read it there. */
const KEPT_MS = 5_000;

interface Heard {
  readonly nodeId: string;
  readonly monitorId: string;
  readonly at: number;
  /** Assignment; null if it was withdrawn. */
  readonly watched: { readonly generation: number; readonly intervalMs: number } | null;
}

/** Writes down in `end` from when to when nodes answer for the slots of monitors, by what `recorder` has and what is `stored`. */
export function recordWatches(recorder: Recorder, end: Recorder, stored: readonly SlotRunOf[]): void {
  const heard = heardOf(recordsOf({ records: recorder.records, secrets: [] }, 'heard'));
  const firsts = firstsOf(stored);
  for (const [key, changes] of heard) {
    changes.forEach(({ nodeId, monitorId, at, watched }, index) => {
      const endedAt = changes[index + 1]?.at ?? null;
      const firstMs = (firsts.get(key) ?? []).find((slotMs) => slotMs >= at + KEPT_MS);
      if (watched === null || firstMs === undefined || firstMs >= (endedAt ?? Number.POSITIVE_INFINITY)) return;
      end.record('watch-begun', { nodeId, monitorId, ...watched, afterMs: firstMs }, at);
      if (endedAt !== null) end.record('watch-ended', { nodeId, monitorId }, endedAt);
    });
  }
}

/** Changes by monitor and node, in order. */
function heardOf(frames: readonly HistoryRecordOf<'heard'>[]): Map<string, Heard[]> {
  const heard = new Map<string, Heard[]>();
  const add = (change: Heard) => {
    const key = keyOf(change);
    heard.set(key, [...(heard.get(key) ?? []), change]);
  };
  for (const { nodeId, at, set, dropped, isEverything } of frames) {
    const named = new Set(set.map(({ monitorId }) => monitorId));
    const known = [...heard.values()].flatMap((changes) => changes.slice(-1)).filter((last) => last.nodeId === nodeId);
    const unnamed = isEverything ? known.filter(({ monitorId }) => !named.has(monitorId)) : [];
    for (const monitorId of [...dropped, ...unnamed.map((last) => last.monitorId)])
      add({ nodeId, monitorId, at, watched: null });
    for (const { monitorId, ...watched } of set) add({ nodeId, monitorId, at, watched });
  }
  return heard;
}

/** First slots of what is stored, in order, by monitor and node. */
function firstsOf(stored: readonly SlotRunOf[]): Map<string, number[]> {
  const firsts = new Map<string, number[]>();
  for (const run of stored) firsts.set(keyOf(run), [...(firsts.get(keyOf(run)) ?? []), run.firstMs]);
  for (const slots of firsts.values()) slots.sort((a, b) => a - b);
  return firsts;
}

function keyOf({ monitorId, nodeId }: { readonly monitorId: string; readonly nodeId: string }): string {
  return `${monitorId} ${nodeId}`;
}
