import type { StepBudget } from './step-budget.js';

/**
 * The values of an array or object in order; nothing of anything else. Those of an object have to be gathered, each for a
 * step: large objects are hash tables, which takes as long as anything else that costs one.
 */
export function membersOf(value: unknown, budget: StepBudget): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) return [];
  const members = Object.values(value);
  budget.spend(members.length);
  return members;
}

/** One member of an object; undefined where there is none. */
export function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
    return undefined;
  return Reflect.get(value, name);
}

/** One element of an array, counted from its end where negative; undefined where there is none. */
export function elementOf(value: unknown, index: number): unknown {
  return Array.isArray(value) ? value.at(index) : undefined;
}

/** A value and everything inside of it, each before what it holds, without recursion: documents may be deep. */
export function* descendants(start: unknown, budget: StepBudget): Iterable<unknown> {
  const waiting = [start];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    budget.spend();
    yield value;
    const members = membersOf(value, budget);
    for (let i = members.length - 1; i >= 0; i--) waiting.push(members[i]);
  }
}

/** Elements from `start` up to, without, `end`, every `step`th (RFC 9535 section 2.3.4.2.2). */
export function sliceOf(
  array: readonly unknown[],
  { start, end, step }: { readonly start: number | null; readonly end: number | null; readonly step: number | null },
): unknown[] {
  const by = step ?? 1;
  const { length } = array;
  if (by === 0) return [];
  const from = bound(start ?? (by > 0 ? 0 : length - 1), length, by);
  const to = end === null ? (by > 0 ? length : -1) : bound(end, length, by);
  const found: unknown[] = [];
  if (by > 0) for (let i = from; i < to; i += by) found.push(array[i]);
  else for (let i = from; i > to; i += by) found.push(array[i]);
  return found;
}

function bound(index: number, length: number, step: number): number {
  const absolute = index >= 0 ? index : length + index;
  return step > 0 ? Math.min(Math.max(absolute, 0), length) : Math.min(Math.max(absolute, -1), length - 1);
}
