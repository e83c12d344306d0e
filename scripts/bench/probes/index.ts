import { startLab } from '../../lab/lab.js';
import { startProber } from '../../lab/prober.js';
import { machineText, tableText, writeReport } from '../report.js';
import type { Comparison, Row } from './comparison.js';
import { dns } from './dns.js';
import { http } from './http.js';
import { ntp } from './ntp.js';
import { ping } from './ping.js';
import { smtp } from './smtp.js';
import { speedtest } from './speedtest.js';
import { ssl } from './ssl.js';
import { tcp } from './tcp.js';
import { trace } from './trace.js';

/** The one list of comparisons. */
const comparisons: readonly Comparison[] = [tcp, dns, http, ssl, ping, trace, smtp, ntp, speedtest];

export interface ProbeBenchOptions {
  readonly rounds: number;
  readonly isDryRun: boolean;
  /** Names of comparisons, divided by commas; all without it. */
  readonly only: string | undefined;
}

/** Each engine beside the field's own tool, in a lab of its own, both in turns; a table for each. */
export async function benchProbes({ rounds, isDryRun, only }: ProbeBenchOptions): Promise<void> {
  const chosen = choose(only);
  for (const comparison of chosen) {
    process.stderr.write(`${comparison.name}: ${comparison.title}…\n`);
    const report = reportText(comparison, await compare(comparison, rounds), rounds);
    process.stdout.write(`${report}\n`);
    if (!isDryRun) writeReport(`probes-${comparison.name}`, report);
  }
}

function choose(only: string | undefined): readonly Comparison[] {
  if (only === undefined) return comparisons;
  return only.split(',').map((name) => {
    const found = comparisons.find((known) => known.name === name.trim());
    if (found !== undefined) return found;
    throw new RangeError(`unknown comparison "${name}": one of ${comparisons.map((known) => known.name).join(', ')}`);
  });
}

async function compare(comparison: Comparison, rounds: number): Promise<Row[]> {
  const lab = await startLab(comparison.lab);
  try {
    const prober = await startProber(lab);
    return await comparison.run({ lab, prober, rounds });
  } finally {
    await lab.stop();
  }
}

function reportText({ title, peer }: Comparison, rows: readonly Row[], rounds: number): string {
  const cells = rows.map(({ what, ours, theirs, ratio, goal }) => [what, ours, theirs, ratio, goal]);
  const table = tableText(['measured', 'vantage', peer, 'vantage / peer, or difference', 'goal'], cells);
  return `## probes: ${title}\n\n${machineText()}; ${rounds} rounds, both in turns.\n\n${table}\n`;
}
