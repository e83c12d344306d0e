import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import { cpuSecondsOf } from '../processes.js';
import { quantile } from '../statistics.js';
import { type Comparison, type ComparisonOptions, differenceRow, type Row, ratioRow } from './comparison.js';
import { bareCpuMicros, curlPhases, type HttpVariant, startBlackbox } from './http-peers.js';

/** Each alone on the path, ours and curl's in turns. */
const SAMPLES = 15;
const IN_FLIGHT = 50;
const WINDOW_MS = 3000;
const ADDRESS = '25.80.10.10';

const variants: readonly HttpVariant[] = [
  { name: 'http', url: 'http://www.lab.test/', version: '1.1' },
  { name: 'https', url: 'https://www.lab.test/', version: '1.1' },
  { name: 'h2', url: 'https://www.lab.test/', version: '2' },
];

const phases = ['dns', 'tcp', 'tls', 'ttfb', 'download', 'total'] as const;
type Phase = (typeof phases)[number];
type Times = Record<Phase, number>;

/** Phases, accuracy under load, CPU and throughput, each beside the program that is best at it. */
export const http: Comparison = {
  name: 'http',
  title:
    'http: phases and totals over a path of 20 ms beside curl, CPU beside http.request, throughput beside blackbox_exporter',
  peer: 'curl, http.request or blackbox_exporter',
  lab: { servers: ['web', 'dns'] },
  async run(options) {
    const rows: Row[] = [];
    await options.lab.setLink(2, 'both', { delayMs: 10 });
    for (const variant of variants) {
      rows.push(...(await phaseRows(variant, options)));
      rows.push(await loadedRow(variant, options));
    }
    await options.lab.setLink(2, 'both', { delayMs: 0 });
    return [...rows, await cpuRow(options), await throughputRow(options)];
  },
};

async function phaseRows(variant: HttpVariant, { lab, prober, rounds }: ComparisonOptions): Promise<Row[]> {
  const medians: { ours: Times; theirs: Times }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const ours: Times[] = [];
    const theirs: Times[] = [];
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      ours.push(timesOf(await prober.probe('http', variant.url, { http_version: variant.version })));
      theirs.push(await curlPhases(lab, variant));
    }
    medians.push({ ours: mediansOf(ours), theirs: mediansOf(theirs) });
  }
  const wanted = phases.filter((phase) => phase !== 'tls' || variant.url.startsWith('https:'));
  return wanted.map((phase) =>
    differenceRow({
      what: `${variant.name} ${phase}, ms, 1 in flight`,
      ours: medians.map(({ ours }) => ours[phase]),
      theirs: medians.map(({ theirs }) => theirs[phase]),
      goal: 'within 1 ms or 2 %',
      digits: 3,
    }),
  );
}

/** Ours among fifty beside curl's alone: what the path and the server cost, and nothing else. */
async function loadedRow(variant: HttpVariant, { lab, prober, rounds }: ComparisonOptions): Promise<Row> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const alone: number[] = [];
    for (let sample = 0; sample < SAMPLES; sample += 1) alone.push((await curlPhases(lab, variant)).total);
    const totals: number[] = [];
    await inFlight(IN_FLIGHT, WINDOW_MS, async () => {
      totals.push(timesOf(await prober.probe('http', variant.url, { http_version: variant.version })).total);
    });
    theirs.push(quantile(alone, 0.5));
    ours.push(quantile(totals, 0.5));
  }
  return ratioRow({ what: `${variant.name} total, ms, ${IN_FLIGHT} in flight`, ours, theirs, goal: '0.95 to 1.05' });
}

/** The measuring child as the agent runs it, its messages included. */
async function cpuRow({ lab, prober, rounds }: ComparisonOptions): Promise<Row> {
  const url = `http://${ADDRESS}/`;
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = cpuSecondsOf(prober.pid);
    const count = await inFlight(16, WINDOW_MS, () => prober.probe('http', url));
    ours.push(((cpuSecondsOf(prober.pid) - before) / count) * 1e6);
    theirs.push(await bareCpuMicros(lab, { url, inFlight: 16, windowMs: WINDOW_MS }));
  }
  return ratioRow({ what: 'http, CPU per probe, µs', ours, theirs, goal: 'at most 1.6', digits: 0 });
}

async function throughputRow({ lab, prober, rounds }: ComparisonOptions): Promise<Row> {
  const url = `http://${ADDRESS}/`;
  const blackbox = await startBlackbox(lab);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const count = await inFlight(IN_FLIGHT, WINDOW_MS, () => prober.probe('http', url));
    ours.push((count / WINDOW_MS) * 1000);
    theirs.push(await blackbox.probesPerSecond({ url, inFlight: IN_FLIGHT, windowMs: WINDOW_MS }));
  }
  return ratioRow({ what: `http, probes/s, ${IN_FLIGHT} in flight`, ours, theirs, goal: 'at least 1', digits: 0 });
}

/** Keeps so many going until the window is over. @returns how many ended within it */
async function inFlight(concurrency: number, windowMs: number, once: () => Promise<unknown>): Promise<number> {
  const endsAt = performance.now() + windowMs;
  let count = 0;
  const loop = async () => {
    while (performance.now() < endsAt) {
      await once();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  return count;
}

function timesOf({ success, error, timing, response_ms: total }: ProbeResults['http']): Times {
  if (!success || total === null) throw new Error(`the web server did not answer: ${error?.code} ${error?.message}`);
  const { dns_ms: dns, tcp_ms: tcp, tls_ms: tls, ttfb_ms: ttfb, download_ms: download } = timing;
  return { dns: dns ?? 0, tcp: tcp ?? 0, tls: tls ?? 0, ttfb: ttfb ?? 0, download: download ?? 0, total };
}

function mediansOf(samples: readonly Times[]): Times {
  const median = (phase: Phase) =>
    quantile(
      samples.map((times) => times[phase]),
      0.5,
    );
  return Object.fromEntries(phases.map((phase) => [phase, median(phase)])) as Times;
}
