import { readFile } from 'node:fs/promises';
import { Type } from 'typebox';
import { conditionalReply, type StaticContent, staticContent } from './conditional-reply.js';
import { errorTable, isErrorCode } from './error-table.js';
import { ApiError } from './errors.js';
import { html } from './html.js';
import { locales } from './locale.js';
import { buildOpenApi, type OpenApiDocument, type OpenApiOptions } from './openapi.js';
import { renderPage } from './page.js';
import { type AnyRoute, defineRoute } from './route.js';

const DOCUMENT_PATH = '/v1/openapi.json';

/**
 * What explains the API: `/v1/openapi.json`, the interactive reference at `/docs` with its assets, and a page for every
 * error code. `routes` are all the others; the document describes them and itself.
 */
export function referenceRoutes(routes: readonly AnyRoute[], options: OpenApiOptions): AnyRoute[] {
  let content: StaticContent | null = null;
  const documentRoute = defineRoute({
    ...documentDefinition,
    handle: async (request) => {
      content ??= staticContent('application/json; charset=utf-8', JSON.stringify(openApiDocument(routes, options)));
      return conditionalReply(request, content);
    },
  });
  return [documentRoute, referencePage, referenceAsset(), errorPage];
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
  summary: 'This description',
  description: 'OpenAPI 3.1, made from the schemas that validate requests. Not enveloped; has an ETag.',
  tag: 'Reference',
  auth: { kind: 'public' },
  replies: { 200: Type.Object({ openapi: Type.String() }), 304: Type.Object({}) },
  replyKind: 'raw',
  errors: [],
} as const;

const referencePage = defineRoute({
  operationId: 'getReferencePage',
  method: 'GET',
  path: '/docs',
  summary: 'Interactive reference',
  tag: 'Reference',
  auth: { kind: 'none' },
  replies: { 200: Type.String() },
  replyKind: 'html',
  errors: [],
  isDocumented: false,
  handle: async () => ({
    status: 200,
    raw: { contentType: 'text/html; charset=utf-8', body: referenceHtml },
    headers: { 'Content-Security-Policy': referencePolicy },
  }),
});

/** Everything comes from this server; Swagger UI writes style elements of its own and draws with data: images. */
const referencePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const referenceHtml = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · Vantage</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** `validatorUrl: null` keeps Swagger UI from sending the document to its public validator. */
const startScript = `SwaggerUIBundle({
  url: '${DOCUMENT_PATH}',
  dom_id: '#reference',
  validatorUrl: null,
  deepLinking: true,
  tryItOutEnabled: true,
});
`;

const assetTypes: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
  'start.js': 'text/javascript; charset=utf-8',
};

/** Each file is read from the swagger-ui-dist package when it is first asked for, and kept. */
function referenceAsset(): AnyRoute {
  const loaded = new Map<string, Promise<StaticContent>>();
  return defineRoute({
    operationId: 'getReferenceAsset',
    method: 'GET',
    path: '/docs/{file}',
    summary: 'Asset of the interactive reference',
    tag: 'Reference',
    auth: { kind: 'none' },
    params: Type.Object({ file: Type.String() }),
    replies: { 200: Type.Unknown(), 304: Type.Unknown() },
    replyKind: 'raw',
    errors: ['NOT_FOUND'],
    isDocumented: false,
    handle: async (request) => {
      const { file } = request.params;
      if (!Object.hasOwn(assetTypes, file)) throw new ApiError('NOT_FOUND');
      const content = loaded.get(file) ?? loadAsset(file);
      loaded.set(file, content);
      return conditionalReply(request, await content);
    },
  });
}

async function loadAsset(file: string): Promise<StaticContent> {
  const contentType = assetTypes[file] as string;
  if (file === 'start.js') return staticContent(contentType, startScript);
  return staticContent(contentType, await readFile(new URL(file, import.meta.resolve('swagger-ui-dist/package.json'))));
}

const errorPage = defineRoute({
  operationId: 'getErrorPage',
  method: 'GET',
  path: '/docs/errors/{code}',
  summary: 'What an error code means',
  tag: 'Reference',
  auth: { kind: 'none' },
  params: Type.Object({ code: Type.String({ maxLength: 64 }) }),
  replies: { 200: Type.String() },
  replyKind: 'html',
  errors: ['NOT_FOUND'],
  isDocumented: false,
  handle: async ({ params: { code } }) => {
    if (!isErrorCode(code)) throw new ApiError('NOT_FOUND');
    const { statuses, messages } = errorTable[code];
    return renderPage({
      title: code,
      content: html`<h1><code>${code}</code></h1>
<p>HTTP status ${statuses.join(' or ')}</p>
${locales.map((locale) => html`<p lang="${locale}">${messages[locale]}</p>`)}`,
    });
  },
});
