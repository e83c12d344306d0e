import SwaggerParser from '@apidevtools/swagger-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import t from 'tap';
import { Type } from 'typebox';
import { aRoute, thingRoutes } from '../../../test/_support/http-routes.js';
import { buildOpenApi } from './openapi.js';
import { referenceRoutes } from './reference.js';

const tags = { Things: 'All about things.', Tests: 'For tests.', Unused: 'Nothing is here.' };
const options = { publicUrl: 'https://vantage.example', version: '1.2.3', tags };
const stream = aRoute('/v1/stream', { replyKind: 'events', replies: { 200: Type.Object({ step: Type.Integer() }) } });

// biome-ignore lint/suspicious/noExplicitAny: a document is looked into, not typed
const documentOf = (routes: Parameters<typeof buildOpenApi>[0]): any =>
  JSON.parse(JSON.stringify(buildOpenApi(routes, options)));
const operationOf = (overrides: Parameters<typeof aRoute>[1]) => {
  const { paths, components } = documentOf([aRoute('/v1/it', overrides)]);
  return { ...(paths['/v1/it'].get ?? paths['/v1/it'].post), components };
};

t.test('the document of any routes is valid OpenAPI 3.1 by two validators', async (t) => {
  const document = documentOf([...thingRoutes(), stream, aRoute('/v1/list', { isConditional: true })]);
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  t.ok(valid, JSON.stringify(errors));
  await t.resolves(SwaggerParser.validate(structuredClone(document)));
});

t.test('an operation shows its parameters, body, example and headers', async (t) => {
  const { paths, servers, info } = documentOf(thingRoutes());
  t.match(servers, [{ url: 'https://vantage.example' }]);
  t.equal(info.version, '1.2.3');
  const get = paths['/v1/things/{id}'].get;
  const named = get.parameters.filter((parameter: { name?: string }) => parameter.name !== undefined);
  t.strictSame(
    named.map(({ name, in: place, required }: Record<string, unknown>) => [name, place, required]),
    [
      ['id', 'path', true],
      ['wait', 'query', false],
      ['page', 'query', false],
      ['tags', 'query', false],
    ],
  );
  t.match(get.parameters, [{}, {}, {}, {}, { $ref: /AcceptLanguage/ }, { $ref: /RequestId/ }]);
  const post = paths['/v1/own-things'].post;
  t.match(post.parameters, [{ $ref: /IdempotencyKey/ }, { $ref: /AcceptLanguage/ }, { $ref: /RequestId/ }]);
  t.strictSame(post.requestBody.content['application/json'].example, { name: 'a thing' });
  t.strictSame(post.requestBody.content['application/json'].schema.required, ['name'], 'no default');
});

t.test('an operation names the kinds of credentials that fit it, each alone', async (t) => {
  const securityOf = (auth: Parameters<typeof aRoute>[1]['auth']) => operationOf({ auth }).security;
  t.strictSame(securityOf({ kind: 'none' }), []);
  t.strictSame(securityOf({ kind: 'public' }), [{}, { accessToken: [] }, { personalAccessToken: [] }, { apiKey: [] }]);
  t.strictSame(securityOf({ kind: 'scope', scope: 'probe' }), [
    { accessToken: ['probe'] },
    { personalAccessToken: ['probe'] },
    { apiKey: ['probe'] },
  ]);
  t.strictSame(securityOf({ kind: 'scope', scope: 'account' }), [
    { accessToken: ['account'] },
    { personalAccessToken: ['account'] },
  ]);
  t.strictSame(securityOf({ kind: 'admin' }), [{ accessToken: ['admin'] }, { personalAccessToken: ['admin'] }]);
  t.strictSame(securityOf({ kind: 'session' }), [{ accessToken: [] }]);
  t.strictSame(Object.keys(operationOf({}).components.securitySchemes), [
    'accessToken',
    'personalAccessToken',
    'apiKey',
  ]);
});

t.test('a description ends with the access, limits and repetition of the definition', async (t) => {
  const post = { method: 'POST', description: 'First.' } as const;
  const scoped = operationOf({ ...post, auth: { kind: 'scope', scope: 'account' } });
  t.match(
    scoped.description,
    /^First\.\n\nRequires an access token, or a personal access token with the scope `account`/,
  );
  t.match(
    scoped.description,
    /must be verified\. Counts against the requests per minute of your plan\. Supports `Idemp/,
  );
  const query = Type.Object({ wait: Type.Optional(Type.Integer()), page: Type.Optional(Type.Integer()) });
  const limit = (search: string) => (search.includes('wait=') ? 'poll' : 'standard');
  t.match(
    operationOf({ query, limit }).description,
    /of your plan, with `wait` against 600 waiting requests per minute, or 2 times the requests per minute of your plan if that is more\.$/,
  );
  t.match(
    operationOf({ limit: 'none', isConditional: true }).description,
    /no limit\. Supports conditional requests with `If-None-Match`\./,
  );
});

t.test('replies are shown in the envelope, with their headers and an example', async (t) => {
  const { paths } = documentOf(thingRoutes());
  const created = paths['/v1/own-things'].post.responses['201'];
  const { schema, example } = created.content['application/json'];
  t.strictSame(schema.required, ['data', 'request_id', 'meta']);
  t.match(schema.properties.data.properties, { name: { type: 'string' }, count: { type: 'integer' } });
  t.strictSame(example.data, { name: 'name', count: 1 });
  t.match(example.meta, { request_id: example.request_id, rate_limit: { limit: 60 } });
  t.strictSame(Object.keys(created.headers), [
    'X-Request-Id',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'Idempotent-Replayed',
  ]);
  const { responses } = operationOf({ isConditional: true, limit: 'none', replyExample: { own: true } });
  t.strictSame(Object.keys(responses['200'].headers), ['X-Request-Id', 'ETag']);
  t.strictSame(responses['200'].content['application/json'].example.data, { own: true });
  t.ok(responses['304'] && !responses['304'].content);
});

t.test('errors stand by status with their codes, each response written once', async (t) => {
  const { paths, components } = documentOf(thingRoutes());
  const { responses } = paths['/v1/own-things'].post;
  t.equal(Object.keys(responses).join(' '), '201 400 401 403 408 409 413 422 429 500 503');
  const shared = (status: string) => components.responses[responses[status].$ref.split('/').at(-1)];
  const codesOf = (response: { content: Record<string, { schema: { allOf: [unknown, object] } }> }) =>
    // biome-ignore lint/suspicious/noExplicitAny: as above
    (response.content['application/json'] as any).schema.allOf[1].properties.error.properties.code.enum;
  t.strictSame(codesOf(shared('400')), ['VALIDATION_FAILED', 'REQUEST_BODY_INVALID']);
  t.strictSame(codesOf(shared('409')), ['CONFLICT']);
  t.strictSame(codesOf(shared('422')), ['VALIDATION_FAILED']);
  t.ok(codesOf(shared('401')).includes('AUTH_REQUIRED'));
  t.notOk(codesOf(components.responses.CredentialsRefused).includes('AUTH_REQUIRED'), 'not where nobody must sign in');
  t.ok(shared('401').headers['WWW-Authenticate']);
  t.ok(shared('429').headers['Retry-After'] && shared('503').headers['Retry-After']);
  t.ok(shared('422').headers['Idempotent-Replayed'], 'a refusal is kept for its key');
  t.notOk(shared('400').headers['Idempotent-Replayed'], 'what the frame refuses is not');
  t.ok(components.responses.MethodNotAllowed.headers.Allow);
  t.match(shared('422').description, '[`VALIDATION_FAILED`](https://vantage.example/docs/errors/VALIDATION_FAILED)');
});

t.test('every error has an example in each language, with the address of its page', async (t) => {
  const { components, paths } = documentOf(thingRoutes());
  t.strictSame(paths['/v1/things/{id}'].get.responses['404'], { $ref: '#/components/responses/NodeNotFound' });
  const examples = components.responses.NodeNotFound.content['application/json'].examples;
  t.strictSame(Object.keys(examples), ['NODE_NOT_FOUND.en', 'NODE_NOT_FOUND.zh-CN', 'NODE_NOT_FOUND.zh-TW']);
  t.match(components.examples['NODE_NOT_FOUND.zh-TW'].value.error, {
    code: 'NODE_NOT_FOUND',
    message: '節點不存在。',
    doc_url: 'https://vantage.example/docs/errors/NODE_NOT_FOUND',
  });
});

t.test('a stream is shown as text/event-stream with the schema of its data', async (t) => {
  const { responses } = documentOf([stream]).paths['/v1/stream'].get;
  const { schema, example } = responses['200'].content['text/event-stream'];
  t.match(schema, { type: 'string', contentSchema: { properties: { step: { type: 'integer' } } } });
  t.equal(example, 'data: {"step":1}\n\n');
});

t.test('a schema with a title is written once and referred to', async (t) => {
  const Node = Type.Object({ id: Type.String() }, { title: 'Node' });
  const list = aRoute('/v1/nodes', { replies: { 200: Type.Object({ items: Type.Array(Node) }) } });
  const one = aRoute('/v1/node', { replies: { 200: Node } });
  const { components, paths } = documentOf([list, one]);
  t.match(components.schemas.Node, { title: 'Node', properties: { id: { type: 'string' } } });
  const data = (path: string) => paths[path].get.responses['200'].content['application/json'].schema.properties.data;
  t.strictSame(data('/v1/node'), { $ref: '#/components/schemas/Node' });
  t.strictSame(data('/v1/nodes').properties.items.items, { $ref: '#/components/schemas/Node' });
  const other = aRoute('/v1/other', { replies: { 200: Type.Object({}, { title: 'Node' }) } });
  t.throws(() => buildOpenApi([one, other], options), { name: 'RangeError', message: '"Node"' });
});

t.test('a parameter that operations share is written once, the most frequent form of its name', async (t) => {
  const q = (description: string) => Type.Object({ page_size: Type.Optional(Type.Integer({ description })) });
  const listing = (path: string, text: string) => aRoute(path, { query: q(text), operationId: path.slice(4) });
  const paths = ['/v1/a', '/v1/b', '/v1/c'].map((path) => listing(path, 'Many.'));
  const others = [listing('/v1/d', 'Few.'), listing('/v1/e', 'Few.')];
  const { paths: found, components } = documentOf([...paths, ...others]);
  t.strictSame(found['/v1/c'].get.parameters[0], { $ref: '#/components/parameters/PageSize' });
  t.match(components.parameters.PageSize, { name: 'page_size', in: 'query', description: 'Many.' });
  t.match(found['/v1/e'].get.parameters[0], { name: 'page_size', description: 'Few.' });
});

t.test('undocumented routes are left out, as are tags nothing has', async (t) => {
  const hidden = aRoute('/healthz', { isDocumented: false, tag: 'Health' });
  t.strictSame(documentOf([hidden]).paths, {});
  t.strictSame(documentOf([stream, hidden]).tags, [{ name: 'Tests', description: 'For tests.' }]);
});

t.test('an unknown tag and two operations of one id keep the server from starting', async (t) => {
  const strange = aRoute('/v1/strange', { tag: 'Probs' });
  t.throws(() => referenceRoutes([strange], options), { name: 'RangeError', message: '"Probs"' });
  const twice = [stream, { ...stream, path: '/v1/again' }];
  t.throws(() => referenceRoutes(twice, options), { name: 'RangeError', message: 'two operations' });
});
