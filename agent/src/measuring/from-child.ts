import { checkOutcomes } from '@vantage/shared/monitor-state/node-reducer.js';
import { MAX_DETAILS_BYTES } from '@vantage/shared/monitor-types/check-details.js';
import { MAX_RESULT_BYTES } from '@vantage/shared/protocol/limits.js';
import type { FromChild } from './child-messages.js';

// The measuring child reads data from arbitrary servers, so it is the part of an agent that can be compromised. The
// main process, which has the link and the spool, does not trust it: an invalid message ends the child.

const MAX_MESSAGES = 10_000;
const MAX_ID = 256;
const MAX_CAPABILITIES = 32;
/** Characters of a log line. */
const MAX_TEXT = 4_000;

/** The messages in what a child sent; null when any of it is none that a child sends. */
export function readFromChild(batch: unknown): FromChild[] | null {
  if (!Array.isArray(batch) || batch.length > MAX_MESSAGES) return null;
  const messages = batch.map(readMessage);
  return messages.every((message) => message !== null) ? messages : null;
}

type Fields = Readonly<Record<string, unknown>>;

/** Copies what is known of a message: a field beyond that goes no further. */
const readers: { readonly [K in FromChild['kind']]: (fields: Fields) => Extract<FromChild, { kind: K }> | null } = {
  ready: ({ capabilities }) => {
    if (!Array.isArray(capabilities) || capabilities.length > MAX_CAPABILITIES) return null;
    return capabilities.every((one) => typeof one === 'string' && /^[a-z0-9_]{1,32}$/.test(one))
      ? { kind: 'ready', capabilities: [...capabilities] }
      : null;
  },
  opened: () => ({ kind: 'opened' }),
  grown: ({ rssBytes }) => (isAmount(rssBytes) ? { kind: 'grown', rssBytes } : null),
  'lists-refused': ({ message }) => (isText(message) ? { kind: 'lists-refused', message: cut(message) } : null),
  fault: ({ type, message }) =>
    isText(type) && isText(message) ? { kind: 'fault', type: cut(type), message: cut(message) } : null,
  result: ({ id, resultJson, loopLagMs }) =>
    isId(id) && isJsonWithin(resultJson, MAX_RESULT_BYTES) && isAmount(loopLagMs)
      ? { kind: 'result', id, resultJson, loopLagMs }
      : null,
  checked: ({ id, judgment, detailsJson, startedAt, loopLagMs, isDisturbed }) => {
    const judged = readJudgment(judgment);
    const isMeasured = startedAt === null || isAmount(startedAt);
    const hasDetails = detailsJson === null || isJsonWithin(detailsJson, MAX_DETAILS_BYTES);
    if (!isId(id) || judged === null || !isMeasured || !hasDetails) return null;
    if (!isAmount(loopLagMs) || typeof isDisturbed !== 'boolean') return null;
    return { kind: 'checked', id, judgment: judged, detailsJson, startedAt, loopLagMs, isDisturbed };
  },
};

function readMessage(message: unknown): FromChild | null {
  if (!isObject(message)) return null;
  const { kind } = message;
  return typeof kind === 'string' && Object.hasOwn(readers, kind) ? readers[kind as FromChild['kind']](message) : null;
}

type Judgment = Extract<FromChild, { kind: 'checked' }>['judgment'];

function readJudgment(value: unknown): Judgment | null {
  if (!isObject(value)) return null;
  const { outcome, responseMs, statusCode, error } = value;
  if (!checkOutcomes.some((known) => known === outcome)) return null;
  if (!isAmountOrNull(responseMs) || !isAmountOrNull(statusCode)) return null;
  if (statusCode !== null && !Number.isInteger(statusCode)) return null;
  if ((error === null) !== (outcome === 'ok')) return null;
  if (error === null) return { outcome, responseMs, statusCode, error } as Judgment;
  if (!isObject(error)) return null;
  const { code, message } = error;
  if (!isText(code) || code.length > 64 || !isText(message) || message.length > 1_000) return null;
  return { outcome, responseMs, statusCode, error: { code, message } } as Judgment;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isId(value: unknown): value is string {
  return isText(value) && value.length <= MAX_ID;
}

/** True if the text is short enough to travel; the control plane parses it. */
function isJsonWithin(value: unknown, bytes: number): value is string {
  return isText(value) && value.length <= bytes && Buffer.byteLength(value) <= bytes;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isAmountOrNull(value: unknown): value is number | null {
  return value === null || isAmount(value);
}

function cut(text: string): string {
  return text.slice(0, MAX_TEXT);
}
