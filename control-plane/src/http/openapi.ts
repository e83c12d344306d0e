import { fieldErrorCodes } from '@vantage/shared/validation.js';
import { type TSchema, Type } from 'typebox';
import { declaredErrors } from './declared-errors.js';
import { type ErrorCode, errorTable } from './error-table.js';
import { pathParameterNames } from './input.js';
import { locales } from './locale.js';
import { type JsonObject, SchemaComponents } from './openapi-components.js';
import type { AnyRoute } from './route.js';

export interface OpenApiOptions {
  /** Where callers reach the server, without a final slash. */
  readonly publicUrl: string;
  /** Of the product. */
  readonly version: string;
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: JsonObject;
  readonly servers: readonly JsonObject[];
  readonly tags: readonly JsonObject[];
  readonly paths: Readonly<Record<string, JsonObject>>;
  readonly components: JsonObject;
}

const description = `Runs network probes from nodes on many networks.

Success bodies are \`{data, request_id, meta}\`, errors \`{error: {code, message, request_id, details?, doc_url}, request_id}\`.
Branch on codes: messages are for people and come in the language of \`Accept-Language\`. Bodies are JSON of at most
32 KiB, nested at most 32 deep, with at most 1000 keys; unknown fields are refused, unknown query parameters ignored.`;

const Meta = Type.Object(
  {
    request_id: Type.String({ description: 'Repeats the X-Request-Id header.' }),
    took_ms: Type.Integer({ minimum: 0, description: 'Milliseconds the server needed.' }),
    pagination: Type.Optional(
      Type.Object(
        { page: Type.Integer(), page_size: Type.Integer(), total: Type.Integer(), has_more: Type.Boolean() },
        { title: 'Pagination', description: 'On lists.' },
      ),
    ),
  },
  { title: 'Meta' },
);

const FieldProblem = Type.Object({ code: Type.Enum([...fieldErrorCodes], { type: 'string' }), message: Type.String() });

const ErrorBody = Type.Object(
  {
    error: Type.Object({
      code: Type.String({ description: 'Stable, for programs.' }),
      message: Type.String({ description: 'For people, in the language of Accept-Language.' }),
      request_id: Type.String(),
      details: Type.Optional(
        Type.Record(Type.String(), Type.Array(FieldProblem), { description: 'Dotted field path to what is wrong.' }),
      ),
      doc_url: Type.String({ format: 'uri' }),
    }),
    request_id: Type.String(),
  },
  { title: 'Error' },
);

const requestIdHeader: JsonObject = {
  description: 'Id of the request: the one that was sent, if its form allows, else a fresh one.',
  schema: { type: 'string' },
};

const sharedParameters: JsonObject = {
  AcceptLanguage: {
    name: 'Accept-Language',
    in: 'header',
    description: `Language of messages: ${locales.join(', ')}.`,
    schema: { type: 'string', default: 'en' },
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'An id of your own for this request, repeated in the answer and in the logs.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_.-]{8,128}$' },
  },
};

/**
 * Describes the documented ones of `routes`, from the very schemas that validate.
 * @throws RangeError for two operations of one id or two different schemas of one title
 */
export function buildOpenApi(routes: readonly AnyRoute[], { publicUrl, version }: OpenApiOptions): OpenApiDocument {
  const documented = routes.filter((route) => route.isDocumented !== false);
  refuseRepeatedIds(documented);
  const schemas = new SchemaComponents();
  schemas.refer(ErrorBody);
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of documented) {
    const operations = (paths[route.path] ??= {});
    operations[route.method.toLowerCase()] = describeOperation(route, schemas);
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Vantage', version, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: publicUrl }],
    tags: [...new Set(documented.map((route) => route.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A personal access token, API key or access token.' },
      },
      parameters: sharedParameters,
      schemas: schemas.all(),
    },
  };
}

function refuseRepeatedIds(routes: readonly AnyRoute[]): void {
  const ids = new Set<string>();
  for (const { operationId } of routes) {
    if (ids.has(operationId)) throw new RangeError(`two operations have the id "${operationId}"`);
    ids.add(operationId);
  }
}

function describeOperation(route: AnyRoute, schemas: SchemaComponents): JsonObject {
  return {
    operationId: route.operationId,
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [route.tag],
    security: securityOf(route),
    parameters: parametersOf(route, schemas),
    ...(route.body === undefined ? {} : { requestBody: requestBodyOf(route, schemas) }),
    responses: { ...successResponses(route, schemas), ...errorResponses(route) },
  };
}

/** Scopes stand as the roles a bearer token needs (OpenAPI 3.1, security requirement object). */
function securityOf({ auth }: AnyRoute): JsonObject[] {
  switch (auth.kind) {
    case 'none':
      return [];
    case 'public':
      return [{}, { bearer: auth.scope === undefined ? [] : [auth.scope] }];
    case 'scope':
      return [{ bearer: [auth.scope] }];
    case 'admin':
      return [{ bearer: ['admin'] }];
  }
}

function parametersOf(route: AnyRoute, schemas: SchemaComponents): JsonObject[] {
  const inPath = pathParameterNames(route.path).map((name) => ({
    name,
    in: 'path',
    required: true,
    ...describeParameter(route.params.properties[name], schemas),
  }));
  const query = route.query?.properties ?? {};
  const required: readonly string[] = route.query?.required ?? [];
  const inQuery = Object.keys(query).map((name) => ({
    name,
    in: 'query',
    // what has a default need not be sent
    required: required.includes(name) && !('default' in query[name]),
    ...describeParameter(query[name], schemas),
  }));
  const shared = Object.keys(sharedParameters).map((name) => ({ $ref: `#/components/parameters/${name}` }));
  return [...inPath, ...inQuery, ...shared];
}

function describeParameter(schema: TSchema, schemas: SchemaComponents): JsonObject {
  const { description: text, ...rest } = schemas.refer(schema);
  return { ...(typeof text === 'string' ? { description: text } : {}), schema: rest };
}

function requestBodyOf(route: AnyRoute, schemas: SchemaComponents): JsonObject {
  const example = route.bodyExample === undefined ? {} : { example: JSON.parse(JSON.stringify(route.bodyExample)) };
  return { required: true, content: { 'application/json': { schema: schemas.refer(route.body), ...example } } };
}

function successResponses(route: AnyRoute, schemas: SchemaComponents): JsonObject {
  const responses = Object.entries(route.replies).map(([status, schema]) => [
    status,
    {
      description: status === '304' ? 'Not changed since the ETag that was sent.' : route.summary,
      headers: { 'X-Request-Id': requestIdHeader },
      ...(status === '304' ? {} : { content: contentOf(route, schema as TSchema, schemas) }),
    },
  ]);
  return Object.fromEntries(responses);
}

function contentOf(route: AnyRoute, schema: TSchema, schemas: SchemaComponents): JsonObject {
  const data = schemas.refer(schema);
  switch (route.replyKind ?? 'envelope') {
    case 'envelope':
      return { 'application/json': { schema: envelopeOf(data, schemas) } };
    case 'raw':
      return { 'application/json': { schema: data } };
    case 'html':
      return { 'text/html': { schema: { type: 'string' } } };
    case 'text':
      return { 'text/plain': { schema: { type: 'string' } } };
    case 'events': {
      const text = 'Server-Sent Events; the data of each is JSON of the given schema.';
      const events = { type: 'string', description: text, contentMediaType: 'application/json', contentSchema: data };
      return { 'text/event-stream': { schema: events } };
    }
  }
}

function envelopeOf(data: JsonObject, schemas: SchemaComponents): JsonObject {
  return {
    type: 'object',
    required: ['data', 'request_id', 'meta'],
    properties: { data, request_id: { type: 'string' }, meta: schemas.refer(Meta) },
  };
}

function errorResponses(route: AnyRoute): JsonObject {
  const byStatus = [...declaredErrors(route)].toSorted(([a], [b]) => a - b);
  return Object.fromEntries(byStatus.map(([status, codes]) => [String(status), errorResponse(status, [...codes])]));
}

function errorResponse(status: number, codes: readonly ErrorCode[]): JsonObject {
  const retryAfter = { description: 'Seconds to wait before trying again.', schema: { type: 'integer' } };
  const mayRetry = status === 429 || status === 503;
  return {
    description: codes.map((code) => `- \`${code}\`: ${errorTable[code].messages.en}`).join('\n'),
    headers: { 'X-Request-Id': requestIdHeader, ...(mayRetry ? { 'Retry-After': retryAfter } : {}) },
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Error' },
            { properties: { error: { properties: { code: { enum: [...codes] } } } } },
          ],
        },
      },
    },
  };
}
