import { textCell } from '@vantage/shared/probe-types/cells.js';
import { type Html, html } from '../../../http/pages/html.js';
import { clientCommand, curlCommand, shownParams } from './commands.js';
import type { SharedTask } from './task-html.js';
import type { TaskTexts } from './task-texts.js';

/** Facts for the commands of a page. */
export interface CommandSite {
  readonly publicUrl: string;
  /** Command that downloads the client; null: there is none to show. */
  readonly clientCommand: string | null;
}

/**
 * The request behind results: its parameters, a button that repeats it on the same nodes, and its equivalents as commands. A request
 * with headers or a body cannot be repeated by its readers: they may be secrets of its sender.
 */
export function requestHtml({ task, params, nodes }: SharedTask, texts: TaskTexts, site: CommandSite): Html {
  const { probe_type: type, target, task_id: id } = task;
  const { shown, hidden } = shownParams(type, params);
  const repeated = { type, target, params: shown, publicUrl: site.publicUrl };
  const download = site.clientCommand === null ? '' : `${site.clientCommand}\n./`;
  const fields = { type, target, params: JSON.stringify(shown), nodes: nodes.map((node) => node.id).join(',') };
  const isPrivate = hidden.length > 0;
  return html`
<section class="unprinted">
<h2>${texts.request}</h2>
<p>${texts.parameters}: ${paramList(shown, texts)}${isPrivate && html` <span class="muted">(${texts.hidden(hidden.join(', '))})</span>`}</p>
${isPrivate && html`<p class="text muted">${texts.notAgain}</p>`}
<form method="post" action="/" class="row">${!isPrivate && [Object.entries(fields).map(hiddenField), html`<button>${texts.again}</button>`]}<a href="/v1/probe/tasks/${id}">${texts.json}</a></form>
${!isPrivate && [html`<h3>${texts.commands}</h3>`, commandBlock(curlCommand(repeated), texts), commandBlock(`${download}${clientCommand(repeated)}`, texts)]}
</section>`;
}

function paramList(shown: Readonly<Record<string, unknown>>, { byDefault }: TaskTexts) {
  const entries = Object.entries(shown);
  if (entries.length === 0) return byDefault;
  const textOf = (value: unknown) => textCell(typeof value === 'string' ? value : JSON.stringify(value));
  return entries.map(([name, value], i) => html`${i > 0 && ', '}<code>${name}: ${textOf(value)}</code>`);
}

function hiddenField([name, value]: readonly [string, string]): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}

function commandBlock(command: string, { copy, copied }: TaskTexts): Html {
  return html`<div class="command"><pre lang="en" tabindex="0">${command.split('\n').map(textCell).join('\n')}</pre><button class="quiet" type="button" data-done="${copied}" hidden>${copy}</button></div>`;
}
