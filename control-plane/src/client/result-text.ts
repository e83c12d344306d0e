import { textCell } from '@vantage/shared/probe-types/cells.js';
import { detailLines } from '@vantage/shared/probe-types/detail-lines.js';
import { disturbedNote, isMuchDisturbed } from '@vantage/shared/probe-types/disturbed-note.js';
import { definitionOf } from '@vantage/shared/probe-types/index.js';
import { type Verdict, verdictOf } from '@vantage/shared/probe-types/verdict.js';
import type { Tone } from '@vantage/shared/terminal/colours.js';
import type { Screen } from '@vantage/shared/terminal/screen.js';
import { tableLines } from '@vantage/shared/terminal/table.js';
import { wrapLine, wrapText } from '@vantage/shared/terminal/wrap-text.js';
import type { NodeResultView, TaskView } from '../modules/probes/index.js';
import { type NameOf, nodePlaces } from './node-places.js';
import { unfitLines } from './unfit-text.js';

/** How a task is shown: names of nodes, for those that their place does not name, and their ids if they are wanted. */
export interface TaskTextOptions {
  readonly nameOf?: NameOf;
  readonly hasIds?: boolean;
}

/**
 * A task for a screen: a table with a row per node; below it the errors in full, a note about nodes that were too busy to
 * be exact, then the details of each node, and the nodes that could not take part.
 */
export function taskText(task: TaskView, screen: Screen, options: TaskTextOptions = {}): string {
  const places = placesOf(task, options);
  const placeOf = ({ node_id: id }: NodeResultView) => places.get(id) ?? id;
  const note = disturbedNote(task.node_results.map((result) => ({ place: placeOf(result), result })));
  const below = [...errorsOf(task), ...(note === null ? [] : [note])];
  return [
    ...resultTable(task, screen, { placeOf, columns: definitionOf(task.probe_type).columns, ...options }),
    ...below.flatMap((text) => belowTable(text, screen)),
    ...detailBlocks(task, screen, placeOf),
    ...unfitLines(task, screen, (id) => places.get(id) ?? id),
  ].join('\n');
}

/**
 * A task without details: a line for each node with the name of the node and as many columns as the screen has room for,
 * then the errors in full.
 */
export function taskTableText(task: TaskView, screen: Screen, nameOf: NameOf): string {
  const columns = definitionOf(task.probe_type).columns.map((column) => ({ ...column, isInDetails: true as const }));
  const places = placesOf(task, { nameOf });
  const placeOf = ({ node_id: id }: NodeResultView) => nameOf(id) ?? places.get(id) ?? id;
  return [
    ...resultTable(task, screen, { placeOf, columns, nameOf }),
    ...errorsOf(task).flatMap((text) => belowTable(text, screen)),
  ].join('\n');
}

/** True if a node was late by a good part of what it measured: its times may be too high. */
export function isTaskDisturbed({ node_results }: TaskView): boolean {
  return node_results.some(isMuchDisturbed);
}

/** True if a result of a task is bad, such as a status of 400 or more; with `isAnyStatus` only if its probe failed. */
export function hasFailed({ probe_type, node_results, status }: TaskView, isAnyStatus = false): boolean {
  const isBad = (result: NodeResultView) =>
    isAnyStatus ? !result.success : verdictOf(probe_type, result).look === 'bad';
  return status === 'failed' || node_results.some(isBad);
}

type PlaceOf = (result: NodeResultView) => string;

/** Nodes of a task, those that could not take part too; places of these are not in the task. */
export function nodesOf({ node_results, unfit_nodes = [] }: TaskView) {
  return [...node_results, ...unfit_nodes.map(({ node_id }) => ({ node_id }))];
}

function placesOf(task: TaskView, { nameOf = () => null, hasIds = false }: TaskTextOptions): Map<string, string> {
  const places = nodePlaces(nodesOf(task), nameOf);
  return new Map([...places].map(([id, place]) => [id, hasIds && !place.startsWith(id) ? `${place}, ${id}` : place]));
}

interface Shown extends TaskTextOptions {
  readonly placeOf: PlaceOf;
  readonly columns: ReturnType<typeof definitionOf>['columns'];
}

const tones = { good: 'good', warn: 'warning', bad: 'bad' } as const satisfies Record<Verdict['look'], Tone>;

function resultTable(task: TaskView, screen: Screen, { placeOf, columns, ...options }: Shown): string[] {
  const { probe_type, node_results } = task;
  const shorts = shortPlaces(task, options);
  const rows = node_results.map((result, i) => {
    const { word, look } = verdictOf(probe_type, result);
    const short = shorts[i] ?? null;
    return [
      { text: placeOf(result), ...(short === null ? {} : { short }) },
      { text: word, tone: tones[look] },
      ...columns.map(({ cell }) => (result.success ? cell(result) : '')),
    ];
  });
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

/** For each node its city and country, or country and network, or else its name; null where none of them names it alone. */
function shortPlaces({ node_results }: TaskView, { nameOf = () => null, hasIds }: TaskTextOptions): (string | null)[] {
  if (hasIds === true) return [];
  const shorts = node_results.map(({ node: { city, country, asn } }) => {
    const parts = city === null ? [country, asn === null ? null : `AS${asn}`] : [city, country];
    return parts.filter((part) => part !== null).join(', ');
  });
  return node_results.map(({ node_id: id }, i) => {
    const short = shorts[i] ?? '';
    return short !== '' && shorts.indexOf(short) === shorts.lastIndexOf(short) ? short : nameOf(id);
  });
}
