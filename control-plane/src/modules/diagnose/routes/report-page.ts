import { Type } from 'typebox';
import { html } from '../../../http/pages/html.js';
import { type PageRequest, renderPage } from '../../../http/pages/page.js';
import { defineRoute, type RawReply } from '../../../http/route.js';
import { reportDocument } from '../page/report-document.js';
import { reportHtml } from '../page/report-html.js';
import { reportMarkdown } from '../page/report-markdown.js';
import { reportTexts } from '../page/texts.js';
import type { ReportView } from '../schema.js';

/** GET /d/{id}: a report that is shared, or was created without credentials, as a page; `/d/{id}.json` and `/d/{id}.md` are its twins. */
export const reportPage = defineRoute({
  operationId: 'getDiagnosePage',
  method: 'GET',
  path: '/d/{id}',
  summary: 'A diagnose report as a page',
  tag: 'Pages',
  auth: { kind: 'none' },
  limit: { name: 'report-pages', limit: 120, per: 'minute', from: 'address' },
  params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
  replies: { 200: Type.String(), 404: Type.String() },
  replyKind: 'html',
  errors: [],
  isDocumented: false,
  async handle(request, { diagnose }) {
    const [, id = '', form = ''] = /^(.*?)(\.json|\.md)?$/s.exec(request.params.id) ?? [];
    const { locale } = request;
    const report = await diagnose.findShared(id, locale);
    if (report === null) return notFound(request);
    return unlisted(
      form === '.json' ? jsonOf(report) : form === '.md' ? markdownOf(report, locale) : pageOf(report, request),
    );
  },
});

function pageOf(report: ReportView, request: PageRequest): RawReply {
  const { locale } = request;
  const texts = reportTexts[locale];
  const document = reportDocument(report, locale);
  const language = `?lang=${locale}`;
  const content = html`${reportHtml(document, locale)}
<p class="unprinted">${texts.twins} <a href="${`/d/${report.id}.json${language}`}">JSON</a> · <a href="${`/d/${report.id}.md${language}`}">Markdown</a></p>`;
  return renderPage(request, { title: document.title, content });
}

function jsonOf(report: ReportView): RawReply {
  return { status: 200, raw: { contentType: 'application/json; charset=utf-8', body: JSON.stringify(report) } };
}

function markdownOf(report: ReportView, locale: PageRequest['locale']): RawReply {
  const body = reportMarkdown(reportDocument(report, locale), locale);
  return { status: 200, raw: { contentType: 'text/markdown; charset=utf-8', body } };
}

function notFound(request: PageRequest): RawReply {
  const { notFoundTitle, notFound: text } = reportTexts[request.locale];
  const content = html`<h1>${notFoundTitle}</h1><p class="text">${text}</p>`;
  return unlisted(renderPage(request, { status: 404, title: notFoundTitle, content }));
}

/** The address of the page is a right: it goes into no index, and to no other site. */
function unlisted(reply: RawReply): RawReply {
  return {
    ...reply,
    headers: { ...reply.headers, 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' },
  };
}
