import type { Facts } from '../assertions/facts.js';
import { describeFailures, type Failure, findFailures, MAX_MESSAGE_LENGTH } from '../assertions/failures.js';
import type { Assertion } from '../assertions/schema.js';
import { cutText, withoutSecrets } from '../assertions/shown.js';
import type { ProbeError, ProbeErrorCode } from '../probe-types/error-codes.js';
import type { CheckJudgment } from './definition.js';

/** Outcome that a type derives from a probe's result. */
export interface Measured {
  /** Reason why the probe failed; null when it did not. */
  readonly error: ProbeError | null;
  readonly facts: Facts;
  /** Failed expectations of the type itself. */
  readonly failures: readonly Failure[];
}

/** The settings that decide, of any type. */
interface JudgmentConfig {
  readonly upside_down: boolean;
  readonly assertions: readonly Assertion[];
}

/** Reasons of the node or of this service: they show nothing of the target, and are no success of any monitor. */
const ownCodes: ReadonlySet<ProbeErrorCode> = new Set([
  'target_not_allowed',
  'target_rate_limited',
  'not_supported',
  'overload',
  'cancelled',
  'node_lost',
  'internal',
]);

/** The judgment of a check of any type: the probe's own failure first, then what was expected and is not so. */
export function judgeCheck({ error, facts, failures }: Measured, config: JudgmentConfig): CheckJudgment {
  const { responseMs, statusCode } = facts;
  if (error !== null) {
    if (config.upside_down && !ownCodes.has(error.code)) return { outcome: 'ok', responseMs, statusCode, error: null };
    const message = cutText(withoutSecrets(error.message, facts.secrets), MAX_MESSAGE_LENGTH);
    return { outcome: 'failed', responseMs, statusCode, error: { code: error.code, message } };
  }
  const all = [...failures, ...findFailures(config.assertions, facts)];
  const judgment = { ...outcomeOf(all), responseMs, statusCode };
  return config.upside_down ? turned(judgment) : judgment;
}

/**
 * The judgment of a check that asks third parties about its target. That none of them answers shows nothing of the
 * target and is no outage: the check is degraded, upside down or not, with the probe's own reason.
 */
export function judgeLookup(measured: Measured, config: JudgmentConfig): CheckJudgment {
  const { error } = measured;
  const judgment = judgeCheck(measured, { ...config, upside_down: config.upside_down && error === null });
  if (error === null || ownCodes.has(error.code)) return judgment;
  return { ...judgment, outcome: 'degraded' };
}

function outcomeOf(failures: readonly Failure[]): Pick<CheckJudgment, 'outcome' | 'error'> {
  if (failures.length === 0) return { outcome: 'ok', error: null };
  const down = failures.filter(({ severity }) => severity === 'down');
  const lesser = failures.filter(({ severity }) => severity === 'degraded');
  const error = { code: 'assertion_failed' as const, message: describeFailures([...down, ...lesser]) };
  return { outcome: down.length === 0 ? 'degraded' : 'failed', error };
}

function turned(judgment: CheckJudgment): CheckJudgment {
  if (judgment.outcome === 'failed') return { ...judgment, outcome: 'ok', error: null };
  if (judgment.outcome === 'degraded') return judgment;
  const message = 'the check succeeded, but was expected to fail';
  return { ...judgment, outcome: 'failed', error: { code: 'expected_to_fail', message } };
}
