import type { IncomingMessage } from 'node:http';
import { isStorableText } from '@vantage/shared/text.js';
import { compileCoercingSchema, compileSchema, type FieldErrors, type Validation } from '@vantage/shared/validation.js';
import { type TSchema, Type } from 'typebox';
import { ApiError } from '../errors.js';
import type { AnyRoute } from '../route.js';
import { checkJsonHeaders } from './body.js';
import { parseJsonBody } from './json.js';

/** Request before validation. */
export interface RawInput {
  /** Path segments of the parameters, percent-encoded, left to right. */
  readonly segments: readonly string[];
  /** Query without its question mark. */
  readonly search: string;
  /** Null if the operation takes no body. */
  readonly body: Buffer | null;
  readonly request: IncomingMessage;
}

/** Validated input of a handler. */
export interface Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** @throws ApiError REQUEST_BODY_INVALID, or VALIDATION_FAILED with every complaint about every field */
export type InputParser = (raw: RawInput) => Input;

const NoFields = Type.Object({}, { additionalProperties: false });

type Check = (value: unknown) => Validation<unknown>;
const acceptAnything: Check = (value) => ({ ok: true, value });

/** Compiles the schemas of an operation once. @throws RangeError when path and parameter schema disagree */
export function compileInput(route: AnyRoute): InputParser {
  const names = parameterNames(route);
  const declared = route.query === undefined ? null : parameterKinds(route.query, route);
  const checkParams = route.params === undefined ? acceptAnything : compileCoercingSchema(route.params);
  const checkQuery = route.query === undefined ? acceptAnything : compileCoercingSchema(route.query);
  const checkBody = compileSchema(route.body ?? NoFields);
  return ({ segments, search, body, request }) => {
    // an operation without a body accepts no field either: an ignored field could have been meant to prevent the
    // operation
    const isNone = body === null || (route.body === undefined && body.length === 0);
    const isLeftOut = body?.length === 0 && isBodyOptional(route);
    const json = isNone ? undefined : isLeftOut ? {} : readJson(request, body);
    const params = checked(readParams(names, segments), checkParams);
    const query = checked(declared === null ? {} : readQuery(search, declared), checkQuery);
    const checkedBody = isNone ? acceptAnything(json) : checkBody(json);
    if (params.ok && query.ok && checkedBody.ok) {
      return { params: params.value, query: query.value, body: checkedBody.value };
    }
    throw new ApiError('VALIDATION_FAILED', {
      details: { ...complaints(params), ...complaints(query), ...complaints(checkedBody) },
    });
  };
}

/**
 * True if a missing body counts as an empty one: if a POST requires no field of it, and for DELETE, which rarely has a body
 * (RFC 9110 section 9.3.5).
 */
export function isBodyOptional({ method, body, documentedBody = body }: AnyRoute): boolean {
  if (method === 'DELETE') return true;
  if (method !== 'POST' || !Type.IsObject(documentedBody)) return false;
  const { properties, required = [] } = documentedBody;
  return required.every((name) => 'default' in Object(properties[name]));
}

/** Names of the parameters in a path, left to right: `/v1/nodes/{id}` has `id`. */
export function pathParameterNames(path: string): string[] {
  return [...path.matchAll(/\{\+?([a-z_]+)\}/g)].map((match) => match[1] as string);
}

function parameterNames(route: AnyRoute): readonly string[] {
  const names = pathParameterNames(route.path);
  const declared = route.params === undefined ? [] : propertyNames(route.params, route);
  if (names.toSorted().join() !== declared.toSorted().join()) {
    throw new RangeError(
      `route "${route.operationId}" has parameters "${names}" in its path, "${declared}" in its schema`,
    );
  }
  return names;
}

function propertyNames(schema: TSchema, route: AnyRoute): string[] {
  if ('properties' in schema && typeof schema.properties === 'object' && schema.properties !== null) {
    return Object.keys(schema.properties);
  }
  throw new RangeError(`parameters of route "${route.operationId}" must be one object schema`);
}

/** True for each query parameter that is a list, by name. */
function parameterKinds(schema: TSchema, route: AnyRoute): Map<string, boolean> {
  const { properties } = schema as { properties?: Record<string, { type?: unknown }> };
  return new Map(propertyNames(schema, route).map((name) => [name, properties?.[name]?.type === 'array']));
}

function readJson(request: IncomingMessage, body: Buffer): unknown {
  checkJsonHeaders(request, body);
  return parseJsonBody(body);
}

function readParams(names: readonly string[], segments: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [index, name] of names.entries()) params[name] = decodeSegment(segments[index] ?? '');
  return params;
}

/** Decodes a segment. One that is not percent-encoded UTF-8 stays as it is: no schema of a parameter accepts a `%`. */
function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Declared parameters of a query. A repeated parameter becomes an array, which only the schema of a list accepts. */
function readQuery(search: string, declared: ReadonlyMap<string, boolean>): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  if (search === '') return query;
  for (const [name, value] of new URLSearchParams(search)) {
    const isList = declared.get(name);
    if (isList === undefined) continue;
    const earlier = query[name];
    if (Array.isArray(earlier)) earlier.push(value);
    else if (earlier === undefined) query[name] = isList ? [value] : value;
    else query[name] = [earlier, value];
  }
  return query;
}

function checked(value: Record<string, string | string[]>, check: Check): Validation<unknown> {
  const bad = Object.entries(value).find(([, text]) => !isStorableText(String(text)));
  if (bad === undefined) return check(value);
  return { ok: false, details: { [bad[0]]: [{ code: 'format', message: 'must not contain U+0000' }] } };
}

function complaints(validation: Validation<unknown>): FieldErrors {
  return validation.ok ? {} : validation.details;
}
