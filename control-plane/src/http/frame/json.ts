import { isUtf8 } from 'node:buffer';
import { findRoundedNumber } from '@vantage/shared/exact-number.js';
import { findUnstorableText } from '@vantage/shared/text.js';
import type { FieldErrors } from '@vantage/shared/validation.js';
import { ApiError, fieldError } from '../errors.js';
import { faultInWords, findJsonFault } from './json-fault.js';

/** Objects and arrays inside one another, at most. */
export const MAX_JSON_DEPTH = 32;
/** Keys of all objects together, at most. */
export const MAX_JSON_KEYS = 1000;
/** Members of all objects and entries of all arrays together, at most: each one may be a complaint. */
export const MAX_JSON_MEMBERS = 2000;

/** Limits of JSON text. */
export interface JsonLimits {
  readonly depth: number;
  readonly keys: number;
  readonly members: number;
}

const bodyLimits: JsonLimits = { depth: MAX_JSON_DEPTH, keys: MAX_JSON_KEYS, members: MAX_JSON_MEMBERS };

/**
 * Parses a request body. A number that JavaScript would round is refused. Size and nesting are judged on the bytes, before a single object exists.
 * @throws ApiError REQUEST_BODY_INVALID for what is no JSON or too large a shape, VALIDATION_FAILED for text that cannot
 * be stored and for `__proto__` keys
 */
export function parseJsonBody(bytes: Buffer, limits: JsonLimits = bodyLimits): unknown {
  if (!isUtf8(bytes)) throw bodyError('must be UTF-8');
  const complaint = judgeShape(bytes, limits);
  if (complaint !== null) throw bodyError(complaint);
  const text = bytes.toString('utf8');
  const value = parseText(text);
  refuseRoundedNumber(text);
  // UTF-8 contains no lone surrogate, and JSON text no raw NUL: both can only occur as \u escapes
  if (text.includes('\\u') || text.includes('__proto__')) refuseHarmful(value);
  return value;
}

/** @throws ApiError VALIDATION_FAILED for text that cannot be stored and for `__proto__` keys, in whatever was read */
export function refuseHarmful(value: unknown): void {
  refuseUnstorableText(value);
  refuseProtoKey(value, '');
}

/** 400 about the body as a whole. */
export function bodyError(message: string, code: FieldErrors[string][number]['code'] = 'format'): ApiError {
  return new ApiError('REQUEST_BODY_INVALID', { details: { body: [{ code, message }] } });
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `must be well-formed JSON: ${faultInWords(findJsonFault(text))}`;
    throw new ApiError('REQUEST_BODY_INVALID', { details: { body: [{ code: 'format', message }] }, cause });
  }
}

/** A number that would be another one: a caller that compares or counts with it has to learn so. @throws ApiError REQUEST_BODY_INVALID */
function refuseRoundedNumber(text: string): void {
  const number = findRoundedNumber(text);
  if (number === null) return;
  const shown = number.length > MAX_SHOWN ? `${number.slice(0, MAX_SHOWN)}…` : number;
  throw bodyError(
    `must not have the number ${shown}, which would be rounded: send it as a string, or with fewer digits`,
  );
}

const MAX_SHOWN = 40;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Complaint about the nesting or the number of keys of JSON text; null if it is within the limits. Outside strings, every
 * key has one colon.
 */
function judgeShape(bytes: Uint8Array, limits: JsonLimits): string | null {
  let depth = 0;
  let keys = 0;
  let commas = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString) {
      if (byte === BACKSLASH) at++;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      if (++depth > limits.depth) return `must not be nested deeper than ${limits.depth}`;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
    else if (byte === COMMA && ++commas >= limits.members) return `must not have more than ${limits.members} members`;
    else if (byte === COLON && ++keys > limits.keys) return `must not have more than ${limits.keys} keys`;
  }
  return null;
}

function refuseUnstorableText(value: unknown): void {
  const path = findUnstorableText(value);
  if (path !== null) throw fieldError(path, 'format', 'must not contain U+0000 or an unpaired surrogate');
}

/** Key that is never a field, even if a schema accepts any key: code that copies it would change a prototype. */
function refuseProtoKey(value: unknown, path: string): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    const childPath = path === '' ? key : `${path}.${key}`;
    if (key === '__proto__') throw fieldError(childPath, 'unknown', 'is not a known field of any object');
    refuseProtoKey(child, childPath);
  }
}
