import { locales } from './locale.js';
import type { JsonObject } from './openapi-components.js';

const REQUEST_ID = 'req_18SYTTcbKQoEwxPfLoJ5nK';

/** Response headers of the document's components, each under its own name. */
export const headerComponents = {
  'X-Request-Id': {
    description: 'Id of the request: the one that was sent, if its form allows, else a fresh one.',
    schema: { type: 'string' },
    example: REQUEST_ID,
  },
  'X-RateLimit-Limit': {
    description: 'Requests the caller may make in one window. The three headers are there where a limit holds.',
    schema: { type: 'integer', minimum: 0 },
    example: 60,
  },
  'X-RateLimit-Remaining': {
    description: 'What is left of them.',
    schema: { type: 'integer', minimum: 0 },
    example: 59,
  },
  'X-RateLimit-Reset': {
    description: 'When the window ends and all of them are there again.',
    schema: { type: 'string', format: 'date-time' },
    example: '2026-01-31T12:01:00.000Z',
  },
  'Retry-After': {
    description: 'Whole seconds to wait before trying again.',
    schema: { type: 'integer', minimum: 1 },
    example: 30,
  },
  ETag: {
    description: 'Names this very content: send it back in If-None-Match.',
    schema: { type: 'string' },
    example: 'W/"9Yd2WfXl0Xb1x0hLJm1nVgQ7pRk"',
  },
  'Idempotent-Replayed': {
    description: 'There when this is the answer of an earlier request with the same Idempotency-Key.',
    schema: { const: 'true' },
    example: 'true',
  },
  'Content-Language': {
    description: 'The language of the messages.',
    schema: { type: 'string', enum: [...locales] },
    example: 'en',
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750).',
    schema: { const: 'Bearer' },
    example: 'Bearer',
  },
  Allow: {
    description: 'The methods this path has.',
    schema: { type: 'string' },
    example: 'GET, HEAD, OPTIONS',
  },
} as const satisfies JsonObject;

export type HeaderName = keyof typeof headerComponents;

/** The headers of a limit (API specification 7). */
export const rateLimitHeaders = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const;

/** `headers` of a response, by reference; every response has an X-Request-Id. */
export function headerReferences(names: readonly HeaderName[]): JsonObject {
  const all: HeaderName[] = ['X-Request-Id', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/**
 * Request headers of the document's components, by the name of the component. They have no examples: the interactive
 * reference would send them.
 */
export const parameterComponents = {
  AcceptLanguage: {
    name: 'Accept-Language',
    in: 'header',
    description: `Language of messages: ${locales.join(', ')}, whichever is preferred; en when none is.`,
    schema: { type: 'string' },
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'An id of your own for this request, repeated in the answer and in the logs.',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_.-]{8,128}$' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A name of your own for this request, 1 to 255 visible ASCII characters. Sent again with the same body within 24 hours it gets the first answer again, with another body 409.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of an earlier answer: 304 without a body says that it still holds.',
    schema: { type: 'string' },
  },
} as const satisfies JsonObject;

export type ParameterName = keyof typeof parameterComponents;

/** A request header of the components, by reference. */
export function parameterReference(name: ParameterName): JsonObject {
  return { $ref: `#/components/parameters/${name}` };
}
