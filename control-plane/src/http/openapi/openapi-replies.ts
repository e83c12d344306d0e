import { STATUS_CODES } from 'node:http';
import { type TSchema, Type } from 'typebox';
import { routeLimitOf } from '../rate-limit.js';
import type { AnyRoute } from '../route.js';
import type { Json, JsonObject, SchemaComponents } from './openapi-components.js';
import { type HeaderName, headerComponents, headerReferences, rateLimitHeaders } from './openapi-headers.js';
import { hasEtag } from './openapi-notes.js';
import { schemaExample } from './schema-example.js';

const PaginationSchema = Type.Object(
  {
    page: Type.Optional(Type.Integer({ description: 'Absent if the list is read by cursor.' })),
    page_size: Type.Integer(),
    total: Type.Optional(Type.Integer({ description: 'Absent if the list is read by cursor.' })),
    has_more: Type.Boolean(),
    next_cursor: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        description: 'Value of `cursor` for the next page; null on the last one.',
      }),
    ),
  },
  { additionalProperties: false, title: 'Pagination', description: 'Present on lists.' },
);

const RateLimitSchema = Type.Object(
  { limit: Type.Integer(), remaining: Type.Integer(), reset: Type.String({ format: 'date-time' }) },
  { additionalProperties: false, title: 'RateLimit', description: 'Repeats the X-RateLimit headers.' },
);

const CacheSchema = Type.Object(
  {
    hit: Type.Boolean({ description: 'True if the data was there before the request.' }),
    age_sec: Type.Integer({ minimum: 0, description: 'Age of the data, in seconds.' }),
    stale: Type.Optional(
      Type.Literal(true, { description: 'Present if newer data could not be had; absent otherwise.' }),
    ),
  },
  { additionalProperties: false, title: 'Cache', description: 'Present on lookups that have a cache.' },
);

/** NOTE: as reply.ts makes it. */
const MetaSchema = Type.Object(
  {
    request_id: Type.String({ description: 'Repeats the X-Request-Id header.' }),
    took_ms: Type.Integer({ minimum: 0, description: 'Time the server took, in milliseconds.' }),
    pagination: Type.Optional(PaginationSchema),
    cache: Type.Optional(CacheSchema),
    rate_limit: Type.Optional(RateLimitSchema),
  },
  { additionalProperties: false, title: 'Meta' },
);

/** Successful responses of a route by status: headers, schema and an example of each. */
export function successResponses(route: AnyRoute, schemas: SchemaComponents): JsonObject {
  const responses = Object.entries(route.replies as Record<string, TSchema>)
    .filter(([status]) => status !== '304')
    .map(([status, schema]) => [
      status,
      {
        description: STATUS_CODES[status] ?? route.summary,
        headers: headerReferences(headersOf(route)),
        content: contentOf(route, schema, schemas),
      },
    ]);
  const unchanged = {
    description: 'The content has not changed since the response that had this ETag.',
    headers: headerReferences(['ETag']),
  };
  return Object.fromEntries(hasEtag(route) ? [...responses, ['304', unchanged]] : responses);
}

/** Example of a success: its `data`, or the body itself if it is not enveloped. */
export function replyExample(route: AnyRoute, schema: TSchema): Json {
  const first = Object.values(route.replies as Record<string, TSchema>)[0];
  const given = schema === first ? route.replyExample : undefined;
  return given === undefined ? schemaExample(schema) : JSON.parse(JSON.stringify(given));
}

function headersOf(route: AnyRoute): HeaderName[] {
  return [
    ...(routeLimitOf(route) === 'none' ? [] : rateLimitHeaders),
    ...(hasEtag(route) ? (['ETag'] as const) : []),
    ...(route.hasLocation === true ? (['Location'] as const) : []),
    ...(route.method === 'POST' ? (['Idempotent-Replayed'] as const) : []),
  ];
}

function contentOf(route: AnyRoute, schema: TSchema, schemas: SchemaComponents): JsonObject {
  const data = schemas.refer(schema);
  const kind = route.replyKind ?? 'envelope';
  const isText = kind === 'html' || kind === 'text' || kind === 'svg';
  const example = isText ? textExample(route) : replyExample(route, schema);
  switch (kind) {
    case 'envelope':
      return { 'application/json': { schema: envelopeOf(data, schemas), example: envelopeExample(route, example) } };
    case 'raw':
      return { 'application/json': { schema: data, example } };
    case 'html':
      return { 'text/html': { schema: { type: 'string' }, example } };
    case 'text':
      return { 'text/plain': { schema: { type: 'string' }, example } };
    case 'svg':
      return { 'image/svg+xml': { schema: { type: 'string' }, example } };
    case 'file':
      return { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } };
    case 'events': {
      const description = 'Server-Sent Events; the data of each event is JSON of the given schema.';
      const events = { type: 'string', description, contentMediaType: 'application/json', contentSchema: data };
      return { 'text/event-stream': { schema: events, example: `data: ${JSON.stringify(example)}\n\n` } };
    }
  }
}

function textExample({ replyExample: given }: AnyRoute): string {
  return typeof given === 'string' ? given : 'OK';
}

function envelopeOf(data: JsonObject, schemas: SchemaComponents): JsonObject {
  return {
    type: 'object',
    required: ['data', 'request_id', 'meta'],
    additionalProperties: false,
    properties: { data, request_id: { type: 'string' }, meta: schemas.refer(MetaSchema) },
  };
}

function envelopeExample(route: AnyRoute, data: Json): JsonObject {
  const requestId = headerComponents['X-Request-Id'].example;
  const pagination = paginationExample(Object.keys(route.query?.properties ?? {}));
  const rateLimit = { limit: 60, remaining: 59, reset: headerComponents['X-RateLimit-Reset'].example };
  const meta = {
    request_id: requestId,
    took_ms: 3,
    ...(pagination === null ? {} : { pagination }),
    ...(routeLimitOf(route) === 'none' ? {} : { rate_limit: rateLimit }),
  };
  return { data, request_id: requestId, meta };
}

/** Pagination of a list, by the parameters it takes; null if it is not a list. */
function paginationExample(parameters: readonly string[]): JsonObject | null {
  if (parameters.includes('page')) return { page: 1, page_size: 20, total: 1, has_more: false };
  if (parameters.includes('cursor')) return { page_size: 20, has_more: false, next_cursor: null };
  return null;
}
