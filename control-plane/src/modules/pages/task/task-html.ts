import { placeTexts } from '@vantage/shared/places/place-texts.js';
import { msCell, textCell } from '@vantage/shared/probe-types/cells.js';
import { cleanLines, detailLines } from '@vantage/shared/probe-types/detail-lines.js';
import { isMuchDisturbed } from '@vantage/shared/probe-types/disturbed-note.js';
import { type HttpDialogue, httpDialogueLines } from '@vantage/shared/probe-types/http-lines.js';
import { definitionOf } from '@vantage/shared/probe-types/index.js';
import { verdictOf } from '@vantage/shared/probe-types/verdict.js';
import type { Locale } from '../../../http/locale.js';
import { type Html, html } from '../../../http/pages/html.js';
import { pillHtml } from '../../../http/pages/pill-html.js';
import { type PageCell, tableHtml } from '../../../http/pages/table-html.js';
import type { NodeResultView, Probes, TaskView } from '../../probes/index.js';
import { barSvg, phaseColour } from './bar-svg.js';
import { columnTitle } from './column-titles.js';
import { durationOf, resultPhases } from './result-phases.js';
import { type TaskTexts, taskTexts } from './task-texts.js';

/** A probe as everyone who has its id may read it. */
export type SharedTask = Awaited<ReturnType<Probes['share']>>;

/** Results of a probe with their nodes, as pages show them. */
export interface ShownResults extends Pick<SharedTask, 'nodes' | 'unfit'> {
  readonly task: Pick<TaskView, 'probe_type' | 'status' | 'node_results'>;
  /** Level of the headings of phases and details; default: h2. */
  readonly heading?: 'h2' | 'h3';
}

/** Everything about the results of a probe: verdicts and figures, phases, details. */
export function resultsHtml(shared: ShownResults, locale: Locale): Html {
  return html`${resultRowsHtml(shared, locale)}
${resultDetailsHtml(shared, locale)}`;
}

/** A row for each node, with its verdict, its bar and its figures. */
export function resultRowsHtml(shared: ShownResults, locale: Locale): Html {
  const view = viewOf(shared, locale);
  const disturbed = shared.task.node_results.filter((result) => isMuchDisturbed(result)).map(view.placeOf);
  return html`
${resultTable(view, shared)}
${legendHtml(view)}
${unfitHtml(view, shared)}
${disturbed.length > 0 && html`<p class="text muted">${view.texts.disturbed(disturbed.join('; '))}</p>`}`;
}

/** Times of phases, and the details of each node. */
export function resultDetailsHtml(shared: ShownResults, locale: Locale): Html {
  const view = viewOf(shared, locale);
  return html`${phaseTable(view)}
${detailBlocks(view)}`;
}

function viewOf(shared: ShownResults, locale: Locale): View {
  const { task, heading = 'h2' } = shared;
  const places = placeTexts([...shared.nodes, ...shared.unfit]);
  const placeOf = ({ node_id: id }: NodeResultView) => places.get(id) ?? '';
  return { task, locale, texts: taskTexts[locale], placeOf, places, heading };
}

/** Nodes that were selected and could not take part, those that lack the same thing in one line. */
function unfitHtml({ texts, places }: View, { unfit }: ShownResults): Html[] {
  return [...new Set(unfit.map(({ lacks }) => lacks))].map((need) => {
    const names = unfit.filter(({ lacks }) => lacks === need).map(({ id }) => places.get(id) ?? id);
    return html`<p class="text muted">${texts.unfit(names.join('; '), texts.needs[need])}</p>`;
  });
}

/** How far the probe is, or how it ended: each verdict with the number of nodes that have it. */
export function statusText(
  { task: { probe_type: type, status, node_results: results }, nodes }: ShownResults,
  texts: TaskTexts,
): string {
  const count = results.length;
  if (status === 'running') return texts.running(count, nodes.length);
  if (status === 'failed') return texts.noResult;
  const words = results.map((result) => verdictOf(type, result, texts).word);
  const tally = [...new Set(words)].map((word) => [word, words.filter((other) => other === word).length] as const);
  if (tally.length === 1) return texts.all(count, words[0] ?? '');
  return tally.map(([word, times]) => `${times} × ${word}`).join(', ');
}

interface View extends Required<Pick<ShownResults, 'task' | 'heading'>> {
  readonly locale: Locale;
  readonly texts: TaskTexts;
  readonly placeOf: (result: NodeResultView) => string;
  readonly places: ReadonlyMap<string, string>;
}

function resultTable({ task, locale, texts, placeOf, places }: View, { nodes }: ShownResults): Html {
  const { probe_type: type, node_results: results } = task;
  const phases = new Map(results.map((result) => [result, resultPhases(type, result)]));
  const hasBars = [...phases.values()].some((bars) => bars.length > 0);
  const scaleMs = Math.max(0, ...[...phases.values()].map(durationOf));
  // what the bars, the phases or the details show is not repeated
  const columns = definitionOf(type).columns.filter(({ isInDetails }) => isInDetails !== true);
  const cellsOf = columns.map(({ cell }) => results.map((result) => (result.success ? unitKept(cell(result)) : '')));
  const areFigures = cellsOf.map(isFigures);
  const titleOf = (title: string) => columnTitle(title, locale) ?? title;
  const rows = results.map((result, row): PageCell[] => {
    const start: PageCell[] = [
      { content: placeOf(result), look: 'name' },
      { content: pillHtml(verdictOf(type, result, texts)), look: 'verdict' },
    ];
    const bar: PageCell[] = hasBars
      ? [{ content: barSvg(phases.get(result) ?? [], scaleMs, locale), look: 'bars' }]
      : [];
    if (!result.success) {
      const message = html`<span class="bad" lang="en">${textCell(result.error?.message ?? null)}</span>`;
      return [...start, ...bar, { content: message, columns: columns.length, look: 'words' }];
    }
    const figures = cellsOf.map((cells, column): PageCell => {
      const text = cells[row] ?? '';
      const shown = text === 'yes' ? texts.yes : text === 'no' ? texts.no : text;
      return areFigures[column] ? { content: shown, look: 'number' } : shown;
    });
    return [...start, ...bar, ...figures];
  });
  const waiting = nodes
    .filter(({ isPending }) => isPending)
    .map(({ id }): PageCell[] => [
      { content: places.get(id) ?? '', look: 'name' },
      { content: pillHtml({ look: 'none', word: texts.waiting }), look: 'verdict' },
      { content: '', columns: columns.length + (hasBars ? 1 : 0) },
    ]);
  return tableHtml({
    name: texts.result,
    head: [
      texts.from,
      texts.result,
      ...(hasBars ? [texts.time] : []),
      ...columns.map(({ title }, column) =>
        areFigures[column] ? ({ text: titleOf(title), look: 'number' } as const) : titleOf(title),
      ),
    ],
    rows: [...rows, ...waiting],
  });
}

/** Number of phases from which on a table has their times: those of fewer are columns of the results. */
const LEAST_PHASES = 3;

/** Phases of the results in their order, each with its title. */
function phasesOf({ task, locale }: View): { readonly name: string; readonly title: string }[] {
  const bars = task.node_results.flatMap((result) => resultPhases(task.probe_type, result));
  const titles = new Map(bars.map(({ name, title }) => [name, columnTitle(title, locale) ?? title]));
  return Object.keys(order).flatMap((name) => {
    const title = titles.get(name);
    return title === undefined ? [] : [{ name, title }];
  });
}

/** Colours of the bars, where they have several. */
function legendHtml(view: View): Html | '' {
  const phases = phasesOf(view);
  if (phases.length < 2) return '';
  return html`<p class="row muted small">${phases.map(
    ({ name, title }) =>
      html`<span><svg class="swatch" viewBox="0 0 8 8" aria-hidden="true"><rect class="${phaseColour(name)}" width="8" height="8"/></svg>${title}</span>`,
  )}</p>`;
}

/** Times of each phase as figures. */
function phaseTable(view: View): Html | '' {
  const { task, texts, placeOf, heading } = view;
  const bars = task.node_results.map((result) => ({ result, bars: resultPhases(task.probe_type, result) }));
  const phases = phasesOf(view);
  if (phases.length < LEAST_PHASES) return '';
  return html`<${heading}>${texts.phases}</${heading}>
${tableHtml({
  name: texts.phases,
  head: [texts.from, ...phases.map(({ title }) => ({ text: title, look: 'number' }) as const)],
  rows: bars
    .filter((item) => item.bars.length > 0)
    .map(({ result, bars: own }) => [
      { content: placeOf(result), look: 'name' },
      ...phases.map(({ name }): PageCell => {
        const bar = own.find((one) => one.name === name);
        if (bar === undefined) return { content: '-', look: 'number' };
        return { content: unitKept(`${bar.isUnfinished ? '> ' : ''}${msCell(bar.ms)}`), look: 'number' };
      }),
    ]),
})}`;
}

/** Order of phases, as they follow each other. */
const order = { dns_ms: 0, tcp_ms: 1, tls_ms: 2, ttfb_ms: 3, download_ms: 4 };

/** Details below the places of their nodes; equal ones once. */
function detailBlocks({ task, texts, placeOf, heading }: View): Html[] {
  const { probe_type: type, node_results: results } = task;
  const blocks = new Map<string, string[]>();
  for (const result of results) {
    const lines =
      type === 'http' ? cleanLines(httpDialogueLines(result as unknown as HttpDialogue)) : detailLines(type, result);
    if (lines.length === 0) continue;
    const text = lines.join('\n');
    blocks.set(text, [...(blocks.get(text) ?? []), placeOf(result)]);
  }
  return [...blocks].map(([text, places]) => {
    const joined = places.join('; ');
    const isAll = places.length === results.length && task.status !== 'running';
    const title = places.length === 1 ? joined : isAll ? texts.sameFromAll(places.length) : texts.sameFrom(joined);
    return html`<${heading}>${title}</${heading}><pre lang="en" tabindex="0">${text}</pre>`;
  });
}

/** Text in which no line breaks between a figure and its unit. */
function unitKept(text: string): string {
  return text.replace(/(\d) (?=(?:ms|s|%|[kMG]?bit\/s|[kMG]?B)\b|%)/g, '$1\u00a0');
}

/** True if each value of a column is a figure, with or without a unit. */
function isFigures(cells: readonly string[]): boolean {
  const given = cells.filter((cell) => cell !== '' && cell !== '-');
  return given.length > 0 && given.every((cell) => /^[+-]?\d+(?:\.\d+)?(?:\/\d+)?(?:\u00a0\S+)?$/.test(cell));
}
