import { Type } from 'typebox';
import { type StaticContent, staticContent, staticReply } from '../frame/conditional-reply.js';
import { type AnyRoute, defineRoute } from '../route.js';
import { errorIndexRoute, errorPageRoute } from './error-page.js';
import { buildOpenApi, checkDocumented, type OpenApiDocument, type OpenApiOptions } from './openapi.js';
import { referencePageRoutes } from './reference-page.js';

const DOCUMENT_PATH = '/v1/openapi.json';

/**
 * Routes that document the API: `/v1/openapi.json`, the interactive reference at `/docs` with its assets, and a page
 * for every error code. `routes` are all other routes; the document describes those and itself. `attribution`: lines that the
 * licences of data ask for.
 * @throws RangeError as checkDocumented
 */
export function referenceRoutes(
  routes: readonly AnyRoute[],
  options: OpenApiOptions,
  attribution: readonly string[] = [],
): AnyRoute[] {
  let content: StaticContent | null = null;
  const documentRoute = defineRoute({
    ...documentDefinition,
    handle: async () => {
      content ??= staticContent('application/json; charset=utf-8', JSON.stringify(openApiDocument(routes, options)));
      return staticReply(content);
    },
  });
  const all = [...routes, documentRoute];
  checkDocumented(all, options.tags);
  return [documentRoute, ...referencePageRoutes(DOCUMENT_PATH, attribution), errorIndexRoute, errorPageRoute(all)];
}

/** The document of `routes` and of the operation that serves it. @throws RangeError as buildOpenApi */
export function openApiDocument(routes: readonly AnyRoute[], options: OpenApiOptions): OpenApiDocument {
  const served: AnyRoute = { ...documentDefinition, handle: () => Promise.reject(new Error('not served')) };
  return buildOpenApi([...routes, served], options);
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
