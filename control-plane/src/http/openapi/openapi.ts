import type { AnyRoute } from '../route.js';
import { securitySchemes } from './openapi-access.js';
import { type JsonObject, SchemaComponents } from './openapi-components.js';
import { ErrorComponents } from './openapi-errors.js';
import { headerComponents, parameterComponents } from './openapi-headers.js';
import { describeOperation } from './openapi-operation.js';
import { overview } from './openapi-overview.js';
import { type DocumentedWebhook, describeWebhooks } from './openapi-webhooks.js';
import { shareParameters } from './shared-parameters.js';

export interface OpenApiOptions {
  /** Address where callers reach the server, without a final slash. */
  readonly publicUrl: string;
  /** Version of the product. */
  readonly version: string;
  /** Groups of operations, in this order, with a sentence for each. */
  readonly tags: Readonly<Record<string, string>>;
  /** Requests that the service sends to addresses of its users; default: none. */
  readonly webhooks?: readonly DocumentedWebhook[];
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: JsonObject;
  readonly servers: readonly JsonObject[];
  readonly tags: readonly JsonObject[];
  readonly paths: Readonly<Record<string, JsonObject>>;
  readonly webhooks: JsonObject;
  readonly components: JsonObject;
  readonly externalDocs: JsonObject;
}

/** Group of the operation that serves the document itself. */
const ownTag = { Reference: 'The description of this API.' };

/**
 * Describes the documented operations of `routes`, from the same schemas that validate.
 * @throws RangeError for everything checkDocumented refuses, for two different schemas with one title, and for a schema
 * that has no example and from which none can be generated
 */
export function buildOpenApi(routes: readonly AnyRoute[], options: OpenApiOptions): OpenApiDocument {
  const steps = openApiSteps(routes, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The same, an operation at a time. */
export function* openApiSteps(
  routes: readonly AnyRoute[],
  options: OpenApiOptions,
): Generator<undefined, OpenApiDocument, undefined> {
  const { publicUrl } = options;
  const tags = { ...options.tags, ...ownTag };
  const documented = checkDocumented(routes, tags);
  const schemas = new SchemaComponents();
  const errors = new ErrorComponents(schemas, publicUrl);
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of documented) {
    const operations = (paths[route.path] ??= {});
    operations[route.method.toLowerCase()] = describeOperation(route, { schemas, errors });
    yield;
  }
  const shared = shareParameters(paths);
  yield;
  const webhooks = describeWebhooks(options.webhooks ?? [], schemas);
  return {
    openapi: '3.1.0',
    info: infoOf(options),
    externalDocs: { description: 'Getting started with curl', url: `${publicUrl}/docs/guide` },
    servers: [{ url: publicUrl, description: 'This installation' }],
    tags: Object.entries(tags)
      .filter(([name]) => documented.some(({ tag }) => tag === name))
      .map(([name, description]) => ({ name, description })),
    paths: shared.paths,
    webhooks,
    components: {
      securitySchemes,
      parameters: { ...parameterComponents, ...shared.parameters },
      headers: headerComponents,
      responses: errors.responses(),
      examples: errors.examples(),
      schemas: schemas.all(),
    },
  };
}

/** Documented operations of `routes`. @throws RangeError for two operations with one id, and for an unknown tag */
export function checkDocumented(
  routes: readonly AnyRoute[],
  tags: Readonly<Record<string, string>>,
): readonly AnyRoute[] {
  const documented = routes.filter((route) => route.isDocumented !== false);
  const ids = new Set<string>();
  for (const { operationId, tag } of documented) {
    if (ids.has(operationId)) throw new RangeError(`two operations have the id "${operationId}"`);
    ids.add(operationId);
    if (!Object.hasOwn({ ...tags, ...ownTag }, tag))
      throw new RangeError(`operation "${operationId}" has the unknown tag "${tag}"`);
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
