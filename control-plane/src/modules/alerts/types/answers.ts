import { judge, type OutboundResponse } from '../../../deliver/index.js';
import type { Outcome } from './channel-type.js';
import { oneLine } from './formats/characters.js';
import { cut } from './formats/cut.js';

const MAX_WORDS = 400;

/** Outcome that a code of a vendor stands for. `afterMs`: delay that the vendor documents for it. */
export type Meaning =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'retry'; readonly afterMs: number | null }
  | { readonly kind: 'refused'; readonly of: 'message' | 'recipient' | 'channel' };

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** Body of a response as a JSON object; null if it is none, or is longer than what was read. */
export function jsonOf({ body, isComplete }: OutboundResponse): Json | null {
  if (!isComplete) return null;
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** An object inside of another one; empty if there is none. */
export function objectAt(json: Json, key: string): Json {
  const value = json[key];
  return isObject(value) ? value : {};
}

/**
 * Outcome of a response that says nothing which its vendor documents as final: it is worth another attempt, whatever its status. A
 * proxy, a gateway or a deployment in progress may have answered in place of the vendor. `waitMs`: delay unless the response states one.
 */
export function outcomeOfStatus(response: OutboundResponse, nowMs: number, waitMs: number | null = null): Outcome {
  const verdict = judge(response.status, response.headers, nowMs);
  // a success that the vendor does not confirm in the body is no success
  return retry(response, verdict.ok ? waitMs : (verdict.retryAfterMs ?? waitMs));
}

/**
 * Outcome by the code in the body of a response with status 200. A body without a code is a failure that is worth
 * another attempt; so is a code that `meanings` does not name.
 */
export function outcomeOfCode(
  response: OutboundResponse,
  {
    nowMs,
    codeOf,
    meanings,
  }: {
    readonly nowMs: number;
    readonly codeOf: (json: Json) => unknown;
    readonly meanings: ReadonlyMap<number, Meaning>;
  },
): Outcome {
  const json = jsonOf(response);
  const code = json === null ? null : codeOf(json);
  const meaning = typeof code === 'number' ? meanings.get(code) : undefined;
  // the code says more than the status; without one the status decides
  if (response.status !== 200 && (meaning === undefined || meaning.kind === 'accepted'))
    return outcomeOfStatus(response, nowMs);
  return meaning === undefined ? retry(response, null) : outcomeOf(meaning, response);
}

function outcomeOf(meaning: Meaning, response: OutboundResponse): Outcome {
  if (meaning.kind === 'accepted') return accepted(null);
  if (meaning.kind === 'refused') return refused(meaning.of, response);
  const outcome = retry(response, meaning.afterMs);
  return meaning.afterMs === null ? outcome : { ...outcome, isOfVendor: true };
}

/** The vendor has the message, under its own id if it gives one. */
export function accepted(providerId: string | null): Extract<Outcome, { kind: 'accepted' }> {
  return { kind: 'accepted', providerId };
}

/** The same message may be accepted later. */
export function retry(response: OutboundResponse, retryAfterMs: number | null): Extract<Outcome, { kind: 'retry' }> {
  return { kind: 'retry', error: wordsOf(response), retryAfterMs };
}

/** The vendor does not take it, now or later. */
export function refused(of: 'message' | 'recipient' | 'channel', response: OutboundResponse): Outcome {
  return { kind: 'refused', of, error: wordsOf(response) };
}

/** Codes that all have one meaning, for a table. */
export function codes(meaning: Meaning, ...numbers: readonly number[]): readonly (readonly [number, Meaning])[] {
  return numbers.map((code) => [code, meaning] as const);
}

/** The vendor's own words, secrets masked. */
function wordsOf({ status, excerpt }: OutboundResponse): string {
  const words = cut(oneLine(excerpt), MAX_WORDS);
  return words === '' ? `HTTP ${status}` : `HTTP ${status}: ${words}`;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
