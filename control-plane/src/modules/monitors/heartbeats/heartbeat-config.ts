import { isTimezone } from '@vantage/shared/timezone.js';
import { compileSchema, type FieldErrors } from '@vantage/shared/validation.js';
import { type Static, Type } from 'typebox';
import { ApiError, fieldError } from '../../../http/errors.js';
import { CronExpressionError, type HeartbeatRule, HeartbeatSchedule } from './heartbeat-schedule.js';
import type { Rule } from './heartbeat-state.js';

const YEAR_S = 31_536_000;

const common = {
  grace_s: Type.Integer({
    minimum: 0,
    maximum: YEAR_S,
    default: 3_600,
    description: 'Seconds that a ping may be late.',
  }),
  timezone: Type.String({ maxLength: 64, default: 'UTC', description: 'Time zone of cron_expr, an IANA name.' }),
  assert_body_contains: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'Text that the first 10 kB of the body of a ping have to contain for it to count as a success.',
    }),
  ),
  max_duration_s: Type.Integer({
    minimum: 0,
    maximum: YEAR_S,
    default: 0,
    description: 'Greatest duration of a run in seconds; 0: any.',
  }),
};
const IntervalConfig = Type.Object(
  {
    mode: Type.Literal('interval'),
    interval_s: Type.Integer({
      minimum: 30,
      maximum: YEAR_S,
      default: 86_400,
      description: 'Seconds between two pings.',
    }),
    ...common,
  },
  { additionalProperties: false },
);
const CronConfig = Type.Object(
  {
    mode: Type.Literal('cron'),
    cron_expr: Type.String({
      description:
        'Cron expression with five fields, with the meaning of cron: if a day field begins with `*`, a date has to fit both, otherwise one of them.',
      example: '30 2 * * *',
    }),
    ...common,
  },
  { additionalProperties: false },
);

/** Settings of a heartbeat, every default filled in. API specification 2.2. */
export type HeartbeatConfig = Static<typeof IntervalConfig> | Static<typeof CronConfig>;

/** Settings of a heartbeat as callers send them. */
export const HeartbeatConfigDocumented = Type.Union([
  Type.Object(
    { ...IntervalConfig.properties, mode: Type.Literal('interval', { default: 'interval' }) },
    { additionalProperties: false, title: 'HeartbeatIntervalConfig' },
  ),
  Type.Object(CronConfig.properties, { additionalProperties: false, title: 'HeartbeatCronConfig' }),
]);

const checks = { interval: compileSchema(IntervalConfig), cron: compileSchema(CronConfig) };

/**
 * Checks settings and fills in their defaults; with them, in seconds, the least that may be between two expected pings.
 * @throws ApiError VALIDATION_FAILED
 */
export function parseHeartbeatConfig(
  given: Readonly<Record<string, unknown>>,
  nowMs: number,
): { config: HeartbeatConfig; intervalSeconds: number } {
  const { mode = 'interval' } = given;
  if (mode !== 'interval' && mode !== 'cron') throw fieldError('config.mode', 'enum', 'must be interval or cron');
  const other = mode === 'interval' ? 'cron' : 'interval';
  const foreign = mode === 'interval' ? 'cron_expr' : 'interval_s';
  if (given[foreign] !== undefined) throw fieldError(`config.${foreign}`, 'conflict', `applies only to mode ${other}`);
  const config: unknown = { ...structuredClone(given), mode };
  const checked = checks[mode](config);
  if (!checked.ok) throw new ApiError('VALIDATION_FAILED', { details: underConfig(checked.details) });
  if (!isTimezone(checked.value.timezone))
    throw fieldError('config.timezone', 'format', `no such time zone: "${checked.value.timezone}"`);
  return { config: checked.value, intervalSeconds: smallestGap(checked.value, nowMs) };
}

/** Rule that decides when a heartbeat with these settings is down. @throws CronExpressionError */
export function ruleOf(config: HeartbeatConfig): Rule {
  return {
    schedule: new HeartbeatSchedule(scheduleOf(config)),
    graceMs: config.grace_s * 1_000,
    maxDurationMs: config.max_duration_s === 0 ? null : config.max_duration_s * 1_000,
  };
}

function scheduleOf(config: HeartbeatConfig): HeartbeatRule {
  const graceSeconds = config.grace_s;
  if (config.mode === 'interval') return { mode: 'interval', intervalSeconds: config.interval_s, graceSeconds };
  return { mode: 'cron', cronExpression: config.cron_expr, timezone: config.timezone, graceSeconds };
}

function smallestGap(config: HeartbeatConfig, nowMs: number): number {
  try {
    return ruleOf(config).schedule.smallestGapSeconds(nowMs);
  } catch (error) {
    if (!(error instanceof CronExpressionError)) throw error;
    throw fieldError('config.cron_expr', 'format', error.message);
  }
}

function underConfig(details: FieldErrors): FieldErrors {
  return Object.fromEntries(
    Object.entries(details).map(([path, errors]) => [path === 'body' ? 'config' : `config.${path}`, errors]),
  );
}
