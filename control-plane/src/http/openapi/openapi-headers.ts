import { locales } from '../locale.js';
import type { JsonObject } from './openapi-components.js';

const REQUEST_ID = 'req_18SYTTcbKQoEwxPfLoJ5nK';

/** Response headers of the document's components, each under its own name. */
export const headerComponents = {
  'X-Request-Id': {
    description: 'Id of the request: the one that was sent, if it is well-formed, otherwise a new one.',
    schema: { type: 'string' },
    example: REQUEST_ID,
  },
  'X-RateLimit-Limit': {
    description: 'Requests that the caller may send in one window. The three headers are present if a limit applies.',
    schema: { type: 'integer', minimum: 0 },
    example: 60,
  },
  'X-RateLimit-Remaining': {
    description: 'Requests left in this window.',
    schema: { type: 'integer', minimum: 0 },
    example: 59,
  },
  'X-RateLimit-Reset': {
    description: 'End of the window, when all requests are available again.',
    schema: { type: 'string', format: 'date-time' },
    example: '2026-01-31T12:01:00.000Z',
  },
  'X-RateLimit-Window': {
    description:
      'Length of the window in seconds. Absent where the limit has no windows, such as a number of monitors.',
    schema: { type: 'integer', minimum: 1 },
    example: 60,
  },
  'Retry-After': {
    description: 'Whole seconds to wait before the next attempt.',
    schema: { type: 'integer', minimum: 1 },
    example: 30,
  },
  ETag: {
    description: 'Identifies this version of the content: send it back in If-None-Match.',
    schema: { type: 'string' },
    example: 'W/"9Yd2WfXl0Xb1x0hLJm1nVgQ7pRk"',
  },
  'Idempotent-Replayed': {
    description: 'Present if this is the response to an earlier request with the same Idempotency-Key.',
    schema: { const: 'true' },
    example: 'true',
  },
  'Content-Language': {
    description: 'Language of the messages.',
    schema: { type: 'string', enum: [...locales] },
    example: 'en',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750).',
    schema: { const: 'Bearer' },
    example: 'Bearer',
  },
  Location: {
    description: 'Address of what was created.',
    schema: { type: 'string', format: 'uri' },
    example: 'https://vantage.example/v1/probe/tasks/pt_18SYTTcbKQoEwxPfLoJ5nK',
  },
  Allow: {
    description: 'Methods that this path supports.',
    schema: { type: 'string' },
    example: 'GET, HEAD, OPTIONS',
  },
} as const satisfies JsonObject;

export type HeaderName = keyof typeof headerComponents;

/** The headers of a limit (API specification 7). */
export const rateLimitHeaders = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const;

/** Response headers that most operations have: the reference describes them once. */
export const commonHeaders: readonly string[] = ['X-Request-Id', ...rateLimitHeaders, 'Idempotent-Replayed'];

/** `headers` of a response, by reference; every response has an X-Request-Id. */
export function headerReferences(names: readonly HeaderName[]): JsonObject {
  const all: HeaderName[] = ['X-Request-Id', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Request headers of the document's components, by the name of the component. */
export const parameterComponents = {
  AcceptLanguage: {
    name: 'Accept-Language',
    in: 'header',
    description: `Language of messages: ${locales.join(', ')}, whichever is preferred; en if none is.`,
    schema: { type: 'string' },
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Your own id for this request, repeated in the response and in the logs.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_.-]{8,128}$' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Your own name for this request, 1 to 255 visible ASCII characters. If the same key is sent again within 24 hours, the same body gets the first response again, and a different body gets 409.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'ETag of an earlier response. If the content has not changed, the response is 304 without a body.',
    schema: { type: 'string' },
  },
} as const satisfies JsonObject;

export type ParameterName = keyof typeof parameterComponents;

/** Request headers that most operations take: the reference describes them once. */
export const commonParameters: readonly string[] = [
  parameterComponents.AcceptLanguage.name,
  parameterComponents.RequestId.name,
  parameterComponents.IdempotencyKey.name,
  parameterComponents.IfNoneMatch.name,
];

/** A request header of the components, by reference. */
export function parameterReference(name: ParameterName): JsonObject {
  return { $ref: `#/components/parameters/${name}` };
}
