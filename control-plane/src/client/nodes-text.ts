import type { Screen } from '@vantage/shared/terminal/screen.js';
import { type Cell, tableLines } from '@vantage/shared/terminal/table.js';
import type { NodeRecord } from './list-nodes.js';

/** Nodes as a table for a screen; one without room leaves out the capabilities, then the names. */
export function nodesText(nodes: readonly NodeRecord[], screen: Screen): string {
  const titles = ['ID', 'STATUS', 'COUNTRY', 'CITY', 'NETWORK', 'NAME', 'CAN'];
  const rows = nodes.map((node): Cell[] => [
    node.id,
    { text: node.status, tone: node.status === 'online' ? 'good' : 'warning' },
    node.country ?? '-',
    node.city ?? '-',
    node.asn === null ? '-' : `AS${node.asn}`,
    node.name,
    node.capabilities.join(' ') || '-',
  ]);
  const columns = titles.map((title) => ({ title, isElsewhere: title === 'NAME' || title === 'CAN' }));
  return tableLines({ columns, rows }, screen).join('\n');
}
