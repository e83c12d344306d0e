import t, { type Test } from 'tap';
import { Type } from 'typebox';
import { aRoute } from '../../../test/_support/http-routes.js';
import { startTestServer } from '../../../test/_support/http-server.js';
import { ApiError, fieldError } from '../errors.js';
import type { AnyRoute } from '../route.js';
import { compileRoute } from './compiled-route.js';

const Thing = Type.Object(
  { name: Type.String(), count: Type.Integer({ default: 1 }) },
  { additionalProperties: false },
);

/** The answer of a route with these parts, in short, and the message that shows a developer what is wrong. */
async function answerOf(t: Test, overrides: Partial<AnyRoute>, isStrict = true) {
  const { url, log } = await startTestServer(t, [aRoute('/v1/route', { replies: { 200: Thing }, ...overrides })], {
    isStrict,
  });
  const response = await fetch(`${url}/v1/route`);
  const body = response.status < 400 ? null : ((await response.json()) as { error: { details?: unknown } });
  const failure = log.find(({ level }) => level === 'error');
  return { status: response.status, details: JSON.stringify(body?.error.details ?? null), failure };
}

const wrong: readonly { readonly name: string; readonly says: RegExp; readonly overrides: Partial<AnyRoute> }[] = [
  {
    name: 'a field that is not declared',
    says: /colour/,
    overrides: { handle: async () => ({ status: 200, data: { name: 'x', count: 1, colour: 'red' } }) },
  },
  { name: 'a missing field', says: /name/, overrides: { handle: async () => ({ status: 200, data: { count: 1 } }) } },
  {
    name: 'a missing field that has a default',
    says: /default/,
    overrides: { handle: async () => ({ status: 200, data: { name: 'x' } }) },
  },
  {
    name: 'a status that is not declared',
    says: /status 202/,
    overrides: { handle: async () => ({ status: 202, data: { name: 'x', count: 1 } }) },
  },
  {
    name: 'a reply of another kind',
    says: /kind raw/,
    overrides: { handle: async () => ({ status: 200, raw: { contentType: 'text/plain', body: 'x' } }) },
  },
  {
    name: 'raw JSON that is not as declared',
    says: /name/,
    overrides: {
      replyKind: 'raw',
      handle: async () => ({ status: 200, raw: { contentType: 'application/json', body: '{}' } }),
    },
  },
  {
    name: 'an error code that is not declared',
    says: /409 CONFLICT/,
    overrides: { handle: () => Promise.reject(new ApiError('CONFLICT')) },
  },
  {
    name: 'a declared code with a status that is not',
    says: /422 VALIDATION_FAILED/,
    overrides: { handle: () => Promise.reject(new ApiError('VALIDATION_FAILED', { status: 422 })) },
  },
  {
    name: 'a message for people without translations',
    says: /must be nicer than this/,
    overrides: {
      errors: ['VALIDATION_FAILED'],
      handle: () => Promise.reject(fieldError('name', 'format', 'must be nicer than this')),
    },
  },
  {
    name: 'a 429 whose headers would say nothing of the limit',
    says: /429 RATE_LIMIT_EXCEEDED without an allowance/,
    overrides: { handle: () => Promise.reject(new ApiError('RATE_LIMIT_EXCEEDED')) },
  },
];

t.test('in tests a reply or error that a route does not declare is a 500 that says what is wrong', async (t) => {
  for (const { name, says, overrides } of wrong) {
    const { status, details, failure } = await answerOf(t, overrides);
    t.equal(status, 500, name);
    t.match(details, says, name);
    t.match(failure, { err: { message: says } }, name);
  }
});

t.test('what is declared passes', async (t) => {
  const declared = { handle: async () => ({ status: 200, data: { name: 'x', count: 1 } }) };
  t.equal((await answerOf(t, declared)).status, 200);
  const conflict = { errors: ['CONFLICT'] as const, handle: () => Promise.reject(new ApiError('CONFLICT')) };
  t.equal((await answerOf(t, conflict)).status, 409);
});

t.test('in production the caller gets the reply of the handler', async (t) => {
  for (const { name, overrides } of wrong) {
    const { status, failure } = await answerOf(t, overrides, false);
    t.not(status, 500, name);
    t.equal(failure, undefined, name);
  }
});

t.test('a definition that contradicts itself is refused when it is compiled', async (t) => {
  const Id = Type.Object({ id: Type.String() });
  const compile = (overrides: Partial<AnyRoute>) => () => compileRoute(aRoute('/v1/x', overrides), true);
  t.throws(compile({ path: '/v1/{id}' }), { name: 'RangeError' }, 'a parameter without a schema');
  t.throws(compile({ params: Id }), { name: 'RangeError' }, 'a schema without a parameter');
  t.throws(compile({ path: '/v1/{name}', params: Id }), { name: 'RangeError' }, 'different names');
  t.throws(compile({ query: Type.String() }), { name: 'RangeError' }, 'a query that is no object');
  t.throws(compile({ method: 'POST', body: Id, bodyExample: { id: 1 } }), { name: 'RangeError' }, 'a bad example');
  t.throws(compile({ replies: { 200: Id }, replyExample: { id: 1 } }), { name: 'RangeError' }, 'a bad reply example');
  t.doesNotThrow(compile({ replies: { 200: Id, 202: Type.Null() }, replyExample: { id: 'x' } }));
  t.doesNotThrow(compile({ path: '/v1/{id}', params: Id, method: 'POST', body: Id, bodyExample: { id: 'x' } }));
});
