import type { Assertion } from '@vantage/shared/assertions/schema.js';
import { type AddNote, EntryError } from '../entry/entry.js';
import { bodyAssertion, jsonAssertion } from './gatus-body.js';
import { anyOf, type Condition, type Operator, orders, parseCondition, patternIn } from './gatus-condition.js';
import { parseGoDuration } from './go-duration.js';

/** Settings derived from conditions; undefined or empty: no condition was about it. */
export interface Expectations {
  readonly assertions: readonly Omit<Assertion, 'severity'>[];
  readonly hasStatus: boolean;
  /** True if the check is expected to get no connection. */
  readonly isFailureWanted: boolean;
  /** Days for which a certificate must remain valid; null for any. */
  readonly certificateDays: number | null;
  /** Values that a DNS reply must contain. */
  readonly answers: readonly string[];
}

/** Kind of an endpoint, which decides what can be asserted. */
export type EndpointKind = 'http' | 'dns' | 'tls' | 'other';

type Part = Partial<Expectations> | null;

const DAY_MS = 86_400_000;

/** Reads the conditions of an endpoint; those without an equivalent are noted and left out. */
export function readConditions(texts: readonly string[], kind: EndpointKind, note: AddNote): Expectations {
  let all: Expectations = {
    assertions: [],
    hasStatus: false,
    isFailureWanted: false,
    certificateDays: null,
    answers: [],
  };
  for (const text of texts) {
    const condition = parseCondition(text);
    const part = condition === null ? null : partOf(condition, kind, note);
    if (part === null) note('conditions', `"${text}" was not imported: ${reasonWithout(condition)}`);
    else all = joined(all, part);
  }
  return all;
}

function reasonWithout(condition: Condition | null): string {
  const isOfPath = condition?.subject.startsWith('[BODY]') === true && condition.subject !== '[BODY]';
  if (!isOfPath || condition.operator !== '!=') return 'it is not supported';
  return 'a check would fail if the body has no such value, but the condition is met then';
}

function joined(all: Expectations, part: Partial<Expectations>): Expectations {
  const days = [all.certificateDays, part.certificateDays ?? null].filter((one) => one !== null);
  return {
    assertions: [...all.assertions, ...(part.assertions ?? [])],
    hasStatus: all.hasStatus || part.hasStatus === true,
    isFailureWanted: all.isFailureWanted || part.isFailureWanted === true,
    certificateDays: days.length === 0 ? null : Math.max(...days),
    answers: [...all.answers, ...(part.answers ?? [])],
  };
}

/** Assertion equivalent to a condition, or null. */
function partOf(condition: Condition, kind: EndpointKind, note: AddNote): Part {
  const { subject, operator, value } = condition;
  switch (subject) {
    case '[CONNECTED]':
      return operator === '==' && /^(true|false)$/.test(value) ? { isFailureWanted: value === 'false' } : null;
    case '[STATUS]':
      return kind === 'http' ? statusPart(condition) : null;
    case '[RESPONSE_TIME]':
      // Gatus reads a duration with a unit as milliseconds
      return orderPart('response_time', operator, parseGoDuration(value) ?? Number(value));
    case '[CERTIFICATE_EXPIRATION]':
      return certificatePart(condition, kind, note);
    case '[DNS_RCODE]':
      return kind === 'dns' ? codePart(condition) : null;
    case '[BODY]':
      return kind === 'dns' ? answersPart(condition) : wrapped(kind === 'http' ? bodyAssertion(condition) : null);
    default:
      return wrapped(kind === 'http' ? jsonAssertion(condition) : null);
  }
}

function wrapped(assertion: Omit<Assertion, 'severity'> | null): Part {
  return assertion === null ? null : { assertions: [assertion] };
}

function orderPart(type: Assertion['type'], operator: Operator, value: number): Part {
  const op = orders[operator];
  return op === undefined || !Number.isFinite(value) ? null : { assertions: [{ type, op, value }] };
}

function statusPart({ operator, value }: Condition): Part {
  const type = 'status_code';
  const codes = (anyOf(value) ?? [value]).map(Number);
  const hundreds = /^pat\(([1-9])\*\)$/.exec(value)?.[1];
  const part = (op: Assertion['op'], wanted: unknown): Part => ({
    assertions: [{ type, op, value: wanted }],
    hasStatus: true,
  });
  if (hundreds !== undefined && operator === '==') {
    const from = Number(hundreds) * 100;
    return {
      assertions: [
        { type, op: 'gte', value: from },
        { type, op: 'lt', value: from + 100 },
      ],
      hasStatus: true,
    };
  }
  if (codes.some((code) => !Number.isInteger(code))) return null;
  const [code = 0] = codes;
  if (operator === '==') return codes.length === 1 ? part('eq', code) : part('in', codes);
  if (operator === '!=') return codes.length === 1 ? part('ne', code) : part('not_in', codes);
  const op = orders[operator];
  return op === undefined || codes.length !== 1 ? null : part(op, code);
}

/** Expected response code. @throws EntryError for one that fails every check of type dns */
function codePart({ operator, value }: Condition): Part {
  const isEqual = operator === '==';
  if ((!isEqual && operator !== '!=') || patternIn(value) !== null) return null;
  const isMet = (anyOf(value) ?? [value]).includes('NOERROR') === isEqual;
  if (isMet) return isEqual ? {} : null;
  const message = 'require another response code than NOERROR, with which every check of type dns fails';
  throw new EntryError('conditions', 'not_supported', message);
}

/** Expected validity of a certificate, rounded down to whole days. */
function certificatePart({ operator, value }: Condition, kind: EndpointKind, note: AddNote): Part {
  const ms = parseGoDuration(value);
  if (ms === null || (operator !== '>' && operator !== '>=') || (kind !== 'http' && kind !== 'tls')) return null;
  const days = Math.floor(ms / DAY_MS);
  if (days * DAY_MS !== ms) note('conditions', `${value} of a certificate was changed to ${days} whole days`);
  if (kind === 'tls') return { certificateDays: days };
  return { assertions: [{ type: 'ssl_days_remaining', op: 'gte', value: days }] };
}

function answersPart({ operator, value }: Condition): Part {
  const isPlain = operator === '==' && patternIn(value) === null && anyOf(value) === null;
  return isPlain && value !== '' ? { answers: [value] } : null;
}
