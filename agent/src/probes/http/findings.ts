import { evaluateJsonPath } from '@vantage/shared/json-path/evaluate.js';
import { parseJsonPath } from '@vantage/shared/json-path/parse.js';
import { JsonPathBudgetError, StepBudget } from '@vantage/shared/json-path/step-budget.js';
import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { keepValues } from './kept-values.js';
import { MAX_JSON_STEPS, MAX_READ_BYTES } from './limits.js';

type HttpResult = ProbeResults['http'];
type KeywordFinding = NonNullable<HttpResult['keywords']>[number];
type JsonFinding = NonNullable<HttpResult['json_paths']>[number];

/** The body as far as it was read, beyond what a result keeps of it. */
export interface WholeBody {
  /** Null: its content coding is not one that was offered. */
  readonly text: string | null;
  /** Whether there was more than is read of any body. */
  readonly isCut: boolean;
}

/** What a result says of them. */
export type Findings = Pick<HttpResult, 'keywords' | 'json_paths'>;

/** Whether there is anything to look for. */
export function asksOfBody({ keywords = [], json_paths: paths = [] }: ProbeSpecs['http']['params']): boolean {
  return keywords.length > 0 || paths.length > 0;
}

/** Answers what the caller asked of the body, in the caller's order; nothing where nothing was asked. */
export function findInBody(
  body: WholeBody,
  { keywords = [], json_paths: paths = [] }: ProbeSpecs['http']['params'],
): Findings {
  return {
    ...(keywords.length === 0 ? {} : { keywords: findKeywords(body, keywords) }),
    ...(paths.length === 0 ? {} : { json_paths: findPaths(body, paths) }),
  };
}

function findKeywords({ text, isCut }: WholeBody, keywords: readonly string[]): KeywordFinding[] {
  const unknown = { count: null, count_any_case: null };
  const lowerText = text?.toLowerCase() ?? '';
  return keywords.map((keyword) => {
    if (text === null) return { keyword, ...unknown, error: 'the coding of the body is not one that was offered' };
    const anyCase = countOf(lowerText, keyword.toLowerCase());
    // what is not there may be in the part that was not read
    if (anyCase === 0 && isCut) return { keyword, ...unknown, error: `not in the first ${MAX_READ_BYTES} bytes` };
    return { keyword, count: countOf(text, keyword), count_any_case: anyCase, error: null };
  });
}

/** Places that do not overlap. */
function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

function findPaths(body: WholeBody, paths: readonly string[]): JsonFinding[] {
  const document = parseBody(body);
  const budget = new StepBudget(MAX_JSON_STEPS);
  return paths.map((path) => {
    const nothing = { path, count: null, values: [], truncated: false };
    if ('error' in document) return { ...nothing, error: document.error };
    try {
      const found = evaluateJsonPath(parseJsonPath(path), document.value, budget);
      return { path, count: found.length, ...keepValues(found), error: null };
    } catch (error) {
      if (error instanceof JsonPathBudgetError) return { ...nothing, error: error.message };
      throw error;
    }
  });
}

function parseBody({ text, isCut }: WholeBody): { value: unknown } | { error: string } {
  if (text === null) return { error: 'the coding of the body is not one that was offered' };
  if (isCut) return { error: `the body is larger than ${MAX_READ_BYTES} bytes` };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { error: 'the body is not JSON' };
  }
}
