import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ProbeType } from '@vantage/shared/probe-types/index.js';
import type { Lab } from '../../lab/lab.js';
import { type Prober, startProber } from '../../lab/prober.js';
import { memoryOfAll } from '../processes.js';
import { compareAgent, leakingTypes } from './agent-memory.js';
import type { Census } from './census.js';
import { type Comparison, equalityRow, type Row } from './comparison.js';
import { IN_FLIGHT, progress, runProbes, WARM_UP_PROBES } from './many-probes.js';
import { SPEEDTEST_SERVER } from './memory-targets.js';

const CLI = fileURLToPath(import.meta.resolve('vantage-agent/cli.js'));
const READINGS = 5;
const GOAL_MB = 10;

/** Memory of a child at one moment. */
interface Holding {
  readonly rssMb: number;
  readonly heapMb: number;
  /** Descriptors, and what keeps the event loop going. */
  readonly open: string;
}

/**
 * Memory that thousands of probes leave behind. Each type has a child of its own: in a shared one, a leak would fill
 * the memory that the previous type has freed, and could not be attributed. Where Node itself leaks, the agent whose
 * children are replaced is measured next to the one whose child is not.
 */
export const memory: Comparison = {
  name: 'memory',
  title: 'memory: what probes leave behind in the measuring child, a fresh one for each type',
  question: 'Do ten thousand probes of a type leave less than 10 MB and nothing open?',
  peer: 'the same child before',
  method: ({ probes }) =>
    `${probes} probes of each type, ${IN_FLIGHT} in flight, after ${WARM_UP_PROBES} to warm it up`,
  lab: { servers: ['web', 'dns', 'mail', 'time'] },
  async run({ lab, prober, probes, types }) {
    await prober.stop();
    await startSpeedtestServer(lab);
    const rows: Row[] = [];
    for (const type of types) {
      rows.push(...(await compareType(type, { lab, probes })));
      if (leakingTypes.has(type)) rows.push(...(await compareAgent(type, { lab, probes })));
    }
    return rows;
  },
};

async function compareType(type: ProbeType, { lab, probes }: { lab: Lab; probes: number }): Promise<Row[]> {
  const prober = await startProber(lab, { nodeFlags: ['--import', new URL('./census.js', import.meta.url).href] });
  try {
    const surprises = await runProbes(prober, type, WARM_UP_PROBES);
    const before = await holdingOf(prober);
    progress(`${type}: ${text(before)} after the warm-up`);
    const half = Math.floor(probes / 2);
    surprises.push(...(await runProbes(prober, type, half)));
    progress(`${type}: ${text(await holdingOf(prober))} after ${half}`);
    surprises.push(...(await runProbes(prober, type, probes - half)));
    const after = await holdingOf(prober);
    progress(`${type}: ${text(after)} after ${probes}`);
    for (const surprise of new Set([...surprises, ...prober.faults])) progress(`${type}: ${surprise}`);
    return rowsOf({ type, before, after, surprises: surprises.length + prober.faults.length });
  } finally {
    await prober.stop();
  }
}

interface Found {
  readonly type: ProbeType;
  readonly before: Holding;
  readonly after: Holding;
  readonly surprises: number;
}

function rowsOf({ type, before, after, surprises }: Found): Row[] {
  const grown = (what: string, of: (holding: Holding) => number, goal: string): Row => {
    const difference = of(after) - of(before);
    const ratio = `${difference < 0 ? '' : '+'}${difference.toFixed(1)}`;
    return { what, ours: of(after).toFixed(1), theirs: of(before).toFixed(1), ratio, goal };
  };
  return [
    grown(
      `${type}: resident, MB`,
      ({ rssMb }) => rssMb,
      leakingTypes.has(type) ? 'Node leaks' : `within ${GOAL_MB} MB`,
    ),
    grown(`${type}: heap and buffers, MB`, ({ heapMb }) => heapMb, ''),
    equalityRow({ what: `${type}: descriptors and handles`, ours: after.open, theirs: before.open }),
    equalityRow({ what: `${type}: probes that did not end as they should`, ours: String(surprises), theirs: '0' }),
  ];
}

/** The least of several readings: what ends late is no leak. */
async function holdingOf(prober: Prober): Promise<Holding> {
  const readings: (Holding & { readonly handles: number })[] = [];
  for (let reading = 0; reading < READINGS; reading += 1) {
    await pause(300);
    const { heapBytes, resources } = await censusOf(prober);
    const { rssMb } = memoryOfAll([prober.pid]);
    const descriptors = readdirSync(`/proc/${prober.pid}/fd`).length;
    const names = Object.entries(resources).map(([name, count]) => `${count} ${name}`);
    const handles = Object.values(resources).reduce((sum, count) => sum + count, descriptors);
    readings.push({ rssMb, heapMb: heapBytes / 2 ** 20, open: [descriptors, ...names].join(', '), handles });
  }
  const [fewest] = readings.toSorted((a, b) => a.handles - b.handles);
  return {
    rssMb: Math.min(...readings.map(({ rssMb }) => rssMb)),
    heapMb: Math.min(...readings.map(({ heapMb }) => heapMb)),
    open: fewest?.open ?? '',
  };
}

function censusOf({ child }: Prober): Promise<Census> {
  return new Promise((resolve) => {
    const take = (batch: unknown) => {
      const [first] = batch as readonly { readonly kind: string }[];
      if (first?.kind !== 'census') return;
      child.off('message', take);
      resolve(first as Census);
    };
    child.on('message', take);
    child.kill('SIGUSR2');
  });
}

async function startSpeedtestServer(lab: Lab): Promise<void> {
  const command = [process.execPath, CLI, 'speedtest-server', '--listen', SPEEDTEST_SERVER];
  const server = lab.spawn('far', command, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (server.stdout === null) throw new Error('the server printed nothing');
  await once(server.stdout, 'data');
}

function text({ rssMb, heapMb, open }: Holding): string {
  return `${rssMb.toFixed(1)} MB resident, ${heapMb.toFixed(1)} MB of heap and buffers, open ${open}`;
}
