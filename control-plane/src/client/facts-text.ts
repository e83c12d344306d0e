import { type FactBlock, factBlocks } from '@vantage/shared/fact-blocks.js';
import { wrappedRows } from '../terminal/wrapped-rows.js';

/**
 * The fields of an answer as lines for a terminal of a width, in their order; tables and records are indented below their
 * names.
 */
export function factsText(facts: object, width: number): string {
  return factBlocks(facts)
    .flatMap((block) => linesOf(block, width))
    .join('\n');
}

function linesOf(block: FactBlock, width: number): string[] {
  if (block.kind === 'values') return wrappedRows(block.rows, { width });
  const inner = width - 2;
  const lines =
    block.kind === 'table'
      ? wrappedRows([block.head, ...block.rows], { width: inner })
      : block.blocks.flatMap((part) => linesOf(part, inner));
  return [block.name, ...lines.map((line) => `  ${line}`)];
}
