import { type FactBlock, factBlocks } from '@vantage/shared/fact-blocks.js';
import type { Screen } from '@vantage/shared/terminal/screen.js';
import { tableLines } from '@vantage/shared/terminal/table.js';
import { wrappedRows } from '@vantage/shared/terminal/wrapped-rows.js';

/**
 * The fields of an answer as lines for a screen, in their order; tables and records are indented below their names.
 */
export function factsText(facts: object, screen: Screen): string {
  return factBlocks(facts)
    .flatMap((block) => linesOf(block, screen))
    .join('\n');
}

function linesOf(block: FactBlock, screen: Screen): string[] {
  if (block.kind === 'values') return wrappedRows(block.rows, screen);
  const inner = { ...screen, width: screen.width - 2 };
  const lines =
    block.kind === 'table'
      ? tableLines({ columns: block.head.map((title) => ({ title })), rows: block.rows }, inner)
      : block.blocks.flatMap((part) => linesOf(part, inner));
  return [block.name, ...lines.map((line) => `  ${line}`)];
}
