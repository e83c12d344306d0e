import { isTimezone } from '@vantage/shared/timezone.js';
import { businessError, fieldError } from '../../../http/errors.js';
import { chosenChannels, defaultChoice, type KnownChannel, wholeChannel } from './channel-choices.js';
import { blankPolicy, catchAll, isCatchAll } from './policy-defaults.js';
import { policyConflict } from './policy-refusals.js';
import type { PolicyFields } from './policy-row.js';
import {
  type AlertPolicyChange,
  MAX_RULE_CHANNELS,
  MAX_RULES,
  type StoredSuppression,
  type TypedEscalation,
  type TypedRecovery,
  type TypedRule,
} from './policy-schema.js';

// Applies the body of a POST or PATCH to the previous fields of a policy.
//
//   simple form   monitor_id, channel_ids          stored as one rule that matches every alert
//   full form     rules, escalation, on_recovery, suppression
//
// A body has fields of one form. A PATCH keeps the form of the policy, except that `rules` make it a full one. The default policy is in
// the full form; `channel_ids` replaces the channels of its rule as long as that is its only one and matches every alert.

const simpleFields = ['monitor_id', 'channel_ids'] as const;
const fullFields = ['rules', 'escalation', 'on_recovery', 'suppression'] as const;

/** Least time of settings that may also be 0. */
const LEAST_S = 300;

/** Circumstances of a request. */
export interface PolicyContext {
  /** Channels that may be named, oldest first; empty for a change that names none. */
  readonly known: readonly KnownChannel[];
  /** Time zone of windows without one. */
  readonly timezone: string;
}

/** True if the fields of a request refer to channels. */
export function namesChannels(body: AlertPolicyChange): boolean {
  const { channel_ids: channelIds, rules, escalation, on_recovery: recovery } = body;
  return [channelIds, rules, escalation?.steps, recovery?.channels].some((field) => field !== undefined);
}

/**
 * Fields of a policy after `body` was applied to the previous ones; null if the policy is new, and `body` has a name.
 * Does not check that monitors belong to the caller. @throws ApiError VALIDATION_FAILED, ALERT_CHANNEL_INVALID, ALERT_RULE_CONFLICT
 */
export function policyFieldsOf(
  body: AlertPolicyChange,
  before: PolicyFields | null,
  context: PolicyContext,
): PolicyFields {
  const isSimple = hasSimpleForm(body, before);
  const previous = before ?? { ...blankPolicy, name: '' };
  const fields: PolicyFields = {
    name: (body.name ?? previous.name).trim(),
    is_enabled: body.enabled ?? previous.is_enabled,
    is_default: body.is_default ?? previous.is_default,
    monitor_id: isSimple ? (body.monitor_id ?? previous.monitor_id) : null,
    rules:
      isSimple || Array.isArray(body.channel_ids)
        ? simpleRules(body, before, context)
        : fullRules(body, previous.rules, context),
    escalation: escalationOf(body, previous.escalation, context),
    on_recovery: recoveryOf(body, previous.on_recovery, context),
    suppression: suppressionOf(body, previous.suppression, context),
    depends_on:
      body.suppression?.depends_on === undefined ? previous.depends_on : [...new Set(body.suppression.depends_on)],
  };
  checkDefault(fields, before);
  return fields;
}

/** True if the policy has the simple form afterwards. @throws ApiError VALIDATION_FAILED if fields of both are given */
function hasSimpleForm(body: AlertPolicyChange, before: PolicyFields | null): boolean {
  const simple = simpleFields.find((name) => body[name] !== undefined && body[name] !== null);
  const full = fullFields.find((name) => body[name] !== undefined);
  if (simple !== undefined && full !== undefined)
    throw fieldError(simple, 'conflict', `cannot be combined with ${full}: send one of them`);
  if (before === null) {
    if (simple === undefined && body.rules === undefined)
      throw fieldError('rules', 'required', 'is required unless monitor_id is sent');
    if (simple !== undefined && typeof body.monitor_id !== 'string')
      throw fieldError('monitor_id', 'required', 'is required in the simple form');
    return simple !== undefined;
  }
  if (before.monitor_id === null) {
    if (simple === undefined) return false;
    if (simple === 'channel_ids' && before.is_default && isCatchAll(before.rules)) return false;
    const instead = simple === 'channel_ids' ? ': send rules' : '';
    throw fieldError(simple, 'conflict', `does not apply to a policy with rules of its own${instead}`);
  }
  const nulled = simpleFields.find((name) => body[name] === null);
  if (body.rules === undefined && nulled !== undefined)
    throw fieldError(nulled, 'conflict', 'is null only in the full form: send rules');
  return body.rules === undefined;
}

function simpleRules(
  { channel_ids: ids }: AlertPolicyChange,
  before: PolicyFields | null,
  { known }: PolicyContext,
): TypedRule[] {
  if (ids === undefined || ids === null) return before?.rules ?? [catchAll([defaultChoice(known)])];
  if (ids.length > MAX_RULE_CHANNELS)
    throw businessError('channel_ids', 'refused', `must have at most ${MAX_RULE_CHANNELS} channels`);
  const choices = new Map(ids.map((id, index) => [id, wholeChannel(id, known, `channel_ids.${index}`)]));
  return [{ ...(before?.rules[0] ?? catchAll([])), channels: [...choices.values()] }];
}

function fullRules(
  { rules }: AlertPolicyChange,
  previous: TypedRule[],
  { known, timezone }: PolicyContext,
): TypedRule[] {
  if (rules === undefined) return previous;
  if (rules.length > MAX_RULES) throw businessError('rules', 'refused', `must have at most ${MAX_RULES} rules`);
  const blank = catchAll([]);
  const complete = rules.map(({ match = {}, channels = [], delay_sec: delay, repeat = {} }, index): TypedRule => {
    const field = `rules.${index}`;
    const window = match.time_window ?? null;
    return {
      match: {
        severity: match.severity ?? [],
        tags_any: [...new Set((match.tags_any ?? []).map((tag) => tag.trim().toLowerCase()))].sort(),
        time_window: window === null ? null : windowOf(window, `${field}.match.time_window`, timezone),
      },
      channels: chosenChannels(channels, known, `${field}.channels`),
      delay_sec: delay ?? blank.delay_sec,
      repeat: { ...blank.repeat, ...repeat },
    };
  });
  if (!complete.some(({ channels }) => channels.length > 0))
    throw fieldError('rules', 'required', 'must have a rule that names a channel');
  return complete;
}

function escalationOf(
  { escalation = {} }: AlertPolicyChange,
  previous: TypedEscalation,
  { known }: PolicyContext,
): TypedEscalation {
  const { steps, repeat, ack_timeout_sec: timeout } = escalation;
  checkLeast(timeout, 'escalation.ack_timeout_sec');
  return {
    steps: steps === undefined ? previous.steps : stepsOf(steps, known),
    repeat: repeat ?? previous.repeat,
    ack_timeout_sec: timeout ?? previous.ack_timeout_sec,
  };
}

type GivenSteps = NonNullable<NonNullable<AlertPolicyChange['escalation']>['steps']>;

function stepsOf(steps: GivenSteps, known: readonly KnownChannel[]): TypedEscalation['steps'] {
  return steps.map(({ after_sec: afterSec, channels = [], schedule_id: schedule }, index) => {
    const field = `escalation.steps.${index}`;
    if (typeof schedule === 'string') throw businessError(`${field}.schedule_id`, 'not_supported', 'must be null');
    const earlier = steps[index - 1]?.after_sec ?? 0;
    if (afterSec <= earlier)
      throw fieldError(`${field}.after_sec`, 'range', 'must be greater than that of the previous step');
    if (channels.length === 0) throw fieldError(`${field}.channels`, 'required', 'must name a channel');
    return { after_sec: afterSec, channels: chosenChannels(channels, known, `${field}.channels`), schedule_id: null };
  });
}

function recoveryOf(
  { on_recovery: given = {} }: AlertPolicyChange,
  previous: TypedRecovery,
  { known }: PolicyContext,
): TypedRecovery {
  return {
    notify: given.notify ?? previous.notify,
    delay_sec: given.delay_sec ?? previous.delay_sec,
    channels:
      given.channels === undefined ? previous.channels : chosenChannels(given.channels, known, 'on_recovery.channels'),
  };
}

function suppressionOf(
  { suppression: given = {} }: AlertPolicyChange,
  previous: StoredSuppression,
  { timezone }: PolicyContext,
): StoredSuppression {
  checkLeast(given.no_data_after_sec, 'suppression.no_data_after_sec');
  return {
    after_sec: given.after_sec ?? previous.after_sec,
    quiet_hours:
      given.quiet_hours?.map((hours, index) => ({
        ...windowOf(hours, `suppression.quiet_hours.${index}`, timezone),
        below: hours.below,
        action: hours.action,
      })) ?? previous.quiet_hours,
    flapping: given.flapping ?? previous.flapping,
    no_data_after_sec: given.no_data_after_sec ?? previous.no_data_after_sec,
  };
}

type Window = NonNullable<TypedRule['match']['time_window']>;

function windowOf(
  { days, start, end, timezone }: Omit<Window, 'timezone'> & { readonly timezone?: string },
  field: string,
  usual: string,
): Window {
  if (timezone !== undefined && !isTimezone(timezone))
    throw fieldError(`${field}.timezone`, 'format', 'must be an IANA time zone, for example Europe/Berlin');
  return { days, start, end, timezone: timezone ?? usual };
}

function checkLeast(value: number | undefined, field: string): void {
  if (value !== undefined && value > 0 && value < LEAST_S)
    throw fieldError(field, 'range', `must be 0 or at least ${LEAST_S}`);
}

/** Checks that the account keeps one default policy, in the full form. */
function checkDefault(
  { is_default: isDefault, monitor_id: monitorId }: PolicyFields,
  before: PolicyFields | null,
): void {
  if (isDefault && monitorId !== null)
    throw fieldError('is_default', 'conflict', 'a policy of one monitor cannot be the default');
  if (before?.is_default === true && !isDefault)
    throw policyConflict('is_default', 'an account has a default policy: make another one the default instead');
}
