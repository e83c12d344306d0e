import { readFile } from 'node:fs/promises';
import { Type } from 'typebox';
import { ApiError } from '../errors.js';
import { type StaticContent, staticContent, staticReply } from '../frame/conditional-reply.js';
import type { Locale } from '../locale.js';
import { attributionHtml } from '../pages/attribution-html.js';
import { html } from '../pages/html.js';
import { keepLanguage, type PageRequest, pageHead } from '../pages/page.js';
import { pageFooter, pageHeader } from '../pages/page-frame.js';
import { chromeStyle } from '../pages/page-style.js';
import { type AnyRoute, defineRoute } from '../route.js';
import { referenceScript } from './reference-script.js';
import { referenceStyle } from './reference-style.js';

/**
 * `/docs`, the interactive reference of the document at `documentPath`, and the files it loads. `attribution`: lines that the
 * licences of data ask for, shown at its end.
 */
export function referencePageRoutes(documentPath: string, attribution: readonly string[]): AnyRoute[] {
  return [referencePage(documentPath, attribution), referenceAsset(documentPath)];
}

function referencePage(documentPath: string, attribution: readonly string[]): AnyRoute {
  return defineRoute({
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
    handle: async (request) => ({
      status: 200,
      raw: { contentType: 'text/html; charset=utf-8', body: referenceHtml(request, documentPath, attribution) },
      headers: { 'Content-Security-Policy': referencePolicy },
    }),
  });
}

/**
 * Content policy of the reference: everything comes from this server; Swagger UI writes style elements of its own and
 * draws with data: images.
 */
const referencePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface ReferenceTexts {
  readonly title: string;
  readonly description: string;
  /** Note that the reference itself has one language; '' in that language. */
  readonly note: string;
  /** Sentence for readers without JavaScript, before a link to the document. */
  readonly needsScript: string;
}

const texts: Readonly<Record<Locale, ReferenceTexts>> = {
  en: {
    title: 'API reference',
    description: 'Every operation of the API, to read and to try.',
    note: '',
    needsScript: 'The reference needs JavaScript. The OpenAPI document has the same content:',
  },
  'zh-CN': {
    title: 'API 参考',
    description: 'API 的所有操作，可查阅，也可直接试用。',
    note: '本参考的正文只有英文。',
    needsScript: '本参考需要 JavaScript。OpenAPI 文档包含相同的内容：',
  },
  'zh-TW': {
    title: 'API 參考',
    description: 'API 的所有操作，可查閱，也可直接試用。',
    note: '本參考的內文只有英文。',
    needsScript: '本參考需要 JavaScript。OpenAPI 文件包含相同的內容：',
  },
};

function referenceHtml(request: PageRequest, documentPath: string, attribution: readonly string[]): string {
  const { locale } = request;
  const { title, description, note, needsScript } = texts[locale];
  const content = html`${pageHeader(request)}
${note !== '' && html`<p class="note">${note}</p>`}
<noscript><p class="note">${needsScript} <a href="${documentPath}">${documentPath}</a></p></noscript>
<div id="reference" lang="en"></div>
${attribution.length > 0 && attributionHtml(attribution)}
${pageFooter(locale)}`;
  return `<!doctype html>
<html lang="${locale}">
<head>
${pageHead({ title, description }).markup}
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/reference.css">
</head>
<body>
${keepLanguage(content, request).markup}
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/reference.js"></script>
</body>
</html>
`;
}

const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

/** Files of the swagger-ui-dist package, read on first use and kept. */
const packaged: Readonly<Record<string, string>> = { 'swagger-ui.css': CSS, 'swagger-ui-bundle.js': SCRIPT };

function referenceAsset(documentPath: string): AnyRoute {
  const loaded = new Map<string, Promise<StaticContent>>([
    ['reference.css', Promise.resolve(staticContent(CSS, chromeStyle + referenceStyle))],
    ['reference.js', Promise.resolve(staticContent(SCRIPT, referenceScript(documentPath)))],
  ]);
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
    handle: async ({ params: { file } }) => {
      const content = loaded.get(file) ?? loadPackaged(file);
      loaded.set(file, content);
      return staticReply(await content);
    },
  });
}

/** @throws ApiError NOT_FOUND */
function loadPackaged(file: string): Promise<StaticContent> {
  const contentType = Object.hasOwn(packaged, file) ? packaged[file] : undefined;
  if (contentType === undefined) throw new ApiError('NOT_FOUND');
  const bytes = readFile(new URL(file, import.meta.resolve('swagger-ui-dist/package.json')));
  return bytes.then((body) => staticContent(contentType, body));
}
