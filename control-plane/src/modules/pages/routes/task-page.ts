import { textCell } from '@vantage/shared/probe-types/cells.js';
import { detailLines } from '@vantage/shared/probe-types/detail-lines.js';
import { disturbedNote } from '@vantage/shared/probe-types/disturbed-note.js';
import { definitionOf } from '@vantage/shared/probe-types/index.js';
import { Type } from 'typebox';
import { ApiError } from '../../../http/errors.js';
import { html } from '../../../http/pages/html.js';
import { type PageRequest, renderPage } from '../../../http/pages/page.js';
import { tableHtml } from '../../../http/pages/table-html.js';
import { defineRoute } from '../../../http/route.js';
import { viewerOf } from '../../../http/viewer.js';
import type { TaskView } from '../../probes/index.js';

// a running task shows its next results without a click; a finished one runs no script
const RELOAD = 'setTimeout(() => location.reload(), 2000);';

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
  async handle(request, { probes }) {
    try {
      return taskReply(request, await probes.get(request.params.id, viewerOf(null)));
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'PROBE_JOB_NOT_FOUND') throw error;
      const content = html`<h1>No such probe</h1><p>Results are kept for 7 days. Results of accounts are not shared on this page.</p>`;
      return renderPage(request, { status: 404, title: 'No such probe', content });
    }
  },
});

function taskReply(request: PageRequest, task: TaskView) {
  const { title, columns } = definitionOf(task.probe_type);
  const target = textCell(task.target);
  const content = html`
<h1>${title} · ${target}</h1>
<p class="muted">${statusText(task)} · started ${task.created_at.slice(0, 19).replace('T', ' ')} UTC</p>
${tableHtml({
  head: ['From', 'Result', ...columns.map((column) => column.title)],
  rows: task.node_results.map((result) => [
    placeText(result.node),
    result.success ? { content: 'ok', look: 'good' } : { content: result.error?.code ?? 'failed', look: 'bad' },
    ...(result.success
      ? columns.map(({ cell }) => cell(result))
      : [{ content: textCell(result.error?.message ?? null), columns: columns.length }]),
  ]),
})}
${disturbedLine(task.node_results)}
${task.node_results.map((result) => detailBlock(task, result))}
<p><a href="/v1/probe/tasks/${task.task_id}">as JSON</a></p>`;
  return renderPage(request, {
    title: `${title} ${target}`,
    content,
    ...(task.status === 'running' ? { script: RELOAD } : {}),
  });
}

function disturbedLine(results: TaskView['node_results']) {
  const note = disturbedNote(results.map((result) => ({ place: placeText(result.node), result })));
  return note === null ? '' : html`<p class="muted">${note}</p>`;
}

function detailBlock({ probe_type }: TaskView, result: TaskView['node_results'][number]) {
  const lines = detailLines(probe_type, result);
  return lines.length === 0 ? '' : html`<h2>${placeText(result.node)}</h2><pre tabindex="0">${lines.join('\n')}</pre>`;
}

function statusText({ status, summary, node_results }: TaskView): string {
  if (status === 'running') return `running, ${node_results.length} results so far`;
  if (status === 'failed') return 'no node returned a result';
  return `${summary.success_count} of ${node_results.length} nodes succeeded`;
}

function placeText(node: TaskView['node_results'][number]['node']): string {
  const parts = [node.city, node.country, node.asn === null ? null : `AS${node.asn}`].filter((part) => part !== null);
  return parts.length === 0 ? 'unknown place' : textCell(parts.join(', '));
}
