import { Validator } from '@seriousme/openapi-schema-validator';
import t from 'tap';
import { Type } from 'typebox';
import { aRoute, thingRoutes } from '../../test/_support/http-routes.js';
import { buildOpenApi } from './openapi.js';
import { openApiDocument } from './reference.js';

const options = { publicUrl: 'https://vantage.example', version: '1.2.3' };
const stream = aRoute('/v1/stream', { replyKind: 'events', replies: { 200: Type.Object({ step: Type.Integer() }) } });

// biome-ignore lint/suspicious/noExplicitAny: a document is looked into, not typed
const documentOf = (routes: Parameters<typeof buildOpenApi>[0]): any =>
  JSON.parse(JSON.stringify(buildOpenApi(routes, options)));

t.test('the document of real routes is valid OpenAPI 3.1', async (t) => {
  const document = openApiDocument([...thingRoutes(), stream], options);
  const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)));
  t.ok(valid, JSON.stringify(errors));
  t.ok(document.paths['/v1/openapi.json'], 'it describes itself');
});

t.test('an operation shows its parameters, body, example and credentials', async (t) => {
  const { paths, servers, info } = documentOf(thingRoutes());
  t.strictSame(servers, [{ url: 'https://vantage.example' }]);
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
  t.strictSame(get.security, [{}, { bearer: [] }]);
  const post = paths['/v1/own-things'].post;
  t.strictSame(post.security, [{ bearer: ['probe'] }]);
  t.strictSame(post.requestBody.content['application/json'].example, { name: 'a thing' });
  t.strictSame(post.requestBody.content['application/json'].schema.required, ['name', 'count']);
});

t.test('replies are shown in the envelope, errors by status with their codes', async (t) => {
  const { responses } = documentOf(thingRoutes()).paths['/v1/own-things'].post;
  t.strictSame(Object.keys(responses), ['201', '400', '401', '403', '408', '409', '413', '422', '500', '503']);
  const created = responses['201'].content['application/json'].schema;
  t.strictSame(created.required, ['data', 'request_id', 'meta']);
  t.match(created.properties.data.properties, { name: { type: 'string' }, count: { type: 'integer' } });
  const codes = (status: string) =>
    responses[status].content['application/json'].schema.allOf[1].properties.error.properties.code.enum;
  t.strictSame(codes('400'), ['VALIDATION_FAILED', 'REQUEST_BODY_INVALID']);
  t.strictSame(codes('409'), ['CONFLICT']);
  t.ok(codes('401').includes('AUTH_REQUIRED'));
  t.ok(responses['503'].headers['Retry-After']);
});

t.test('a stream is shown as text/event-stream with the schema of its data', async (t) => {
  const { responses } = documentOf([stream]).paths['/v1/stream'].get;
  const { schema } = responses['200'].content['text/event-stream'];
  t.match(schema, { type: 'string', contentSchema: { properties: { step: { type: 'integer' } } } });
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

t.test('undocumented routes are left out, two operations of one id refused', async (t) => {
  const hidden = aRoute('/healthz', { isDocumented: false });
  t.strictSame(documentOf([hidden]).paths, {});
  t.throws(() => buildOpenApi([stream, { ...stream, path: '/v1/again' }], options), { name: 'RangeError' });
});
