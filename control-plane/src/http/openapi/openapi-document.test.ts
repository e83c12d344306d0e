import SwaggerParser from '@apidevtools/swagger-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import { monitorTypeNames } from '@vantage/shared/monitor-types/index.js';
import { probeTypeNames, probeTypes } from '@vantage/shared/probe-types/index.js';
import t from 'tap';
import { OpenApiSchemas } from '../../../test/_support/openapi-schemas.js';
import { apiTags, apiWebhooks, routes } from '../../wiring/modules.js';
import { openApiDocument } from './reference.js';
import { tagPages } from './reference-html.js';

// biome-ignore lint/suspicious/noExplicitAny: a document is looked into, not typed
type Part = any;

const document: Part = JSON.parse(
  JSON.stringify(openApiDocument(routes, { publicUrl: 'https://vantage.example', version: '1.2.3', tags: apiTags })),
);
const schemas = new OpenApiSchemas(document);

/** Resolves a reference such as `#/components/responses/Failed`, with the place it refers to. */
function resolve(part: Part, place: readonly string[]): { part: Part; place: readonly string[] } {
  if (part.$ref === undefined) return { part, place };
  const names: string[] = part.$ref.slice(2).split('/');
  return { part: names.reduce((parent, name) => parent[name], document), place: names };
}

/** Every operation with its place in the document. */
const operations = Object.entries<Part>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Part>(methods).map(([method, operation]) => ({ operation, place: ['paths', path, method] })),
);

/** The media types of requests and answers, each once. */
const contents = new Map<string, { readonly content: Part; readonly place: readonly string[] }>();
for (const { operation, place } of operations) {
  const parts = Object.keys(operation.responses).map((status) => ({
    ...resolve(operation.responses[status], [...place, 'responses', status]),
  }));
  if (operation.requestBody) parts.push({ part: operation.requestBody, place: [...place, 'requestBody'] });
  for (const { part, place: found } of parts) {
    for (const type of Object.keys(part.content ?? {})) {
      const at = [...found, 'content', type];
      contents.set(at.join(' '), { content: part.content[type], place: at });
    }
  }
}

t.test('the document of the API is valid OpenAPI 3.1 by two validators', async (t) => {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  t.ok(valid, JSON.stringify(errors));
  await t.resolves(SwaggerParser.validate(structuredClone(document)));
});

t.test('every body of a request, of a success and of an error has an example that its schema allows', async (t) => {
  t.ok(contents.size > operations.length);
  const complaints: string[] = [];
  for (const [name, { content, place }] of contents) {
    const values =
      content.examples === undefined
        ? [content.example]
        : Object.values<Part>(content.examples).map((example) => resolve(example, []).part.value);
    for (const value of values) {
      const complaint = value === undefined ? 'no example' : schemas.complaintAbout(value, [...place, 'schema']);
      if (complaint !== null) complaints.push(`${name}: ${complaint}`);
    }
  }
  t.strictSame(complaints, []);
});

t.test('every example of a parameter and of a header is one', async (t) => {
  for (const [name, header] of Object.entries<Part>(document.components.headers)) {
    t.equal(schemas.complaintAbout(header.example, ['components', 'headers', name, 'schema']), null, name);
  }
  const complaints: string[] = [];
  for (const { operation, place } of operations) {
    for (const [index, listed] of Object.entries<Part>(operation.parameters)) {
      const { part: parameter, place: found } = resolve(listed, [...place, 'parameters', index]);
      if (parameter.example === undefined) continue;
      const complaint = schemas.complaintAbout(parameter.example, [...found, 'schema']);
      if (complaint !== null) complaints.push(`${operation.operationId} ${parameter.name}: ${complaint}`);
    }
  }
  t.strictSame(complaints, []);
});

const bodyOf = (path: string, method: string) => {
  const { schema } = document.paths[path][method].requestBody.content['application/json'];
  return resolve(schema, []).part;
};

t.test('an update of a monitor documents the settings of each type, as its creation does', async (t) => {
  const created = bodyOf('/v1/monitors', 'post').anyOf.map((body: Part) => resolve(body, []).part.properties);
  const types = created.map(({ type }: Part) => type.enum[0]);
  t.strictSame(types, [...monitorTypeNames, 'heartbeat']);
  const { config } = bodyOf('/v1/monitors/{id}', 'patch').properties;
  t.strictSame(
    resolve(config, []).part.anyOf,
    created.map(({ config }: Part) => config),
  );
});

t.test('a probe documents the parameters of its type', async (t) => {
  for (const type of probeTypeNames) {
    const { params } = bodyOf(`/v1/probe/${type}`, 'post').properties;
    t.strictSame(Object.keys(params.properties), Object.keys(probeTypes[type].Params.properties), type);
  }
});

t.test('every operation has a tag with a sentence, a description and an id of its own', async (t) => {
  const tags = new Map(document.tags.map(({ name, description }: Part) => [name, description]));
  for (const { operation } of operations) {
    t.match(tags.get(operation.tags[0]), /^[A-Z].*\.$/, operation.operationId);
    t.match(operation.description, /\.$/, operation.operationId);
  }
  t.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, operations.length);
});

t.test('every response has an X-Request-Id, and every 401, 429 and 503 the headers of its status', async (t) => {
  const needed: Readonly<Record<string, string>> = {
    401: 'WWW-Authenticate',
    429: 'Retry-After',
    503: 'Retry-After',
  };
  const lacking = operations.flatMap(({ operation }) =>
    Object.keys(operation.responses).flatMap((status) => {
      const { headers } = resolve(operation.responses[status], []).part;
      const names = ['X-Request-Id', needed[status]].filter((name) => name !== undefined);
      return names.filter((name) => !headers[name]).map((name) => `${operation.operationId} ${status} ${name}`);
    }),
  );
  t.strictSame(lacking, []);
});

t.test('the reference has every operation and event once, and every link within a page has its target', async (t) => {
  const options = { publicUrl: 'https://vantage.example', version: '1.2.3', tags: apiTags, webhooks: apiWebhooks };
  const pages = [...tagPages(openApiDocument(routes, options))].map(([, { content }]) => content.markup);
  const ids = pages.flatMap((page) => [...page.matchAll(/<section class="operation" id="(\w+)"/g)].map(([, id]) => id));
  t.strictSame(ids.length, operations.length + apiWebhooks.length);
  t.equal(new Set(ids).size, ids.length);
  for (const page of pages) {
    const links = new Set([...page.matchAll(/href="#(\w+)"/g)].map(([, id]) => id));
    t.strictSame(
      [...links].filter((id) => !page.includes(`id="${id}"`)),
      [],
    );
    t.notMatch(page, /undefined|\[object/);
  }
});
