import { machineText, tableText, writeReport } from '../report.js';
import { agentMemory } from './agent-memory.js';
import { badPeer } from './bad-peer.js';
import type { LinkBenchOptions, LinkComparison, LinkRow } from './comparison.js';
import { firstRow } from './first-row.js';
import { flat } from './flat.js';
import { frames } from './frames.js';
import { idle } from './idle.js';
import { ingest } from './ingest.js';
import { spool } from './spool.js';
import { storm } from './storm.js';

/** The one list of comparisons. */
const comparisons: readonly LinkComparison[] = [
  ingest,
  idle,
  frames,
  storm,
  firstRow,
  flat,
  spool,
  agentMemory,
  badPeer,
];

interface LinkBenchRequest extends LinkBenchOptions {
  readonly isDryRun: boolean;
  /** Names of comparisons, divided by commas; all without it. */
  readonly only: string | undefined;
}

/** Measures each part of the node link beside its baseline; a table for each. */
export async function benchLink({ isDryRun, only, ...options }: LinkBenchRequest): Promise<void> {
  for (const comparison of chooseComparisons(only)) {
    process.stderr.write(`${comparison.name}: ${comparison.title}…\n`);
    const report = reportText(comparison, await comparison.run(options), options);
    process.stdout.write(`${report}\n`);
    if (!isDryRun) writeReport(`link-${comparison.name}`, report);
  }
}

function chooseComparisons(only: string | undefined): readonly LinkComparison[] {
  if (only === undefined) return comparisons;
  return only.split(',').map((name) => {
    const found = comparisons.find((known) => known.name === name.trim());
    if (found !== undefined) return found;
    throw new RangeError(`unknown comparison "${name}": one of ${comparisons.map((known) => known.name).join(', ')}`);
  });
}

function reportText({ title, method }: LinkComparison, rows: readonly LinkRow[], options: LinkBenchOptions): string {
  const cells = rows.map(({ what, ours, baseline, ratio, goal }) => [what, ours, baseline, ratio, goal]);
  const table = tableText(['measured', 'vantage', 'baseline', 'vantage / baseline', 'goal'], cells);
  return `## link: ${title}\n\n${machineText()}; ${method(options)}.\n\n${table}\n`;
}
