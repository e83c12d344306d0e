import { ExactNumber, isRounded } from '../exact-number.js';
import { JsonPathBudgetError } from '../json-path/step-budget.js';
import { holds } from './compare.js';
import type { Facts } from './facts.js';
import { compilePattern, PatternError } from './pattern.js';
import { ruleBreach } from './rules.js';
import type { Assertion } from './schema.js';
import { shownValue } from './shown.js';

/** Reason why an assertion fails: the value found instead, the result of the search, or why it cannot be evaluated. */
export type Miss = { readonly found: unknown } | { readonly came: string } | { readonly reason: string };

// A pattern that matches a text whatever follows also matches it with each of these appended, one of them part of a
// word, the other the end of a line; `ok$` does not match a text that only starts with one ending in ok.
const continuations = ['x', '\n'];

/**
 * Reason why an assertion fails; null if it passes. An assertion that cannot be evaluated fails with its reason. Never
 * throws.
 */
export function findMiss(assertion: Assertion, facts: Facts): Miss | null {
  const breach = ruleBreach(assertion);
  if (breach !== null) return { reason: `${breach.field} ${breach.error.message}` };
  try {
    return missOf(assertion, facts);
  } catch (error) {
    if (error instanceof JsonPathBudgetError) return { reason: 'the value is too large to be compared' };
    if (error instanceof PatternError) return { reason: `the pattern ${error.message}` };
    throw error;
  }
}

function missOf(assertion: Assertion, facts: Facts): Miss | null {
  switch (assertion.type) {
    case 'status_code':
      return missOfValue(facts.statusCode, assertion, 'the response has no status');
    case 'response_time':
      return missOfValue(facts.responseMs, assertion, 'it was not measured');
    case 'ssl_days_remaining':
      return missOfDays(facts, assertion);
    case 'body_contains':
      return missOfText(assertion, facts);
    case 'body_regex':
      return missOfPattern(assertion, facts);
    case 'header_value':
      return missOfHeader(assertion, facts);
    case 'json_path':
      return missOfJson(assertion, facts);
  }
}

function missOfValue(found: unknown, { op, value }: Assertion, reasonWithout: string): Miss | null {
  if (found === null) return { reason: reasonWithout };
  return holds(found, op, value) ? null : { found };
}

function missOfDays({ daysRemaining, endsFirst, secrets }: Facts, assertion: Assertion): Miss | null {
  const miss = missOfValue(daysRemaining, assertion, 'the server presented no certificate');
  if (miss === null || endsFirst === null || !('found' in miss)) return miss;
  return { came: `is ${miss.found} by the certificate of the authority ${shownValue(endsFirst, secrets)}` };
}

function missOfText({ op, value }: Assertion, { keywords }: Facts): Miss | null {
  const finding = keywords.find(({ keyword }) => keyword === value);
  if (finding === undefined) return { reason: 'the body was not searched' };
  if (finding.count === null) return { reason: finding.error ?? 'the body was not searched' };
  return finding.count > 0 === (op !== 'ne') ? null : { came: `is in the body ${finding.count} times` };
}

function missOfPattern({ op, value }: Assertion, { body, isBodyTruncated }: Facts): Miss | null {
  if (body === null) return { reason: 'the response has no text body' };
  const pattern = compilePattern(String(value));
  const isFound = isBodyTruncated ? continuations.every((more) => pattern.isIn(`${body}${more}`)) : pattern.isIn(body);
  if (!isFound && isBodyTruncated)
    return { reason: 'the body was truncated, and the text is not in the part that was read' };
  return isFound === (op !== 'ne') ? null : { came: isFound ? 'is in the body' : 'is not in the body' };
}

function missOfHeader({ op, value, name = '' }: Assertion, { headers, areHeadersTruncated }: Facts): Miss | null {
  const lowerName = name.toLowerCase();
  const text = Object.hasOwn(headers, lowerName) ? headers[lowerName] : undefined;
  if (text === undefined && areHeadersTruncated)
    return { reason: 'the response has too many headers to keep them all, and this one was not kept' };
  if (text === undefined) return { reason: 'the response has no such header' };
  const isNumeric = typeof value === 'number' && /^-?\d+(\.\d+)?$/.test(text);
  const number = isRounded(text) ? new ExactNumber(text) : Number(text);
  return holds(isNumeric ? number : text, op, value) ? null : { found: text };
}

/** Judges a JSONPath assertion, which must be true of every value that the path selects, and of at least one. */
function missOfJson({ op, value, path }: Assertion, { jsonPaths }: Facts): Miss | null {
  const finding = jsonPaths.find((one) => one.path === path);
  if (finding === undefined) return { reason: 'the body was not read as JSON' };
  if (finding.count === null) return { reason: finding.error ?? 'the body was not read as JSON' };
  const failing = finding.values.findIndex((found) => !holds(found, op, value));
  if (failing >= 0) return { found: finding.values[failing] };
  if (finding.truncated) return { reason: 'it selects more values than are kept' };
  return finding.values.length === 0 ? { reason: 'it selects nothing' } : null;
}
