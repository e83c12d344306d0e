import { Type } from 'typebox';
import { laterTurn } from '../../runtime/slices.js';
import { type StaticContent, staticContent, staticReply } from '../frame/conditional-reply.js';
import { type AnyRoute, defineRoute } from '../route.js';
import { errorIndexRoute, errorPageRoute } from './error-page.js';
import { buildOpenApi, checkDocumented, type OpenApiDocument, type OpenApiOptions, openApiSteps } from './openapi.js';
import { referencePageRoutes } from './reference-page.js';

const DOCUMENT_PATH = '/v1/openapi.json';

/** Routes that document the API. */
export interface Reference {
  readonly routes: readonly AnyRoute[];
  /** Builds the document, so that no request waits for it. @throws RangeError as buildOpenApi */
  prepare(): Promise<unknown>;
}

/**
 * Routes that document the API: `/v1/openapi.json`, the interactive reference at `/docs` with its assets, and a page
 * for every error code. `routes` are all other routes; the document describes those and itself, and is built once, when it is
 * first wanted. `attribution`: lines that the licences of data ask for.
 * @throws RangeError as checkDocumented
 */
export function referenceRoutes(
  routes: readonly AnyRoute[],
  options: OpenApiOptions,
  attribution: readonly string[] = [],
): Reference {
  let content: Promise<StaticContent> | null = null;
  const prepare = () => (content ??= documentContent(routes, options));
  const documentRoute = defineRoute({
    ...documentDefinition,
    handle: async () => staticReply(await prepare()),
  });
  const all = [...routes, documentRoute];
  checkDocumented(all, options.tags);
  const pages = [...referencePageRoutes(DOCUMENT_PATH, attribution), errorIndexRoute, errorPageRoute(all)];
  return { routes: [documentRoute, ...pages], prepare };
}

/** The document of `routes` and of the operation that serves it. @throws RangeError as buildOpenApi */
export function openApiDocument(routes: readonly AnyRoute[], options: OpenApiOptions): OpenApiDocument {
  return buildOpenApi(withDocument(routes), options);
}

function withDocument(routes: readonly AnyRoute[]): readonly AnyRoute[] {
  return [...routes, { ...documentDefinition, handle: () => Promise.reject(new Error('not served')) }];
}

/** The document as it is sent, built an operation per turn of the event loop: in one go it blocked that for 0.6 s (2026-11-30). */
async function documentContent(routes: readonly AnyRoute[], options: OpenApiOptions): Promise<StaticContent> {
  const steps = openApiSteps(withDocument(routes), options);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await laterTurn();
  const text = JSON.stringify(step.value);
  await laterTurn();
  return staticContent('application/json; charset=utf-8', text);
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
