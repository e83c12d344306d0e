import type { LinkBenchOptions, LinkComparison, LinkRow } from './link/comparison.js';
import { machineText, tableText, writeReport } from './report.js';

/** Comparisons to run, and the size of each. */
export interface ComparisonRequest extends LinkBenchOptions {
  readonly isDryRun: boolean;
  /** Names of comparisons, divided by commas; all without it. */
  readonly only: string | undefined;
}

/** Measures each comparison beside its baseline; a table for each, in the report under `area`. */
export async function runComparisons(
  area: string,
  comparisons: readonly LinkComparison[],
  { isDryRun, only, ...options }: ComparisonRequest,
): Promise<void> {
  for (const comparison of chosen(comparisons, only)) {
    process.stderr.write(`${comparison.name}: ${comparison.title}…\n`);
    const report = reportText(area, comparison, { rows: await comparison.run(options), options });
    process.stdout.write(`${report}\n`);
    if (!isDryRun) writeReport(`${area}-${comparison.name}`, report);
  }
}

function chosen(comparisons: readonly LinkComparison[], only: string | undefined): readonly LinkComparison[] {
  if (only === undefined) return comparisons;
  return only.split(',').map((name) => {
    const found = comparisons.find((known) => known.name === name.trim());
    if (found !== undefined) return found;
    throw new RangeError(`unknown comparison "${name}": one of ${comparisons.map((known) => known.name).join(', ')}`);
  });
}

function reportText(
  area: string,
  { title, method }: LinkComparison,
  { rows, options }: { readonly rows: readonly LinkRow[]; readonly options: LinkBenchOptions },
): string {
  const cells = rows.map(({ what, ours, baseline, ratio, goal }) => [what, ours, baseline, ratio, goal]);
  const table = tableText(['measured', 'vantage', 'baseline', 'vantage / baseline', 'goal'], cells);
  return `## ${area}: ${title}\n\n${machineText()}; ${method(options)}.\n\n${table}\n`;
}
