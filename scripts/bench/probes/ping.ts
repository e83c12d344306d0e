import { setTimeout as pause } from 'node:timers/promises';
import { type Row, rowOf, sized } from '../harness.js';
import { median } from '../statistics.js';
import { type Both, type Comparison, delayPath, type LabRun } from './comparison.js';
import { floodRows } from './flood.js';

const target = '25.80.10.10';
const packets = sized(25, 3);
const httpInFlight = 50;

/** Round-trip times and rate, compared with ping's and fping's. */
export const ping: Comparison = {
  name: 'ping',
  title: 'ping: times over a path of 20 ms, rate over a cable and over loopback',
  question: 'Are times and rates those of ping and fping?',
  peer: 'ping or fping',
  lab: { servers: ['web'], seed: 1 },
  programs: ['ping', 'fping', 'bash'],
  async run(options) {
    await delayPath(options);
    const idle = await timeRows(options, { when: 'idle', goal: 'within 1.01' });
    const when = `${httpInFlight} http probes in flight`;
    const busy = await underHttpLoad(options, () => timeRows(options, { when, goal: 'within 1.02' }));
    await delayPath(options, 0);
    return [...idle, ...busy, ...(await floodRows(options))];
  },
};

async function timeRows(
  options: LabRun,
  { when, goal }: { readonly when: string; readonly goal: string },
): Promise<Row[]> {
  const least: Both = { ours: [], baseline: [] };
  const middle: Both = { ours: [], baseline: [] };
  for (let round = 0; round < options.rounds; round += 1) {
    const sample = await bothPing(options);
    for (const side of ['ours', 'baseline'] as const) {
      least[side].push(Math.min(...sample[side]));
      middle[side].push(median(sample[side]));
    }
  }
  return [
    rowOf(`smallest RTT, ms (${when})`, { ...least, digits: 3, goal }),
    rowOf(`median RTT, ms (${when})`, { ...middle, digits: 3, goal }),
  ];
}

/** Runs both pings at the same time, half an interval apart, so that they meet the same moments of the machine. */
async function bothPing({ lab, prober }: LabRun): Promise<Both> {
  const theirs = lab.exec('agent', 'ping', '-n', '-c', String(packets), '-i', '0.2', target);
  await pause(100);
  const { replies } = await prober.probe('ping', target, { count: packets, interval_ms: 200 });
  return {
    ours: replies.flatMap(({ rtt_ms }) => (rtt_ms === null ? [] : [rtt_ms])),
    baseline: [...(await theirs).matchAll(/time=([\d.]+) ms/g)].map(([, ms]) => Number(ms)),
  };
}

/** Keeps http probes in flight in the same process during the measurement. */
async function underHttpLoad<T>({ prober }: LabRun, measure: () => Promise<T>): Promise<T> {
  let isOver = false;
  const loop = async () => {
    while (!isOver) await prober.probe('http', `http://${target}/`);
  };
  const loops = Array.from({ length: httpInFlight }, loop);
  try {
    return await measure();
  } finally {
    isOver = true;
    await Promise.all(loops);
  }
}
