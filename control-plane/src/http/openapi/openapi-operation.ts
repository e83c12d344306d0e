import type { TSchema } from 'typebox';
import { isBodyOptional, pathParameterNames } from '../frame/input.js';
import type { AnyRoute, FileBody } from '../route.js';
import { securityOf } from './openapi-access.js';
import type { Json, JsonObject, SchemaComponents } from './openapi-components.js';
import type { ErrorComponents } from './openapi-errors.js';
import { type ParameterName, parameterReference } from './openapi-headers.js';
import { hasEtag, operationNotes } from './openapi-notes.js';
import { successResponses } from './openapi-replies.js';
import { schemaExample } from './schema-example.js';

/** Parts of a document that several operations share. */
export interface DocumentParts {
  readonly schemas: SchemaComponents;
  readonly errors: ErrorComponents;
}

/** The operation object of a route (OpenAPI 3.1, section 4.8.10). */
export function describeOperation(route: AnyRoute, { schemas, errors }: DocumentParts): JsonObject {
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: [route.description, operationNotes(route)].filter((text) => text !== undefined).join('\n\n'),
    tags: [route.tag],
    security: securityOf(route),
    parameters: parametersOf(route, schemas),
    ...(route.body === undefined ? {} : { requestBody: requestBodyOf(route, schemas) }),
    ...(route.rawBody === undefined ? {} : { requestBody: rawBodyOf(route.rawBody) }),
    ...(route.file === undefined ? {} : { requestBody: fileBodyOf(route.file) }),
    responses: { ...successResponses(route, schemas), ...errors.responsesOf(route) },
  };
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
    // a field with a default need not be sent
    required: required.includes(name) && !('default' in query[name]),
    ...describeParameter(query[name], schemas),
  }));
  return [...inPath, ...inQuery, ...requestHeadersOf(route).map(parameterReference)];
}

function requestHeadersOf(route: AnyRoute): ParameterName[] {
  return [
    ...(route.method === 'POST' ? (['IdempotencyKey'] as const) : []),
    ...(hasEtag(route) ? (['IfNoneMatch'] as const) : []),
    'AcceptLanguage',
    'RequestId',
  ];
}

function describeParameter(schema: TSchema, schemas: SchemaComponents): JsonObject {
  const { description: text, example, ...rest } = schemas.refer(schema);
  return {
    ...(typeof text === 'string' ? { description: text } : {}),
    schema: rest,
    ...(example === undefined ? {} : { example }),
  };
}

function requestBodyOf(route: AnyRoute, schemas: SchemaComponents): JsonObject {
  const { body, documentedBody = body, bodyExample, operationId } = route;
  const example =
    bodyExample === undefined ? schemaExample(body, operationId) : JSON.parse(JSON.stringify(bodyExample));
  const schema = schemas.refer(asSent(documentedBody) as JsonObject);
  return { required: !isBodyOptional(route), content: { 'application/json': { schema, example } } };
}

function rawBodyOf({ keepBytes }: NonNullable<AnyRoute['rawBody']>): JsonObject {
  const stored = keepBytes === 0 ? 'it is not stored' : `the first ${keepBytes} bytes are stored`;
  const description = `Any content, or none; ${stored}.`;
  return { required: false, description, content: { '*/*': { schema: {}, example: 'done' } } };
}

function fileBodyOf({ maxBytes, mediaTypes, description, examples }: FileBody): JsonObject {
  const json = { schema: { type: 'object' }, example: JSON.parse(JSON.stringify(examples.json)) };
  const text = { schema: { type: 'string' }, example: examples.text };
  const contents = mediaTypes.map((type) => [type, type === 'application/json' ? json : text]);
  const limit = `At most ${maxBytes / 1024 / 1024} MiB.`;
  return { required: true, description: `${description} ${limit}`, content: Object.fromEntries(contents) };
}

/** Schema of a body as callers send it: fields with a default may be omitted. */
function asSent(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(asSent);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).map(([key, value]) => [key, asSent(value as Json)]);
  const sent: JsonObject = Object.fromEntries(entries);
  const { required, properties } = sent;
  if (!Array.isArray(required) || typeof properties !== 'object' || properties === null) return sent;
  const hasDefault = (name: string) => 'default' in ((properties as JsonObject)[name] as JsonObject);
  return { ...sent, required: required.filter((name: string) => !hasDefault(name)) };
}
