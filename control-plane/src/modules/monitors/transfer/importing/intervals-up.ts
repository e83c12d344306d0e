import type { Plan } from '../../../../plans/index.js';
import { monitorIntervals } from '../../definition/intervals.js';
import type { AddNote } from '../entry/entry.js';

/** Interval of an imported monitor: the requested one, or the next longer one that exists and the plan allows. */
export function nextInterval(seconds: number, plan: Plan, note: AddNote): number {
  const least = Math.max(seconds, plan.min_interval_s ?? 0);
  const next = monitorIntervals.find((interval) => interval >= least) ?? Math.max(...monitorIntervals);
  if (next !== seconds) note('interval', `${seconds} s was changed to ${next} s${reasonFor(seconds, next, plan)}`);
  return next;
}

function reasonFor(seconds: number, next: number, { min_interval_s: least }: Plan): string {
  if (next < seconds) return ', the longest interval';
  const isListed = (monitorIntervals as readonly number[]).includes(seconds);
  return isListed ? `: the plan allows at least ${least} s` : ': the next longer interval';
}
