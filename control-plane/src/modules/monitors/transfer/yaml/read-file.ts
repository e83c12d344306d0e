import { isUtf8 } from 'node:buffer';
import { ApiError } from '../../../../http/errors.js';
import { bodyError, type JsonLimits, parseJsonBody, refuseHarmful } from '../../../../http/frame/json.js';
import { readYaml } from './read-yaml.js';
import { YamlMistake } from './yaml-limits.js';

/** Greatest size of a file of monitors, in bytes. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024;

const MAX_DEPTH = 32;
const MAX_VALUES = 400_000;
/** Greatest length of a text, above that of any field of a monitor: processing of texts takes time and memory. */
export const MAX_TEXT = 65_536;
/** Greatest number of characters in all texts, with aliases expanded. */
const MAX_TEXTS = 4 * MAX_FILE_BYTES;
/** Greatest number of blanks before JSON; a file with more is read as YAML. */
const MAX_BLANKS = 1_024;
const jsonLimits: JsonLimits = { depth: MAX_DEPTH, keys: MAX_VALUES, members: MAX_VALUES };
const yamlLimits = { depth: MAX_DEPTH, values: MAX_VALUES, texts: MAX_TEXTS, anchors: 10_000 };

/**
 * Value in a file of JSON or YAML.
 * @throws ApiError REQUEST_BODY_INVALID with line and column, VALIDATION_FAILED for text that cannot be stored
 */
export function readFile(bytes: Buffer): unknown {
  // JSON is YAML too: the YAML parser reports errors with their position
  return readJsonFile(bytes) ?? readYamlFile(withoutMark(bytes));
}

/** Value in a file of JSON; undefined if it is not well-formed JSON. @throws ApiError as readFile */
export function readJsonFile(bytes: Buffer): unknown {
  if (bytes.length > MAX_FILE_BYTES) throw bodyError(`must be at most ${MAX_FILE_BYTES} bytes`, 'length');
  if (!isUtf8(bytes)) throw bodyError('must be UTF-8');
  const text = withoutMark(bytes);
  // the body of anything else is not parsed to find that out
  if (!/^\s*[{[]/.test(text.toString('latin1', 0, MAX_BLANKS))) return undefined;
  try {
    return withoutLongText(parseJsonBody(text, jsonLimits));
  } catch (error) {
    if (error instanceof ApiError && error.cause instanceof SyntaxError) return undefined;
    throw error;
  }
}

function readYamlFile(bytes: Buffer): unknown {
  try {
    const value = readYaml(bytes.toString('utf8'), yamlLimits);
    refuseHarmful(value);
    return withoutLongText(value);
  } catch (error) {
    if (error instanceof YamlMistake) throw unreadable(error.message);
    throw error;
  }
}

/** Text without the byte order mark. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;
}

/** Error for a file that is neither JSON nor YAML, or too large. */
export function unreadable(why: string): ApiError {
  return bodyError(`cannot be read as JSON or YAML: ${why}`);
}

/** @throws ApiError REQUEST_BODY_INVALID */
function withoutLongText(file: unknown): unknown {
  const waiting = [file];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string' && value.length > MAX_TEXT)
      throw bodyError(`must not contain a string of more than ${MAX_TEXT} characters`, 'length');
    if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) waiting.push(part);
  }
  return file;
}
