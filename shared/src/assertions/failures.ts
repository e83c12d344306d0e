import { findMiss, type Miss } from './evaluate.js';
import type { Facts } from './facts.js';
import type { Assertion, Severity } from './schema.js';
import { cutText, shownValue } from './shown.js';

/** An expectation that a check did not meet. */
export interface Failure {
  readonly severity: Severity;
  /** The found value, then the expected one; safe to store and to show. */
  readonly text: string;
}

/** Failures a message names at most. */
const MAX_NAMED = 5;
/** Characters of a message at most. */
export const MAX_MESSAGE_LENGTH = 500;
/** Characters of the path or name that say what an assertion is about. */
const MAX_SUBJECT_LENGTH = 60;

/** Every assertion that does not hold. Never throws. */
export function findFailures(assertions: readonly Assertion[], facts: Facts): Failure[] {
  return assertions.flatMap((assertion) => {
    const miss = findMiss(assertion, facts);
    if (miss === null) return [];
    const expected = `${assertion.op} ${shownValue(assertion.value, facts.secrets)}`;
    return failureOf({ subject: subjectOf(assertion), severity: assertion.severity, expected }, miss, facts.secrets);
  });
}

/** The failure of anything that can be reported like an assertion. */
export function failureOf(
  { subject, severity, expected }: { readonly subject: string; readonly severity: Severity; readonly expected: string },
  miss: Miss,
  secrets: readonly string[],
): Failure {
  return { severity, text: cutText(`${subject} ${clauseOf(miss, secrets)}, expected ${expected}`, MAX_MESSAGE_LENGTH) };
}

function clauseOf(miss: Miss, secrets: readonly string[]): string {
  if ('found' in miss) return `is ${shownValue(miss.found, secrets)}`;
  return 'came' in miss ? miss.came : `cannot be judged: ${miss.reason}`;
}

function subjectOf({ type, path, name }: Assertion): string {
  const which = type === 'json_path' ? path : type === 'header_value' ? name : undefined;
  return which === undefined ? type : `${type} ${cutText(which, MAX_SUBJECT_LENGTH)}`;
}

/** Up to five failures in one message of at most 500 characters; long ones are cut so that each has its share. */
export function describeFailures(failures: readonly Failure[]): string {
  const named = failures.slice(0, MAX_NAMED).map(({ text }) => text);
  const end = failures.length > MAX_NAMED ? `; and ${failures.length - MAX_NAMED} more` : '';
  const room = MAX_MESSAGE_LENGTH - end.length - 2 * (named.length - 1);
  let share = room;
  while (named.reduce((sum, { length }) => sum + Math.min(length, share), 0) > room) share -= 1;
  return named.map((text) => cutText(text, share)).join('; ') + end;
}
