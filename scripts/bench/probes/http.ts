import { setTimeout as pause } from 'node:timers/promises';
import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import { sized } from '../sized.js';
import { quantile } from '../statistics.js';
import { type Comparison, type ComparisonOptions, differenceRow, type Row, ratioRow } from './comparison.js';
import { cpuMethod, cpuRow } from './http-cpu.js';
import { ADDRESS, curlPhases, type HttpVariant, startBlackbox } from './http-peers.js';

/** Samples of each round, ours and curl's in turn. */
const SAMPLES = sized(15, 2);
const IN_FLIGHT = 50;
const WINDOW_MS = sized(3000, 300);
/** Time until a load is steady, in milliseconds. */
const SETTLE_MS = sized(1000, 200);
/** A probe of the load is answered after so long, of which 40 ms are the path; one begins every 5 ms. */
const LOAD_URL = `http://${ADDRESS}:8080/delay/210`;
const LOAD_INTERVAL_MS = 250 / IN_FLIGHT;

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
  question: "Are phases within 1 ms of curl's, and does a probe cost at most 1.6 bare requests?",
  peer: 'curl, http.request or blackbox_exporter',
  method: ({ rounds }) =>
    [
      `${rounds} rounds of ${SAMPLES} samples of each, in turns`,
      `${IN_FLIGHT} in flight: the same prober begins an http probe every ${LOAD_INTERVAL_MS} ms that is answered after 250, and under this load one more probe and curl are measured in turns, at a literal address`,
      cpuMethod,
    ].join('; '),
  lab: { servers: ['web', 'dns'] },
  programs: ['curl', 'prometheus-blackbox-exporter'],
  async run(options) {
    const rows: Row[] = [];
    await options.lab.setLink(2, 'both', { delayMs: 10 });
    for (const variant of variants) {
      rows.push(...(await phaseRows(variant, options)));
      rows.push(await loadedRow(variant, options));
    }
    await options.lab.setLink(2, 'both', { delayMs: 0 });
    return [...rows, await cpuRow(options, `http://${ADDRESS}/`), await throughputRow(options)];
  },
};

async function phaseRows(variant: HttpVariant, options: ComparisonOptions): Promise<Row[]> {
  const medians: Medians[] = [];
  for (let round = 0; round < options.rounds; round += 1) medians.push(await inTurns(variant, options));
  const wanted = phases.filter((phase) => phase !== 'tls' || variant.url.startsWith('https:'));
  return wanted.map((phase) =>
    differenceRow({
      what: `${variant.name} ${phase}, ms, 1 in flight`,
      ours: medians.map(({ ours }) => ours[phase]),
      theirs: medians.map(({ theirs }) => theirs[phase]),
      // our own work between the phases is not part of a phase, and curl does less of it
      goal: phase === 'total' ? '' : 'within 1 ms or 2 %',
      digits: 3,
    }),
  );
}

/** Curl and one more probe under the same load: what the machine is busy with, both meet. */
async function loadedRow({ name, url, version }: HttpVariant, options: ComparisonOptions): Promise<Row> {
  const variant = { name, version, url: url.replace('www.lab.test', ADDRESS) };
  const medians: Medians[] = [];
  for (let round = 0; round < options.rounds; round += 1)
    medians.push(await besideLoad(options, () => inTurns(variant, options)));
  return ratioRow({
    what: `${name} total, ms, ${IN_FLIGHT} in flight`,
    ours: medians.map(({ ours }) => ours.total),
    theirs: medians.map(({ theirs }) => theirs.total),
    goal: '0.95 to 1.05',
  });
}

interface Medians {
  readonly ours: Times;
  readonly theirs: Times;
}

async function inTurns(variant: HttpVariant, { lab, prober }: ComparisonOptions): Promise<Medians> {
  const ours: Times[] = [];
  const theirs: Times[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    ours.push(timesOf(await prober.probe('http', variant.url, { http_version: variant.version })));
    theirs.push(await curlPhases(lab, variant));
  }
  return { ours: mediansOf(ours), theirs: mediansOf(theirs) };
}

/** Starts probes at an even pace while `measure` runs: probes that wait for each other would come in bursts. */
async function besideLoad<T>({ prober }: ComparisonOptions, measure: () => Promise<T>): Promise<T> {
  const begun: Promise<unknown>[] = [];
  const timer = setInterval(() => begun.push(prober.probe('http', LOAD_URL)), LOAD_INTERVAL_MS);
  try {
    await pause(SETTLE_MS);
    return await measure();
  } finally {
    clearInterval(timer);
    await Promise.all(begun);
  }
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
