import { isUtf8 } from 'node:buffer';
import { ApiError } from '../../../http/errors.js';
import { bodyError, type JsonLimits, parseJsonBody, refuseHarmful } from '../../../http/json.js';
import type { YamlReader } from './yaml-reader.js';

/** Bytes of a file of monitors at most. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024;

const MAX_DEPTH = 32;
const MAX_VALUES = 400_000;
/** Characters of one text: more than any field of a monitor may have. What formats do with texts takes time and room. */
export const MAX_TEXT = 65_536;
/** Of all texts, aliases written out. */
const MAX_TEXTS = 4 * MAX_FILE_BYTES;
const jsonLimits: JsonLimits = { depth: MAX_DEPTH, keys: MAX_VALUES, members: MAX_VALUES };
const yamlLimits = { depth: MAX_DEPTH, values: MAX_VALUES, texts: MAX_TEXTS, aliases: 10_000 };

/**
 * The value that a file of JSON or YAML holds.
 * @throws ApiError REQUEST_BODY_INVALID naming line and column, VALIDATION_FAILED for text that cannot be stored
 */
export async function readFile(bytes: Buffer, yaml: YamlReader): Promise<unknown> {
  if (bytes.length > MAX_FILE_BYTES) throw bodyError(`must not be larger than ${MAX_FILE_BYTES} bytes`, 'length');
  if (!isUtf8(bytes)) throw bodyError('must be UTF-8');
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  if (/^\s*[{[]/.test(text)) {
    const json = readJson(bytes);
    if (json !== undefined) return withoutLongText(json);
  }
  // JSON is YAML too: what is wrong with it is found there with its place
  const reply = await yaml.read(text, yamlLimits);
  if ('mistake' in reply) throw mistakeAt(reply.mistake);
  refuseHarmful(reply.value);
  return withoutLongText(reply.value);
}

/** @throws ApiError REQUEST_BODY_INVALID */
function withoutLongText(file: unknown): unknown {
  const waiting = [file];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string' && value.length > MAX_TEXT)
      throw bodyError(`must not have a text of more than ${MAX_TEXT} characters`, 'length');
    if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) waiting.push(part);
  }
  return file;
}

/** Undefined: it is no well-formed JSON. */
function readJson(bytes: Buffer): unknown {
  try {
    return parseJsonBody(bytes, jsonLimits);
  } catch (error) {
    if (error instanceof ApiError && error.cause instanceof SyntaxError) return undefined;
    throw error;
  }
}

function mistakeAt({ message, line, column }: { message: string; line: number | null; column: number | null }) {
  const place = line === null ? '' : `line ${line}, column ${column}: `;
  return bodyError(`cannot be read as JSON or YAML: ${place}${message}`);
}
