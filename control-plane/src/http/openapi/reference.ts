import { Type } from 'typebox';
import { laterTurn } from '../../runtime/slices.js';
import { type StaticContent, staticContent, staticReply } from '../frame/conditional-reply.js';
import { type AnyRoute, defineRoute } from '../route.js';
import { errorPageRoutes } from './error-page.js';
import { buildOpenApi, checkDocumented, type OpenApiDocument, type OpenApiOptions, openApiSteps } from './openapi.js';
import { conventionsHtml, operationList, type ReferencePage, tagPages } from './reference-html.js';
import { type ReferenceContent, referencePageRoutes } from './reference-page.js';

const DOCUMENT_PATH = '/v1/openapi.json';

/** Routes that document the API. */
export interface Reference {
  readonly routes: readonly AnyRoute[];
  /** Builds the document and its pages, so that no request waits for them. @throws RangeError as buildOpenApi */
  prepare(): Promise<unknown>;
}

/**
 * Routes that document the API: `/v1/openapi.json`, the same as pages at `/docs`, and a page for every error code. `routes` are all
 * other routes; the document describes those and itself, and is built once, when it is first wanted. `attribution`: lines that the licences of data ask for.
 * @throws RangeError as checkDocumented
 */
export function referenceRoutes(
  routes: readonly AnyRoute[],
  options: OpenApiOptions,
  attribution: readonly string[] = [],
): Reference {
  let built: Promise<BuiltDocument> | null = null;
  const prepare = () => (built ??= buildDocument(routes, options));
  const documentRoute = defineRoute({
    ...documentDefinition,
    handle: async () => staticReply((await prepare()).json),
  });
  const all = [...routes, documentRoute];
  checkDocumented(all, options.tags);
  const pages = [...referencePageRoutes(prepare, attribution), ...errorPageRoutes(all)];
  return { routes: [documentRoute, ...pages], prepare };
}

/** The document of `routes` and of the operation that serves it. @throws RangeError as buildOpenApi */
export function openApiDocument(routes: readonly AnyRoute[], options: OpenApiOptions): OpenApiDocument {
  return buildOpenApi(withDocument(routes), options);
}

function withDocument(routes: readonly AnyRoute[]): readonly AnyRoute[] {
  return [...routes, { ...documentDefinition, handle: () => Promise.reject(new Error('not served')) }];
}

/** The document as it is sent, and as pages. */
interface BuiltDocument extends ReferenceContent {
  readonly json: StaticContent;
}

/** Builds an operation or a page per turn of the event loop: in one go the operations blocked that for 0.6 s (2026-11-30). */
async function buildDocument(routes: readonly AnyRoute[], options: OpenApiOptions): Promise<BuiltDocument> {
  const steps = openApiSteps(withDocument(routes), options);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await laterTurn();
  const document = step.value;
  const json = staticContent('application/json; charset=utf-8', JSON.stringify(document));
  await laterTurn();
  const pages = new Map<string, ReferencePage>();
  for (const [path, page] of tagPages(document)) {
    pages.set(path, page);
    await laterTurn();
  }
  return { json, pages, operations: operationList(document), conventions: conventionsHtml(document) };
}

const documentDefinition = {
  operationId: 'getOpenApi',
  method: 'GET',
  path: DOCUMENT_PATH,
  summary: 'Get the API description',
  description: 'This document: OpenAPI 3.1, generated from the schemas that validate requests. Not enveloped.',
  tag: 'Reference',
  auth: { kind: 'public' },
  replies: { 200: Type.Object({ openapi: Type.String() }), 304: Type.Object({}) },
  replyExample: { openapi: '3.1.0' },
  replyKind: 'raw',
  errors: [],
} as const;
