import { createHash } from 'node:crypto';
import type { SlotRunOf, WatchOf } from './history.js';

// Times at which a node has to check a monitor, derived from docs/monitors.md only: at phase + n × interval, where the
// phase is a hash of both. Nothing of shared/ is used here, so that an error there is detected.

const HASH_VALUES = 2n ** 48n;

/** Milliseconds since the epoch at which slot 0 begins. */
export function phaseOfWatch({ monitorId, nodeId, intervalMs }: WatchOf & { readonly intervalMs: number }): number {
  const hash = createHash('sha256').update(`${monitorId} ${nodeId}`).digest('hex').slice(0, 12);
  return Number((BigInt(`0x${hash}`) * BigInt(intervalMs)) / HASH_VALUES);
}

/** Every instant at which a check was due after one instant and up to another. */
export function dueSlots(
  watch: WatchOf & { readonly intervalMs: number },
  afterMs: number,
  throughMs: number,
): number[] {
  const phaseMs = phaseOfWatch(watch);
  const due: number[] = [];
  const first = Math.floor((afterMs - phaseMs) / watch.intervalMs) + 1;
  for (let slot = first; phaseMs + slot * watch.intervalMs <= throughMs; slot += 1)
    due.push(phaseMs + slot * watch.intervalMs);
  return due;
}

export function slotsOfRun({ firstMs, lastMs, count }: SlotRunOf): number[] {
  if (count === 1) return [firstMs];
  return Array.from({ length: count }, (_, index) => firstMs + (index * (lastMs - firstMs)) / (count - 1));
}
