import { type FactBlock, factBlocks } from '@vantage/shared/fact-blocks.js';
import { alignedRows } from '@vantage/shared/probe-types/cells.js';

/** The fields of an answer as lines for a terminal, in their order; tables and records are indented below their names. */
export function factsText(facts: object): string {
  return factBlocks(facts).flatMap(linesOf).join('\n');
}

function linesOf(block: FactBlock): string[] {
  if (block.kind === 'values') return alignedRows(block.rows);
  const lines = block.kind === 'table' ? alignedRows([block.head, ...block.rows]) : block.blocks.flatMap(linesOf);
  return [block.name, ...lines.map((line) => `  ${line}`)];
}
