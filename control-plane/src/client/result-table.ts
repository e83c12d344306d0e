import { textCell } from '@vantage/shared/probe-types/cells.js';
import { detailLines } from '@vantage/shared/probe-types/detail-lines.js';
import { disturbedNote } from '@vantage/shared/probe-types/disturbed-note.js';
import { definitionOf } from '@vantage/shared/probe-types/index.js';
import type { NodeResultView, TaskView } from '../modules/probes/index.js';
import { tableText } from '../terminal/print.js';

/**
 * A task as a table for a terminal, one row per node; below it the errors in full, the nodes that were too busy to be
 * exact, then the details of each node.
 */
export function taskTable(task: TaskView, nameOf: (nodeId: string) => string | null = () => null): string {
  const { columns } = definitionOf(task.probe_type);
  const head = ['From', 'Result', ...columns.map(({ title }) => title)];
  const rows = task.node_results.map((result) => [
    placeOf(result, nameOf(result.node_id)),
    result.success ? 'ok' : (result.error?.code ?? 'failed'),
    ...columns.map(({ cell }) => (result.success ? cell(result) : '')),
  ]);
  const errors = new Set(
    task.node_results.flatMap(({ error }) => (error ? [textCell(`${error.code}: ${error.message}`)] : [])),
  );
  const notes = task.node_results.flatMap((result) => {
    const note = disturbedNote(result);
    return note === null ? [] : [`  ${placeOf(result, nameOf(result.node_id))}: ${note}`];
  });
  const details = task.node_results.flatMap((result) => detailBlock(task, result, nameOf(result.node_id)));
  return [tableText(head, rows), ...[...errors].map((error) => `  ${error}`), ...notes, ...details].join('\n');
}

function detailBlock({ probe_type }: TaskView, result: NodeResultView, name: string | null): string[] {
  const lines = detailLines(probe_type, result);
  return lines.length === 0 ? [] : ['', placeOf(result, name), ...lines.map((line) => `  ${line}`)];
}

function placeOf({ node, node_id }: NodeResultView, name: string | null): string {
  const parts = [name, node.city, node.country, node.asn === null ? null : `AS${node.asn}`].filter(
    (part) => part !== null,
  );
  return parts.length === 0 ? node_id : textCell(parts.join(', '));
}
