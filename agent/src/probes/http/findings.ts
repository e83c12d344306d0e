import { setImmediate as nextTurn } from 'node:timers/promises';
import { parseExactJson } from '@vantage/shared/exact-number.js';
import { evaluateJsonPath } from '@vantage/shared/json-path/evaluate.js';
import { parseJsonPath } from '@vantage/shared/json-path/parse.js';
import { JsonPathBudgetError, StepBudget } from '@vantage/shared/json-path/step-budget.js';
import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { jsonExcess } from './json-size.js';
import { keepValues } from './kept-values.js';
import { MAX_JSON_STEPS, MAX_READ_BYTES, PLACES_PER_TURN } from './limits.js';

type HttpResult = ProbeResults['http'];
type KeywordFinding = NonNullable<HttpResult['keywords']>[number];
type JsonFinding = NonNullable<HttpResult['json_paths']>[number];

/** The body as far as it was read, beyond what a result keeps of it. */
export interface WholeBody {
  /** Text of the body; null if its content coding was not offered. */
  readonly text: string | null;
  /** True if the body was longer than the part that is read of any body. */
  readonly isCut: boolean;
}

/** Members of a result for the findings. */
export type Findings = Pick<HttpResult, 'keywords' | 'json_paths'>;

/** True if the probe searches the body. */
export function asksOfBody({ keywords = [], json_paths: paths = [] }: ProbeSpecs['http']['params']): boolean {
  return keywords.length > 0 || paths.length > 0;
}

/** Yields to other measurements in this process. @throws the reason for which the probe was ended meanwhile */
type Pause = () => Promise<void>;

/**
 * Answers what the caller asked of the body, in the caller's order; nothing where nothing was asked. Works piecewise:
 * the loop turns at least every 20 ms, whatever a stranger's document and paths are like.
 * @throws the signal's reason
 */
export async function findInBody(
  body: WholeBody,
  { keywords = [], json_paths: paths = [] }: ProbeSpecs['http']['params'],
  signal: AbortSignal,
): Promise<Findings> {
  const pause = async () => {
    await nextTurn();
    signal.throwIfAborted();
  };
  return {
    ...(keywords.length === 0 ? {} : { keywords: await findKeywords(body, keywords, pause) }),
    ...(paths.length === 0 ? {} : { json_paths: await findPaths(body, paths, pause) }),
  };
}

async function findKeywords(body: WholeBody, keywords: readonly string[], pause: Pause): Promise<KeywordFinding[]> {
  const lowerText = body.text?.toLowerCase() ?? '';
  const found: KeywordFinding[] = [];
  for (const keyword of keywords) found.push(await findKeyword({ ...body, lowerText }, keyword, pause));
  return found;
}

async function findKeyword(
  { text, lowerText, isCut }: WholeBody & { readonly lowerText: string },
  keyword: string,
  pause: Pause,
): Promise<KeywordFinding> {
  const unknown = { count: null, count_any_case: null };
  if (text === null) return { keyword, ...unknown, error: 'the coding of the body was not offered' };
  // a keyword without a match may be in the part that was not read
  const orNull = (found: number) => (found === 0 && isCut ? null : found);
  const anyCase = orNull(await countOf(lowerText, keyword.toLowerCase(), pause));
  const count = orNull(await countOf(text, keyword, pause));
  const error = count === null ? `not in the first ${MAX_READ_BYTES} bytes` : null;
  return { keyword, count, count_any_case: anyCase, error };
}

/** Places that do not overlap. */
async function countOf(text: string, part: string, pause: Pause): Promise<number> {
  await pause();
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    count += 1;
    if (count % PLACES_PER_TURN === 0) await pause();
  }
  return count;
}

async function findPaths(body: WholeBody, paths: readonly string[], pause: Pause): Promise<JsonFinding[]> {
  const document = parseBody(body);
  const found: JsonFinding[] = [];
  for (const path of paths) {
    await pause();
    found.push(findPath(path, document));
  }
  return found;
}

function findPath(path: string, document: Document): JsonFinding {
  const nothing = { path, count: null, values: [], truncated: false };
  if ('error' in document) return { ...nothing, error: document.error };
  try {
    const found = evaluateJsonPath(parseJsonPath(path), document.value, new StepBudget(MAX_JSON_STEPS));
    return { path, count: found.length, ...keepValues(found), error: null };
  } catch (error) {
    if (error instanceof JsonPathBudgetError) return { ...nothing, error: error.message };
    throw error;
  }
}

/** A parsed body, or why it is none. */
type Document = { readonly value: unknown } | { readonly error: string };

function parseBody({ text, isCut }: WholeBody): Document {
  if (text === null) return { error: 'the coding of the body was not offered' };
  if (isCut) return { error: `the body is larger than ${MAX_READ_BYTES} bytes` };
  const excess = jsonExcess(text);
  if (excess !== null) return { error: `the body is too large to be evaluated: ${excess}` };
  try {
    return { value: parseExactJson(text) };
  } catch {
    return { error: 'the body is not JSON' };
  }
}
