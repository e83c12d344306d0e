import { apiTags } from './api-tags.js';
import { securitySchemes } from './openapi-access.js';
import { type JsonObject, SchemaComponents } from './openapi-components.js';
import { ErrorComponents } from './openapi-errors.js';
import { headerComponents, parameterComponents } from './openapi-headers.js';
import { describeOperation } from './openapi-operation.js';
import { overview } from './openapi-overview.js';
import type { AnyRoute } from './route.js';

export interface OpenApiOptions {
  /** Where callers reach the server, without a final slash. */
  readonly publicUrl: string;
  /** Of the product. */
  readonly version: string;
  /** Tags with a sentence each; default: those of the API. */
  readonly tags?: Readonly<Record<string, string>>;
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: JsonObject;
  readonly servers: readonly JsonObject[];
  readonly tags: readonly JsonObject[];
  readonly paths: Readonly<Record<string, JsonObject>>;
  readonly components: JsonObject;
  readonly externalDocs: JsonObject;
}

/**
 * Describes the documented ones of `routes`, from the very schemas that validate.
 * @throws RangeError for what checkDocumented refuses, for two different schemas of one title, and for a schema that
 * has no example and of which none can be made
 */
export function buildOpenApi(routes: readonly AnyRoute[], options: OpenApiOptions): OpenApiDocument {
  const { publicUrl, tags = apiTags } = options;
  const documented = checkDocumented(routes, tags);
  const schemas = new SchemaComponents();
  const errors = new ErrorComponents(schemas, publicUrl);
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of documented) {
    const operations = (paths[route.path] ??= {});
    operations[route.method.toLowerCase()] = describeOperation(route, { schemas, errors });
  }
  return {
    openapi: '3.1.0',
    info: infoOf(options),
    externalDocs: { description: 'Getting started with curl', url: `${publicUrl}/docs/guide` },
    servers: [{ url: publicUrl, description: 'This installation' }],
    tags: Object.entries(tags)
      .filter(([name]) => documented.some(({ tag }) => tag === name))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes,
      parameters: parameterComponents,
      headers: headerComponents,
      responses: errors.responses(),
      examples: errors.examples(),
      schemas: schemas.all(),
    },
  };
}

/** The documented ones of `routes`. @throws RangeError for two operations of one id, and for a tag that is not known */
export function checkDocumented(
  routes: readonly AnyRoute[],
  tags: Readonly<Record<string, string>> = apiTags,
): readonly AnyRoute[] {
  const documented = routes.filter((route) => route.isDocumented !== false);
  const ids = new Set<string>();
  for (const { operationId, tag } of documented) {
    if (ids.has(operationId)) throw new RangeError(`two operations have the id "${operationId}"`);
    ids.add(operationId);
    if (!Object.hasOwn(tags, tag)) throw new RangeError(`operation "${operationId}" has the unknown tag "${tag}"`);
  }
  return documented;
}

function infoOf({ publicUrl, version }: OpenApiOptions): JsonObject {
  return {
    title: 'Vantage',
    summary: 'Network diagnostics from many places at once',
    version,
    description: overview(publicUrl),
    contact: { name: 'This installation', url: publicUrl },
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  };
}
