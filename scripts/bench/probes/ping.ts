import { setTimeout as pause } from 'node:timers/promises';
import type { Lab } from '../../lab/lab.js';
import type { Prober } from '../../lab/prober.js';
import { sized } from '../sized.js';
import { quantile } from '../statistics.js';
import { type Comparison, type ComparisonOptions, differenceRow, type Row, ratioRow } from './comparison.js';
import { floodRows } from './flood.js';

const target = '25.80.10.10';
const packets = sized(25, 3);
const httpInFlight = 50;
const lossRatio = 0.05;

/** Round-trip times, rate, loss and order, beside ping's and fping's. */
export const ping: Comparison = {
  name: 'ping',
  title: 'ping: times over a path of 20 ms, rate over a cable and over loopback, loss and order as the links made them',
  question: 'Are times and rates those of ping and fping, and loss what the links made?',
  peer: 'ping, fping or the links',
  lab: { servers: ['web'], seed: 1 },
  programs: ['ping', 'fping'],
  async run(options) {
    const { lab } = options;
    await lab.setLink(2, 'both', { delayMs: 10 });
    const idle = await timeRows(options, 'idle', async (measure) => measure());
    const busy = await timeRows(options, `${httpInFlight} http probes in flight`, (measure) =>
      besideHttp(options.prober, measure),
    );
    await lab.setLink(2, 'both', { delayMs: 0 });
    return [
      ...idle,
      ...busy,
      ...(await floodRows(options)),
      ...(await lossRows(options)),
      ...(await orderRows(options)),
    ];
  },
};

type Sample = { readonly ours: number[]; readonly theirs: number[] };

/** Runs both pings at the same time, half an interval apart, so that they meet the same moments of the machine. */
async function timeRows(
  { lab, prober, rounds }: ComparisonOptions,
  when: string,
  around: (measure: () => Promise<Sample>) => Promise<Sample>,
): Promise<Row[]> {
  const least: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] };
  const middle: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] };
  for (let round = 0; round < rounds; round += 1) {
    const sample = await around(() => bothPing(lab, prober));
    for (const who of ['ours', 'theirs'] as const) {
      least[who].push(Math.min(...sample[who]));
      middle[who].push(quantile(sample[who], 0.5));
    }
  }
  const goal = when === 'idle' ? 'within 1.01' : 'within 1.02';
  return [
    ratioRow({ what: `smallest RTT, ms (${when})`, ...least, digits: 3, goal }),
    ratioRow({ what: `median RTT, ms (${when})`, ...middle, digits: 3, goal }),
  ];
}

async function bothPing(lab: Lab, prober: Prober): Promise<Sample> {
  const theirs = lab.exec('agent', 'ping', '-n', '-c', String(packets), '-i', '0.2', target);
  await pause(100);
  const { replies } = await prober.probe('ping', target, { count: packets, interval_ms: 200 });
  return {
    ours: replies.flatMap(({ rtt_ms }) => (rtt_ms === null ? [] : [rtt_ms])),
    theirs: [...(await theirs).matchAll(/time=([\d.]+) ms/g)].map(([, ms]) => Number(ms)),
  };
}

/** Keeps that many http probes going in the same process while `measure` runs. */
async function besideHttp<T>(prober: Prober, measure: () => Promise<T>): Promise<T> {
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

/** Ten pings side by side over a link that loses packets; the link has counted them. */
async function lossRows({ lab, prober, rounds }: ComparisonOptions): Promise<Row[]> {
  await lab.setLink(2, 'forth', { lossRatio });
  const ours: number[] = [];
  const theirs: number[] = [];
  let sent = 0;
  for (let round = 0; round < rounds; round += 1) {
    const { counters: before } = await lab.link(2, 'forth');
    const pings = Array.from({ length: 10 }, () => prober.probe('ping', target, { count: 50, interval_ms: 200 }));
    const results = await Promise.all(pings);
    const { counters: after } = await lab.link(2, 'forth');
    ours.push(results.reduce((sum, { packets_sent, packets_received }) => sum + packets_sent - packets_received, 0));
    theirs.push(after.lost - before.lost);
    sent += results.reduce((sum, { packets_sent }) => sum + packets_sent, 0);
  }
  await lab.setLink(2, 'forth', { lossRatio: 0 });
  const measured = ours.reduce((sum, lost) => sum + lost, 0) / sent;
  const deviations = (measured - lossRatio) / Math.sqrt((lossRatio * (1 - lossRatio)) / sent);
  return [
    differenceRow({ what: 'packets lost of 500 (the links)', ours, theirs, digits: 0, goal: 'equal' }),
    {
      what: `loss over ${sent} packets (what the link was told)`,
      ours: `${(measured * 100).toFixed(2)} %`,
      theirs: `${lossRatio * 100} %`,
      ratio: `${deviations.toFixed(2)} standard deviations`,
      goal: 'within 2.58 (binomial, 99 %)',
    },
  ];
}

/** One ping after the other over links that double and reorder. */
async function orderRows({ lab, prober, rounds }: ComparisonOptions): Promise<Row[]> {
  await lab.setLink(3, 'forth', { reorderRatio: 0.3 });
  await lab.setLink(2, 'back', { duplicateRatio: 0.3 });
  const duplicates: Sample = { ours: [], theirs: [] };
  const reordered: Sample = { ours: [], theirs: [] };
  for (let round = 0; round < rounds; round += 1) {
    const before = [await lab.link(2, 'back'), await lab.link(3, 'forth')] as const;
    const result = await prober.probe('ping', target, { count: packets, interval_ms: 200 });
    const after = [await lab.link(2, 'back'), await lab.link(3, 'forth')] as const;
    duplicates.ours.push(result.packets_duplicate);
    duplicates.theirs.push(after[0].counters.duplicated - before[0].counters.duplicated);
    reordered.ours.push(result.packets_out_of_order);
    reordered.theirs.push(after[1].counters.reordered - before[1].counters.reordered);
  }
  await lab.setLink(3, 'forth', { reorderRatio: 0 });
  await lab.setLink(2, 'back', { duplicateRatio: 0 });
  const goal = 'equal, but for a copy of the last reply';
  return [
    differenceRow({ what: 'duplicates of a ping (the links)', ...duplicates, digits: 0, goal }),
    differenceRow({ what: 'replies out of order (the links)', ...reordered, digits: 0, goal: 'equal' }),
  ];
}
