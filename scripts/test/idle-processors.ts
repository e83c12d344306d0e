import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

const LOOK_MS = 1_000;
const IDLE_SHARE = 0.1;

/** Time that the processors have spent since the machine started, in milliseconds. */
export interface ProcessorTimes {
  readonly idleMs: number;
  readonly allMs: number;
}

/** True if at least a tenth of the time between two readings was idle. */
export function hadIdleTime(before: ProcessorTimes, after: ProcessorTimes): boolean {
  return after.idleMs - before.idleMs >= IDLE_SHARE * (after.allMs - before.allMs);
}

/**
 * Waits until the processors have had idle time, or `isOver`. Where they have none, one more file at once makes no file
 * end earlier, and all of them so slow that their own time limits pass.
 */
export async function untilProcessorsIdle(isOver: () => boolean): Promise<void> {
  for (let before = readTimes(); !isOver(); ) {
    await pause(LOOK_MS);
    const after = readTimes();
    if (hadIdleTime(before, after)) return;
    before = after;
  }
}

function readTimes(): ProcessorTimes {
  let idleMs = 0;
  let allMs = 0;
  for (const { times } of cpus()) {
    idleMs += times.idle;
    allMs += times.user + times.nice + times.sys + times.idle + times.irq;
  }
  return { idleMs, allMs };
}
