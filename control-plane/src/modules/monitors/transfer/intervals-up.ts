import type { Plan } from '../../../plans.js';
import { monitorIntervals } from '../intervals.js';
import type { AddNote } from './entry.js';

/** The interval that an imported monitor gets: the next longer one that there is and the plan allows. */
export function nextInterval(seconds: number, plan: Plan, note: AddNote): number {
  const least = Math.max(seconds, plan.minIntervalSeconds ?? 0);
  const next = monitorIntervals.find((interval) => interval >= least) ?? Math.max(...monitorIntervals);
  if (next !== seconds) note('interval', `${seconds} s become ${next} s${reasonFor(seconds, next, plan)}`);
  return next;
}

function reasonFor(seconds: number, next: number, { minIntervalSeconds }: Plan): string {
  if (next < seconds) return ', the longest there is';
  const isListed = (monitorIntervals as readonly number[]).includes(seconds);
  return isListed ? `: the plan allows ${minIntervalSeconds} s and more` : ': the next longer one there is';
}
