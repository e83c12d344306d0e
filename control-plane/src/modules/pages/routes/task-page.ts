import { textCell } from '@vantage/shared/probe-types/cells.js';
import { definitionOf } from '@vantage/shared/probe-types/index.js';
import { Type } from 'typebox';
import { ApiError } from '../../../http/errors.js';
import { type Html, html } from '../../../http/pages/html.js';
import { type PageRequest, renderPage } from '../../../http/pages/page.js';
import { defineRoute, type RawReply } from '../../../http/route.js';
import { type CommandSite, requestHtml } from '../task/request-html.js';
import { resultsHtml, type SharedTask, statusText } from '../task/task-html.js';
import { taskScript } from '../task/task-script.js';
import { taskTexts } from '../task/task-texts.js';

/** GET /p/{id}: a task that was created without credentials, as a page to share. Tasks of accounts are not found. */
export const taskPage = defineRoute({
  operationId: 'getTaskPage',
  method: 'GET',
  path: '/p/{id}',
  summary: 'Results of a probe as a page',
  tag: 'Pages',
  auth: { kind: 'none' },
  params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
  replies: { 200: Type.String(), 404: Type.String() },
  replyKind: 'html',
  errors: [],
  isDocumented: false,
  async handle(request, { probes, pages: { publicUrl }, releases: { clientCommand } }) {
    try {
      return unlisted(taskReply(request, await probes.share(request.params.id), { publicUrl, clientCommand }));
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'PROBE_JOB_NOT_FOUND') throw error;
      const { notFoundTitle, notFound } = taskTexts[request.locale];
      const content = html`<h1>${notFoundTitle}</h1><p class="text">${notFound}</p>`;
      return unlisted(renderPage(request, { status: 404, title: notFoundTitle, content }));
    }
  },
});

function taskReply(request: PageRequest, shared: SharedTask, site: CommandSite): RawReply {
  const { task } = shared;
  const texts = taskTexts[request.locale];
  const { title } = definitionOf(task.probe_type);
  const target = textCell(task.target);
  const status = statusText(shared, texts);
  const startedAt = `${task.created_at.slice(0, 19).replace('T', ' ')} UTC`;
  const events = task.status === 'running' && html` data-events="/v1/probe/tasks/${task.task_id}/events"`;
  const content = html`
<h1>${title} · ${target}</h1>
<p class="lead" role="status"${events}>${status} <span class="muted small whole">${texts.started} ${startedAt}</span></p>
${knownResultsHtml(shared, request.locale)}
${requestHtml(shared, texts, site)}`;
  return renderPage(request, {
    title: `${title} ${target}`,
    description: `${status}, ${startedAt}`,
    image: `${site.publicUrl}/p/${task.task_id}/preview.png`,
    content,
    script: taskScript,
  });
}

interface KnownHtml {
  /** Language, and nodes as they are shown. */
  readonly key: string;
  readonly results: Html;
}

const known = new WeakMap<SharedTask['task'], KnownHtml>();

/** The results as HTML: a large task has one view, whose lines are written once for all readers of a language. */
function knownResultsHtml(shared: SharedTask, locale: PageRequest['locale']): Html {
  const { task, nodes, unfit } = shared;
  const key = JSON.stringify([locale, nodes, unfit]);
  const before = known.get(task);
  if (before?.key === key) return before.results;
  const results = resultsHtml(shared, locale);
  known.set(task, { key, results });
  return results;
}

/** Pages about a caller's probes belong into no index. */
function unlisted(reply: RawReply): RawReply {
  return { ...reply, headers: { ...reply.headers, 'X-Robots-Tag': 'noindex' } };
}
