import { textCell } from '@vantage/shared/probe-types/cells.js';
import { detailLines } from '@vantage/shared/probe-types/detail-lines.js';
import { disturbedNote, isMuchDisturbed } from '@vantage/shared/probe-types/disturbed-note.js';
import { definitionOf } from '@vantage/shared/probe-types/index.js';
import type { Screen } from '@vantage/shared/terminal/screen.js';
import { tableLines } from '@vantage/shared/terminal/table.js';
import { wrapLine, wrapText } from '@vantage/shared/terminal/wrap-text.js';
import type { NodeResultView, TaskView } from '../modules/probes/index.js';
import { unfitLines } from './unfit-text.js';

type NameOf = (nodeId: string) => string | null;

/**
 * A task for a screen: a table with a row per node; below it the errors in full, a note about nodes that were too busy to
 * be exact, then the details of each node, and the nodes that could not take part.
 */
export function taskText(task: TaskView, screen: Screen, nameOf: NameOf = () => null): string {
  const placeOf = placesOf(task.node_results, nameOf);
  const note = disturbedNote(task.node_results.map((result) => ({ place: placeOf(result), result })));
  const below = [...errorsOf(task), ...(note === null ? [] : [note])];
  return [
    ...resultTable(task, screen, { placeOf, columns: definitionOf(task.probe_type).columns }),
    ...below.flatMap((text) => belowTable(text, screen)),
    ...detailBlocks(task, screen, placeOf),
    ...unfitLines(task, screen),
  ].join('\n');
}

/**
 * A task without details: a line for each node with the name of the node and as many columns as the screen has room for,
 * then the errors in full.
 */
export function taskTableText(task: TaskView, screen: Screen, nameOf: NameOf): string {
  const columns = definitionOf(task.probe_type).columns.map((column) => ({ ...column, isInDetails: true as const }));
  const placeOf = ({ node, node_id }: NodeResultView) => nameOf(node_id) ?? placeText(node, node_id, null);
  return [
    ...resultTable(task, screen, { placeOf, columns }),
    ...errorsOf(task).flatMap((text) => belowTable(text, screen)),
  ].join('\n');
}

/** True if a node was late by a good part of what it measured: its times may be too high. */
export function isTaskDisturbed({ node_results }: TaskView): boolean {
  return node_results.some(isMuchDisturbed);
}

type PlaceOf = (result: NodeResultView) => string;

/** Places of nodes, which have the id of the node where several are alike. */
function placesOf(results: readonly NodeResultView[], nameOf: NameOf): PlaceOf {
  const plainPlace = ({ node, node_id }: NodeResultView) => placeText(node, node_id, nameOf(node_id));
  const places = results.map(plainPlace);
  return (result) => {
    const place = plainPlace(result);
    const isAlone = places.indexOf(place) === places.lastIndexOf(place);
    return isAlone || place === result.node_id ? place : textCell(`${place}, ${result.node_id}`);
  };
}

interface Shown {
  readonly placeOf: PlaceOf;
  readonly columns: ReturnType<typeof definitionOf>['columns'];
}

function resultTable({ node_results }: TaskView, screen: Screen, { placeOf, columns }: Shown): string[] {
  const shorts = node_results.map(shortPlace);
  // a short place that two nodes share names neither
  const isClear = new Set(shorts).size === shorts.length;
  const rows = node_results.map((result, i) => [
    { text: placeOf(result), ...(isClear ? { short: shorts[i] ?? '' } : {}) },
    result.success
      ? ({ text: 'ok', tone: 'good' } as const)
      : ({ text: result.error?.code ?? 'failed', tone: 'bad' } as const),
    ...columns.map(({ cell }) => (result.success ? cell(result) : '')),
  ]);
  const own = columns.map(({ title, isInDetails }) => ({ title, isElsewhere: isInDetails === true }));
  return tableLines({ columns: [{ title: 'From' }, { title: 'Result' }, ...own], rows }, screen);
}

/** Text below a table: indented by two, wrapped at the width. */
function belowTable(text: string, { width }: Screen): string[] {
  return wrapText(text, width - 2).map((line) => `  ${line}`);
}

/** Errors in full, each of them once. */
function errorsOf({ node_results }: TaskView): string[] {
  const texts = node_results.flatMap(({ error }) => (error ? [textCell(`${error.code}: ${error.message}`)] : []));
  return [...new Set(texts)];
}

/** Details below the place of their node; details that are the same for several nodes stand once, below all of them. */
function detailBlocks({ probe_type, node_results }: TaskView, { width, paint }: Screen, placeOf: PlaceOf): string[] {
  const blocks = new Map<string, { readonly places: string[]; readonly lines: readonly string[] }>();
  for (const result of node_results) {
    const lines = detailLines(probe_type, result);
    if (lines.length === 0) continue;
    const block = blocks.get(lines.join('\n')) ?? { places: [], lines };
    block.places.push(placeOf(result));
    blocks.set(lines.join('\n'), block);
  }
  return [...blocks.values()].flatMap(({ places, lines }) => [
    '',
    ...wrapText(places.join('; '), width).map((line) => paint(line, 'strong')),
    ...lines.flatMap((line) => wrapLine(line, width - 2)).map((line) => `  ${line}`.trimEnd()),
  ]);
}

function shortPlace({ node: { city, country, asn }, node_id }: NodeResultView): string {
  const parts = city === null ? [country, asn === null ? null : `AS${asn}`] : [city, country];
  return parts.filter((part) => part !== null).join(', ') || node_id;
}

function placeText(node: NodeResultView['node'], nodeId: string, name: string | null): string {
  const parts = [name, node.city, node.country, node.asn === null ? null : `AS${node.asn}`].filter(
    (part) => part !== null,
  );
  return textCell(parts.join(', ') || nodeId);
}
