import { demand } from '@vantage/shared/_support/missing.js';
import { isProbeType, type ProbeType, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { startLab } from '../../lab/lab.js';
import { startProber } from '../../lab/prober.js';
import { machineText, tableText, writeReport } from '../report.js';
import { sized } from '../sized.js';
import { busy } from './busy.js';
import type { Comparison, ComparisonOptions, Row } from './comparison.js';
import { dns } from './dns.js';
import { http } from './http.js';
import { memory } from './memory.js';
import { ntp } from './ntp.js';
import { ping } from './ping.js';
import { smtp } from './smtp.js';
import { speedtest } from './speedtest.js';
import { ssl } from './ssl.js';
import { tcp } from './tcp.js';
import { trace } from './trace.js';
import { units } from './units.js';

/** The one list of probeComparisons. */
export const probeComparisons: readonly Comparison[] = [
  tcp,
  dns,
  http,
  ssl,
  ping,
  trace,
  smtp,
  ntp,
  speedtest,
  busy,
  units,
  memory,
];

export interface ProbeBenchOptions {
  readonly rounds: number;
  /** Number of probes of each type, where probes are counted in place of rounds. */
  readonly probes: number;
  /** Probe types to count them of, divided by commas; all without it. */
  readonly types: string | undefined;
  readonly isDryRun: boolean;
  /** Names of probeComparisons, divided by commas; all without it. */
  readonly only: string | undefined;
}

/** Each engine beside the field's own tool, in a lab of its own, both in turns; a table for each. */
export async function benchProbes({ isDryRun, only, types, ...numbers }: ProbeBenchOptions): Promise<void> {
  const chosen = chooseComparisons(only);
  const amounts = { ...numbers, types: chooseTypes(types) };
  for (const comparison of chosen) {
    process.stderr.write(`${comparison.name}: ${comparison.title}…\n`);
    const report = reportText(comparison, await compare(comparison, amounts), amounts);
    process.stdout.write(`${report}\n`);
    if (!isDryRun) writeReport(`probes-${comparison.name}`, report);
  }
}

function chooseTypes(types: string | undefined): readonly ProbeType[] {
  if (types === undefined) return sized<readonly ProbeType[]>(probeTypeNames, ['http']);
  return types.split(',').map((name) => {
    if (isProbeType(name)) return name;
    throw new RangeError(`unknown probe type "${name}": one of ${probeTypeNames.join(', ')}`);
  });
}

function chooseComparisons(only: string | undefined): readonly Comparison[] {
  if (only === undefined) return probeComparisons;
  return only.split(',').map((name) => {
    const found = probeComparisons.find((known) => known.name === name.trim());
    if (found !== undefined) return found;
    throw new RangeError(
      `unknown comparison "${name}": one of ${probeComparisons.map((known) => known.name).join(', ')}`,
    );
  });
}

type Amounts = Pick<ComparisonOptions, 'rounds' | 'probes' | 'types'>;

async function compare(comparison: Comparison, amounts: Amounts): Promise<Row[]> {
  demand(...(comparison.programs ?? []));
  const lab = await startLab(comparison.lab);
  try {
    const prober = await startProber(lab);
    return await comparison.run({ lab, prober, ...amounts });
  } finally {
    await lab.stop();
  }
}

function reportText({ title, peer, method }: Comparison, rows: readonly Row[], amounts: Amounts): string {
  const cells = rows.map(({ what, ours, theirs, ratio, goal }) => [what, ours, theirs, ratio, goal]);
  const table = tableText(['measured', 'vantage', peer, 'vantage / peer, or difference', 'goal'], cells);
  return `## probes: ${title}\n\n${machineText()}; ${method?.(amounts) ?? `${amounts.rounds} rounds, both in turns`}.\n\n${table}\n`;
}
