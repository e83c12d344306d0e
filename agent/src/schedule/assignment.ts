import type { StreakRule } from '@vantage/shared/monitor-state/node-reducer.js';

/** Parsed specification of a check and its interval. */
export interface CheckSpec {
  /** A type of monitor, perhaps one that this build does not know: its checks fail as `not_supported`. */
  readonly type: string;
  readonly target: string;
  readonly configJson: string;
  readonly intervalMs: number;
  readonly rule: StreakRule;
}

/** One monitor that this node watches. */
export interface Assignment {
  readonly monitorId: string;
  /** Number that differs for every change of what is checked. */
  readonly generation: number;
  /** Specification as received. */
  readonly specJson: string;
}

/** The grid of an assignment with an invalid interval: its checks still report that they are not supported. */
const UNREADABLE_INTERVAL_MS = 60_000;
/** Specification used for an assignment that cannot be read. */
const unreadable: CheckSpec = {
  type: '',
  target: '',
  configJson: '{}',
  intervalMs: UNREADABLE_INTERVAL_MS,
  rule: { consecutiveFail: 1, consecutiveOk: 1 },
};

// NOTE: the bounds of AssignmentSpecSchema (shared/src/monitor-types/assignment.ts), without the library behind it, which
// takes more memory than ten thousand assignments. A test holds the two together.

/**
 * Reads the JSON of an assignment. One that is not readable is one of no type: it stays an assignment, so that both sides
 * agree on what there is, and its checks fail.
 */
export function parseCheckSpec(specJson: string): CheckSpec {
  const { type, target, config, ...numbers } = membersOf(specJson);
  const intervalSeconds = wholeIn(numbers['interval_s'], 1, 86_400);
  const consecutiveFail = wholeIn(numbers['consecutive_fail'], 1, 100);
  const consecutiveOk = wholeIn(numbers['consecutive_ok'], 1, 100);
  const isReadable = typeof type === 'string' && isTarget(target) && isObject(config);
  if (!isReadable || intervalSeconds === null || consecutiveFail === null || consecutiveOk === null) return unreadable;
  return {
    type,
    target,
    configJson: JSON.stringify(config),
    intervalMs: intervalSeconds * 1000,
    rule: { consecutiveFail, consecutiveOk },
  };
}

function membersOf(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** 1 to 2048 characters, as JSON Schema counts them. */
function isTarget(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  // a character beyond the first 65 536 is two units of this string
  const characters = value.length - (value.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
  return characters >= 1 && characters <= 2048;
}

function wholeIn(value: unknown, least: number, most: number): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most ? value : null;
}
