import { SeededRandom } from '../seeded-random.js';
import { type FaultKind, faultKinds, type Shape, type Strike } from './faults/index.js';

/** One fault of a run: what is broken when, and for how long. */
export interface PlannedFault {
  /** Time since the start of the run, in milliseconds. */
  readonly atMs: number;
  readonly forMs: number;
  readonly kind: string;
  readonly strike: Strike;
}

export interface ScheduleOptions extends Shape {
  readonly seed: number;
  readonly durationMs: number;
}

/** Time before the first fault, in milliseconds, so that there is something to break. */
const WARM_UP_MS = 3_000;
const MAX_AT_ONCE = 3;
const GAP_MS = { least: 400, most: 5_000 };

/**
 * The faults of a run, by their begin: the same for the same options. Several may overlap, but never two of one thing: a
 * process that is down is not stopped, and a wire has one weather.
 */
export function planFaults({ seed, durationMs, agents, replicas }: ScheduleOptions): PlannedFault[] {
  const random = new SeededRandom(seed);
  const planned: PlannedFault[] = [];
  let atMs = WARM_UP_MS;
  while (atMs < durationMs) {
    const fault = planFault({ random, atMs, endMs: durationMs, running: runningAt(planned, atMs), agents, replicas });
    if (fault !== null) planned.push(fault);
    atMs += random.integer(GAP_MS.least, GAP_MS.most);
  }
  return planned;
}

interface Choice extends Shape {
  readonly random: SeededRandom;
  readonly atMs: number;
  readonly endMs: number;
  readonly running: readonly PlannedFault[];
}

/** Plans a fault; null if the one drawn cannot be inflicted now. */
function planFault({ random, atMs, endMs, running, agents, replicas }: Choice): PlannedFault | null {
  const [name, kind] = drawKind(random);
  const strike = kind.aim({ agents, replicas }, random);
  const forMs = random.integer(kind.lastsMs.least, kind.lastsMs.most);
  const isTaken = running.some((other) => other.strike.claims.some((claim) => strike.claims.includes(claim)));
  if (isTaken || running.length >= MAX_AT_ONCE) return null;
  return { atMs, forMs: Math.min(forMs, endMs - atMs), kind: name, strike };
}

function drawKind(random: SeededRandom): [string, FaultKind] {
  const kinds = Object.entries<FaultKind>(faultKinds);
  let left = random.next() * kinds.reduce((sum, [, { weight }]) => sum + weight, 0);
  for (const [name, kind] of kinds) {
    left -= kind.weight;
    if (left < 0) return [name, kind];
  }
  throw new RangeError('there are no faults');
}

function runningAt(planned: readonly PlannedFault[], atMs: number): PlannedFault[] {
  return planned.filter((fault) => fault.atMs + fault.forMs >= atMs);
}
