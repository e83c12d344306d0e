import { Type } from 'typebox';
import { ApiError } from '../errors.js';
import type { Locale } from '../locale.js';
import { attributionHtml } from '../pages/attribution-html.js';
import { type Html, html } from '../pages/html.js';
import { type PageRequest, renderPage } from '../pages/page.js';
import { type AnyRoute, defineRoute, type RawReply } from '../route.js';
import type { ReferencePage } from './reference-html.js';

/** Content of the reference, which is the same for every reader. */
export interface ReferenceContent {
  /** List of all operations. */
  readonly operations: Html;
  /** Conventions of every operation. */
  readonly conventions: Html;
  /** Pages of groups by their paths. */
  readonly pages: ReadonlyMap<string, ReferencePage>;
}

/**
 * `/docs`, every operation of the API with a search, and `/docs/{tag}`, the operations of a group at length. `attribution`: lines that
 * the licences of data ask for, shown at the end of the first page.
 */
export function referencePageRoutes(
  prepare: () => Promise<ReferenceContent>,
  attribution: readonly string[],
): AnyRoute[] {
  const common = {
    method: 'GET',
    tag: 'Reference',
    auth: { kind: 'none' },
    replies: { 200: Type.String() },
    replyKind: 'html',
    isDocumented: false,
  } as const;
  return [
    defineRoute({
      ...common,
      operationId: 'getReferencePage',
      path: '/docs',
      summary: 'API reference',
      errors: [],
      handle: async (request) => indexPage(request, await prepare(), attribution),
    }),
    defineRoute({
      ...common,
      operationId: 'getReferenceTagPage',
      path: '/docs/{tag}',
      summary: 'A group of operations in the API reference',
      params: Type.Object({ tag: Type.String({ maxLength: 64 }) }),
      errors: ['NOT_FOUND'],
      handle: async (request) => {
        const page = (await prepare()).pages.get(`/docs/${request.params.tag}`);
        if (page === undefined) throw new ApiError('NOT_FOUND');
        return tagPage(request, page);
      },
    }),
  ];
}

interface ReferenceTexts {
  readonly title: string;
  readonly description: string;
  readonly find: string;
  /** Note that the reference itself has one language; '' in that language. */
  readonly note: string;
  readonly conventions: string;
  readonly document: string;
}

const texts: Readonly<Record<Locale, ReferenceTexts>> = {
  en: {
    title: 'API reference',
    description: 'Every operation of the API, with its fields, its errors and an example.',
    find: 'Find an operation: words of its path, its group or its summary',
    note: '',
    conventions: 'Every request and response',
    document: 'OpenAPI document',
  },
  'zh-CN': {
    title: 'API 参考',
    description: 'API 的所有操作，包括字段、错误和示例。',
    find: '查找操作：路径、分组或摘要中的词',
    note: '本参考的正文只有英文。',
    conventions: '通用的请求与响应规则',
    document: 'OpenAPI 文档',
  },
  'zh-TW': {
    title: 'API 參考',
    description: 'API 的所有操作，包括欄位、錯誤與範例。',
    find: '尋找操作：路徑、群組或摘要中的詞',
    note: '本參考的內文只有英文。',
    conventions: '通用的要求與回應規則',
    document: 'OpenAPI 文件',
  },
};

function indexPage(
  request: PageRequest,
  { operations, conventions }: ReferenceContent,
  attribution: readonly string[],
): RawReply {
  const { title, description, find, note, ...links } = texts[request.locale];
  const content = html`<h1>${title}</h1>
<p class="lead">${description}</p>
${note !== '' && html`<p class="muted">${note}</p>`}
<p><a href="#conventions">${links.conventions}</a> · <a href="/v1/openapi.json">${links.document}</a></p>
<label class="find" hidden>${find}<input type="search" autocomplete="off" spellcheck="false"></label>
<div lang="en" class="reference">${operations}
${conventions}</div>
${attribution.length > 0 && attributionHtml(attribution)}`;
  return renderPage(request, { title, description, content, script });
}

function tagPage(request: PageRequest, { title, description, content }: ReferencePage): RawReply {
  const { title: reference, note } = texts[request.locale];
  return renderPage(request, {
    title: `${title} · ${reference}`,
    description,
    content: html`<p><a href="/docs">${reference}</a></p>
<h1 lang="en">${title}</h1>
${note !== '' && html`<p class="muted">${note}</p>`}
<div lang="en" class="reference">${content}</div>`,
  });
}

/** Shows the search, which needs a script, and hides what lacks one of its words. */
const script = `
const field = document.querySelector('.find');
field.hidden = false;
field.querySelector('input').addEventListener('input', (event) => {
  const words = event.target.value.toLowerCase().split(/\\s+/);
  for (const group of document.querySelectorAll('.group')) {
    const about = group.querySelector('h2').innerText;
    for (const line of group.querySelectorAll('li')) {
      const text = [about, line.textContent, line.querySelector('a').hash].join(' ').toLowerCase();
      line.hidden = !words.every((word) => text.includes(word));
    }
    group.hidden = !group.querySelector('li:not([hidden])');
  }
});`;
