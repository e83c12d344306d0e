import parse, { type JsonPathQuery } from 'jsonpath-rfc9535/parser';
import { quoted } from '../target-policy/target-error.js';

export type { JsonPathQuery };

/** A text that is no JSONPath, or one that asks for more than we evaluate. */
export class JsonPathError extends Error {
  override readonly name = 'JsonPathError';
}

/**
 * A JSONPath query (RFC 9535) as the tree that `evaluateJsonPath` walks. Function extensions (section 2.4) are refused:
 * `match` and `search` run expressions of strangers.
 * @throws JsonPathError
 */
export function parseJsonPath(text: string): JsonPathQuery {
  const query = parseTree(text);
  if (contains(query, isFunction)) throw new JsonPathError('functions are not supported in a JSONPath');
  if (contains(query, isRoundedLiteral))
    throw new JsonPathError('a number of a JSONPath is between -9007199254740991 and 9007199254740991');
  if (contains(query, isBeyondIntegers)) throw new JsonPathError('an index of a JSONPath is at most 9007199254740991');
  return query;
}

function parseTree(text: string): JsonPathQuery {
  try {
    return parse(text);
  } catch (error) {
    throw new JsonPathError(`${quoted(text)} is not a JSONPath (RFC 9535)`, { cause: error });
  }
}

function contains(tree: unknown, isIt: (node: object) => boolean): boolean {
  if (typeof tree !== 'object' || tree === null) return false;
  return isIt(tree) || Object.values(tree).some((child) => contains(child, isIt));
}

function isFunction(node: object): boolean {
  return 'type' in node && node.type === 'FunctionExpr';
}

/** Number that a filter compares; beyond these integers it may be another one than what was written. */
function isRoundedLiteral(node: object): boolean {
  if (!('type' in node) || node.type !== 'Literal' || !('value' in node)) return false;
  return typeof node.value === 'number' && !(Math.abs(node.value) <= Number.MAX_SAFE_INTEGER);
}

/** Indexes are integers that every JSON library can distinguish (RFC 9535 section 2.1, RFC 7493). */
function isBeyondIntegers(node: object): boolean {
  if (!('type' in node) || (node.type !== 'IndexSelector' && node.type !== 'SliceSelector')) return false;
  return Object.values(node).some((value) => typeof value === 'number' && !Number.isSafeInteger(value));
}
