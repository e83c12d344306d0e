import type { Screen } from '@vantage/shared/terminal/screen.js';
import { type Cell, tableLines } from '@vantage/shared/terminal/table.js';
import type { NodeRecord } from './list-nodes.js';

/** Nodes as a table for a screen, with their ids if they are wanted; one without room leaves out the capabilities. */
export function nodesText(nodes: readonly NodeRecord[], screen: Screen, hasIds = false): string {
  const titles = ['NAME', ...(hasIds ? ['ID'] : []), 'STATUS', 'COUNTRY', 'CITY', 'NETWORK', 'CAN'];
  const rows = nodes.map((node): Cell[] => [
    node.name,
    ...(hasIds ? [node.id] : []),
    { text: node.status, tone: node.status === 'online' ? 'good' : 'warning' },
    node.country ?? '-',
    node.city ?? '-',
    node.asn === null ? '-' : `AS${node.asn}`,
    node.capabilities.join(' ') || '-',
  ]);
  const columns = titles.map((title) => ({ title, isElsewhere: title === 'CAN' }));
  return tableLines({ columns, rows }, screen).join('\n');
}
