import { TargetError } from '@vantage/shared/target-policy/target-error.js';
import { parseHttpUrl } from '@vantage/shared/target-policy/url.js';
import { isTimezone } from '@vantage/shared/timezone.js';
import type { Outbound } from '../../../deliver/index.js';
import { ApiError, fieldError } from '../../../http/errors.js';
import { mostPerMinute } from '../deliveries/buckets.js';
import type { ChannelType, ConfigProblem } from '../types/channel-type.js';
import { type ChannelConfig, checkConfig } from './channel-config.js';
import { channelInvalid } from './channel-refusals.js';

/** Settings of a channel that were checked. */
export interface CheckedConfig {
  readonly config: ChannelConfig;
  /** Recipients; empty for types without any. */
  readonly recipients: readonly string[];
}

/**
 * Checks settings by the schema and the rules of their type, and by the target policy.
 * @throws ApiError VALIDATION_FAILED, ALERT_CHANNEL_INVALID
 */
export function checkSettings(
  type: ChannelType,
  written: ChannelConfig,
  outbound: Pick<Outbound, 'check'>,
): CheckedConfig {
  const { missingSetting = null } = type;
  if (missingSetting !== null)
    throw channelInvalid(
      'type',
      `is not supported here: this installation has no gateway for it: set ${missingSetting}`,
      'not_supported',
    );
  const checked = checkConfig(type, written);
  if (!checked.ok) throw new ApiError('VALIDATION_FAILED', { details: checked.details });
  const { config } = checked;
  if (typeof config['url'] === 'string') checkWritten(config['url'], 'config.url');
  const problem = type.problem?.(config as never) ?? null;
  if (problem !== null) throw refusalOf(problem);
  for (const url of type.urls(config as never)) checkUrl(url, 'url' in config ? 'config.url' : 'type', outbound);
  if (type.recipients === undefined) return { config, recipients: [] };
  const recipients = [...new Set(type.recipients(config as never).map((to) => parseRecipient(type, to)))];
  return { config: { ...config, to: recipients }, recipients };
}

/** 422 for what may not be used, 400 for what is written wrong. */
function refusalOf({ field, code, message }: ConfigProblem): ApiError {
  return code === 'refused'
    ? channelInvalid(`config.${field}`, message, code)
    : fieldError(`config.${field}`, code, message);
}

function parseRecipient(type: ChannelType, to: string): string {
  if (type.parseRecipient === undefined) return to;
  try {
    return type.parseRecipient(to);
  } catch (error) {
    if (error instanceof RangeError) throw fieldError('config.to', 'format', error.message);
    throw error;
  }
}

/** Checks that a text is a URL, whichever address it names. @throws ApiError VALIDATION_FAILED */
function checkWritten(text: string, field: string): void {
  try {
    parseHttpUrl(text, field);
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    if (error.kind === 'malformed') throw fieldError(field, error.code, error.message);
  }
}

function checkUrl(url: string, field: string, outbound: Pick<Outbound, 'check'>): void {
  try {
    outbound.check(url, field);
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    throw channelInvalid(field, error.message, error.code);
  }
}

/** Checks a time zone. @throws ApiError VALIDATION_FAILED */
export function checkTimezone(timezone: string | null | undefined): void {
  if (typeof timezone === 'string' && !isTimezone(timezone))
    throw fieldError('timezone', 'format', 'must be an IANA time zone, for example Europe/Berlin');
}

/** Checks the limit of a channel, which may only be lower than that of its type. @throws ApiError VALIDATION_FAILED */
export function checkMaxPerMinute(type: ChannelType, max: number | null | undefined): void {
  const most = mostPerMinute(type.buckets);
  if (typeof max === 'number' && max > most)
    throw fieldError('max_per_minute', 'range', `must be at most ${most}, the limit of the type`);
}
