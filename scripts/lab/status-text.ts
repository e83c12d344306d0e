import type { LinkSettings, LinkStatus } from './emulator.js';

const head = ['link', 'way', 'does', 'in', 'out', 'lost', 'overflow', 'doubled', 'reordered', 'failed'];

/** Links as a table: one line for each direction. */
export function statusText(links: readonly LinkStatus[]): string {
  const rows = links.map(({ link, direction, settings, counters }) => [
    String(link),
    direction,
    settingsText(settings),
    ...[counters.received, counters.delivered, counters.lost, counters.overflowed].map(String),
    ...[counters.duplicated, counters.reordered, counters.failed].map(String),
  ]);
  return alignedText([head, ...rows]);
}

/** Columns as wide as their widest cell; a line for each row. */
export function alignedText(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('');
}

function settingsText(settings: LinkSettings): string {
  const { delayMs, jitterMs, lossRatio, duplicateRatio, reorderRatio, rateBitsPerSecond } = settings;
  const parts = [
    delayMs > 0 ? `${delayMs} ms` : '',
    jitterMs > 0 ? `±${jitterMs} ms` : '',
    lossRatio > 0 ? `loses ${lossRatio}` : '',
    duplicateRatio > 0 ? `doubles ${duplicateRatio}` : '',
    reorderRatio > 0 ? `reorders ${reorderRatio}` : '',
    rateBitsPerSecond > 0 ? `${rateBitsPerSecond} bit/s` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
