import type { OpenApiSchemas } from '../openapi-schemas.js';
import type { Caller } from './callers.js';
import type { ApiOperation, ApiParameter } from './operations.js';
import type { Plan } from './plan.js';
import type { RealValues } from './real-values.js';

/** A request as it is sent. */
export interface FuzzRequest {
  readonly operation: ApiOperation;
  readonly caller: Caller;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** True if the document requires that the request be refused. */
  readonly isBroken: boolean;
}

const MAX_BODY_BYTES = 32_768;
const MAX_DEPTH = 32;

/** Builds the request of a plan. */
export function makeRequest(
  plan: Plan,
  context: {
    readonly operation: ApiOperation;
    readonly caller: Caller;
    readonly real: RealValues;
    readonly schemas: OpenApiSchemas;
    /** Address that the request seems to come from. */
    readonly address: string;
  },
): FuzzRequest {
  const { operation, caller, real, schemas, address } = context;
  const params = Object.fromEntries(
    operation.params.map(({ name }) => [name, paramText(plan.params[name] ?? 0, operation, caller, real)]),
  );
  const query: Plan['query'] = real.fill(plan.query);
  const body = bodyText(plan.body, real);
  const isBroken =
    operation.params.some((param) => isWrong(param, [params[param.name] ?? ''], schemas)) ||
    operation.query.some((param) => isWrongQuery(param, query[param.name], schemas)) ||
    (operation.body !== null && isWrongBody(body ?? '', operation, schemas));
  return {
    operation,
    caller,
    target: targetOf(operation.path, params, query),
    headers: {
      'x-forwarded-for': address,
      'accept-language': plan.language,
      ...(caller.authorization === null ? {} : { authorization: caller.authorization }),
      ...(plan.idempotencyKey === null || operation.method !== 'POST'
        ? {}
        : { 'idempotency-key': plan.idempotencyKey }),
      ...(body === null ? {} : { 'content-type': 'application/json' }),
    },
    body,
    isBroken,
  };
}

function paramText(param: string | number, { path }: ApiOperation, { ids }: Caller, real: RealValues): string {
  const text = typeof param === 'number' ? real.idFor(path, param, ids) : real.fill(param);
  // an empty segment is another path, and a URL treats dots as steps
  return /^\.*$/.test(text) ? 'x' : text;
}

function bodyText(body: Plan['body'], real: RealValues): string | null {
  if (body === null) return null;
  return 'text' in body ? body.text : JSON.stringify(real.fill(body.value));
}

function targetOf(path: string, params: Record<string, string>, query: Plan['query']): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(wellFormed(params[name] ?? '')));
  const pairs = Object.entries(query).flatMap(([name, texts]) =>
    texts.map((text): [string, string] => [name, wellFormed(text)]),
  );
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs)}`;
}

/** True if the text contains half of a surrogate pair, which cannot be written into a URL. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}

function isWrongQuery(param: ApiParameter, texts: readonly string[] | undefined, schemas: OpenApiSchemas): boolean {
  if (texts === undefined || texts.length === 0) return param.isRequired;
  return isWrong(param, texts, schemas);
}

/** True if no reading of the texts fits the parameter; false in doubt. */
function isWrong({ schema, place }: ApiParameter, texts: readonly string[], schemas: OpenApiSchemas): boolean {
  if (schema.anyOf !== undefined || schema.$ref !== undefined) return false;
  const values = texts.map((text) => read(text, schema.type === 'array' ? schema.items.type : schema.type));
  if (values.includes(undefined)) return true;
  return schemas.complaintAbout(schema.type === 'array' ? values : values[0], place) !== null;
}

function read(text: string, type: string): unknown {
  switch (type) {
    case 'integer':
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
    case 'boolean':
      return { true: true, false: false }[text];
    default:
      return text;
  }
}

function isWrongBody(text: string, { body }: ApiOperation, schemas: OpenApiSchemas): boolean {
  if (text === '' && body?.isOptional === true) return false;
  const isFile = body?.isFile ?? false;
  // no body sent here is too large for a file
  if (Buffer.byteLength(text) > MAX_BODY_BYTES && !isFile) return true;
  try {
    const value: unknown = JSON.parse(text);
    return depthOf(value) > MAX_DEPTH || schemas.complaintAbout(value, body?.place ?? []) !== null;
  } catch {
    return !isFile;
  }
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
