import { setTimeout as pause } from 'node:timers/promises';
import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import type { Lab } from '../../lab/lab.js';
import { type Row, rowOf, sized } from '../harness.js';
import { median } from '../statistics.js';
import { type Comparison, delayPath, type LabRun } from './comparison.js';

/** The web server's, as a literal. */
const ADDRESS = '25.80.10.10';
/** Samples of each round, ours and curl's in turn. */
const SAMPLES = sized(15, 2);
const IN_FLIGHT = 50;
/** Time until a load is steady, in milliseconds. */
const SETTLE_MS = sized(1000, 200);
/** A probe of the load takes 250 ms, of which 40 are the path; one begins every 5 ms. */
const LOAD_URL = `http://${ADDRESS}:8080/delay/210`;
const LOAD_INTERVAL_MS = 250 / IN_FLIGHT;
/** Options of curl with which no TLS session is resumed. */
const FRESH = ['-s', '-k', '--no-sessionid', '-o', '/dev/null'];

/** One way to request the page of the web server. */
interface Variant {
  readonly name: string;
  readonly url: string;
  readonly version: '1.1' | '2';
}

const variants: readonly Variant[] = [
  { name: 'http', url: 'http://www.lab.test/', version: '1.1' },
  { name: 'https', url: 'https://www.lab.test/', version: '1.1' },
  { name: 'h2', url: 'https://www.lab.test/', version: '2' },
];

const phases = ['dns', 'tcp', 'tls', 'ttfb', 'download', 'total'] as const;
type Phase = (typeof phases)[number];
type Times = Readonly<Record<Phase, number>>;

/** Phases, and accuracy under load. */
export const http: Comparison = {
  name: 'http',
  title: 'http: phases and totals over a path of 20 ms compared with curl',
  question: "Are phases within 1 ms of curl's, and totals under load within 5 %?",
  peer: 'curl',
  method: ({ rounds }) =>
    `${rounds} rounds of ${SAMPLES} samples of each, in turns; ${IN_FLIGHT} in flight: the same prober begins an http probe every ${LOAD_INTERVAL_MS} ms that takes 250, and under this load one more probe and curl are measured in turns, at a literal address`,
  lab: { servers: ['web', 'dns'] },
  programs: ['curl'],
  async run(options) {
    const rows: Row[] = [];
    await delayPath(options);
    for (const variant of variants)
      rows.push(...(await phaseRows(variant, options)), await loadedRow(variant, options));
    return rows;
  },
};

async function phaseRows(variant: Variant, options: LabRun): Promise<Row[]> {
  const medians: Medians[] = [];
  for (let round = 0; round < options.rounds; round += 1) medians.push(await oneRound(variant, options));
  const wanted = phases.filter((phase) => phase !== 'tls' || variant.url.startsWith('https:'));
  return wanted.map((phase) =>
    rowOf(`${variant.name} ${phase}, ms, 1 in flight`, {
      ...of(medians, phase),
      // our own work between the phases is not part of a phase, and curl does less of it
      goal: phase === 'total' ? '' : 'within 1 ms or 2 %',
      digits: 3,
      isDifference: true,
    }),
  );
}

/** Curl and one more probe under the same load: both meet the same busy machine. */
async function loadedRow({ name, url, version }: Variant, options: LabRun): Promise<Row> {
  const variant = { name, version, url: url.replace('www.lab.test', ADDRESS) };
  const medians: Medians[] = [];
  for (let round = 0; round < options.rounds; round += 1)
    medians.push(await underLoad(options, () => oneRound(variant, options)));
  return rowOf(`${name} total, ms, ${IN_FLIGHT} in flight`, { ...of(medians, 'total'), goal: '0.95 to 1.05' });
}

interface Medians {
  readonly ours: Times;
  readonly baseline: Times;
}

function of(medians: readonly Medians[], phase: Phase) {
  return { ours: medians.map(({ ours }) => ours[phase]), baseline: medians.map(({ baseline }) => baseline[phase]) };
}

async function oneRound(variant: Variant, { lab, prober }: LabRun): Promise<Medians> {
  const ours: Times[] = [];
  const baseline: Times[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    ours.push(timesOf(await prober.probe('http', variant.url, { http_version: variant.version })));
    baseline.push(await curlTimes(lab, variant));
  }
  const medians = (samples: readonly Times[]) =>
    Object.fromEntries(phases.map((phase) => [phase, median(samples.map((times) => times[phase]))])) as Times;
  return { ours: medians(ours), baseline: medians(baseline) };
}

/** Starts probes at an even pace while `measure` runs: probes that wait for each other would come in bursts. */
async function underLoad<T>({ prober }: LabRun, measure: () => Promise<T>): Promise<T> {
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

function timesOf({ success, error, timing, response_ms: total }: ProbeResults['http']): Times {
  if (!success || total === null) throw new Error(`the web server did not respond: ${error?.code} ${error?.message}`);
  const { dns_ms: dns, tcp_ms: tcp, tls_ms: tls, ttfb_ms: ttfb, download_ms: download } = timing;
  return { dns: dns ?? 0, tcp: tcp ?? 0, tls: tls ?? 0, ttfb: ttfb ?? 0, download: download ?? 0, total };
}

/**
 * One request of curl's, as `docs/probes.md` maps its times to ours; milliseconds. The same process has made one to the
 * server's address before, on a connection of its own: a cold OpenSSL adds 2 to 4 ms to curl's first handshake.
 */
async function curlTimes(lab: Lab, { url, version }: Variant): Promise<Times> {
  const protocol = version === '2' ? '--http2' : '--http1.1';
  const warmUp = [...FRESH, '--http1.1', '-H', 'Connection: close', url.replace('www.lab.test', ADDRESS)];
  const text = await lab.exec('agent', 'curl', ...warmUp, '--next', ...FRESH, protocol, '-w', '%{json}', url);
  const times = JSON.parse(text) as Record<string, number>;
  const ms = (name: string) => (times[`time_${name}`] ?? Number.NaN) * 1000;
  return {
    dns: ms('namelookup'),
    tcp: ms('connect') - ms('namelookup'),
    tls: Math.max(0, ms('appconnect') - ms('connect')),
    ttfb: ms('starttransfer') - ms('pretransfer'),
    download: ms('total') - ms('starttransfer'),
    total: ms('total'),
  };
}
