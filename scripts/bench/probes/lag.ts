import { type Prober, startProber } from '../../lab/prober.js';
import { serviceAddresses } from '../../lab/topology.js';
import { quantile } from '../statistics.js';
import type { Comparison, Row } from './comparison.js';

/** Probes in a row of one child, before it is the other one's turn. */
const TURN = 25;
const { v4: web } = serviceAddresses('web');
const { v4: zone } = serviceAddresses('zone');
/** Where classes of lag begin, ms; the last one has no end. */
const classesMs = [0, 1, 2, 3, 5, 8, 12, 20, 30, 60];

/** A time, and how late the loop was meanwhile. */
interface Sample {
  readonly ms: number;
  readonly lagMs: number;
  readonly isDisturbed: boolean;
}

/** One time of each type, with the delay of the path in it once or twice. */
const types: Readonly<Record<string, (prober: Prober) => Promise<Sample>>> = {
  ping: async (prober) => {
    const result = await prober.probe('ping', web, { count: 1 });
    return sampleOf(result, result.rtt.min_ms);
  },
  traceroute: async (prober) => {
    const result = await prober.probe('traceroute', web, { queries: 1, reverse_dns: false, timeout_ms: 1000 });
    return sampleOf(result, result.hops.at(-1)?.replies[0]?.rtt_ms);
  },
  tcp: async (prober) => {
    const result = await prober.probe('tcp', web, { port: 80 });
    return sampleOf(result, result.connect_ms);
  },
  http: async (prober) => {
    const result = await prober.probe('http', `http://${web}/`);
    return sampleOf(result, result.response_ms);
  },
  dns: async (prober) => {
    const result = await prober.probe('dns', 'www.lab.test', { record_type: 'A', server: zone });
    return sampleOf(result, result.query_ms);
  },
};

/** How wrong a time is whose result says that the loop was late: a child that is blocked at random beside a quiet one. */
export const lag: Comparison = {
  name: 'lag',
  title: 'lag: how wrong times are by the loop lag their results tell, over a path of 20 ms',
  peer: 'its lag',
  method: ({ probes }) =>
    `${countOf(probes)} probes of each type in a child that is blocked at random for 1 to 110 ms, and as many in a quiet one, in turns; wrong by: beside the median of what had no lag`,
  lab: { servers: ['web', 'dns'] },
  async run({ lab, prober, probes }) {
    await lab.setLink(2, 'both', { delayMs: 10 });
    const blocker = new URL('./loop-blocker.js', import.meta.url).href;
    const blocked = await startProber(lab, { nodeFlags: ['--import', blocker] });
    const rows: Row[] = [];
    for (const [name, probe] of Object.entries(types)) {
      const quiet: Sample[] = [];
      const late: Sample[] = [];
      while (late.length < countOf(probes)) {
        quiet.push(...(await inARow(() => probe(prober))));
        late.push(...(await inARow(() => probe(blocked))));
      }
      rows.push(...rowsOf(name, quiet, late));
    }
    await blocked.stop();
    return rows;
  },
};

/** 500 where thousands are asked for: a sample takes as long as the path. */
function countOf(probes: number): number {
  return Math.ceil(probes / 20);
}

async function inARow(probe: () => Promise<Sample>): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (let index = 0; index < TURN; index += 1) samples.push(await probe());
  return samples;
}

/** The envelope of every result has lag and mark; the types of engines do not. */
function sampleOf(result: object, ms: number | null | undefined): Sample {
  if (ms === null || ms === undefined || !('loop_lag_ms' in result && 'disturbed' in result))
    throw new Error(`no answer: ${JSON.stringify(result)}`);
  return { ms, lagMs: Number(result.loop_lag_ms), isDisturbed: result.disturbed === true };
}

function rowsOf(name: string, quiet: readonly Sample[], late: readonly Sample[]): Row[] {
  const onTime = quiet.filter(({ lagMs }) => lagMs < 1).map(({ ms }) => ms);
  const trueMs = quantile(onTime, 0.5);
  const classes = classesMs.map((fromMs, index) => {
    const toMs = classesMs[index + 1] ?? Number.POSITIVE_INFINITY;
    const found = late.filter(({ lagMs }) => lagMs >= fromMs && lagMs < toMs);
    return rowOf(`${name}, lag ${fromMs}${Number.isFinite(toMs) ? ` to ${toMs}` : ' and more'} ms`, found, trueMs);
  });
  const unmarked = (samples: readonly Sample[]) => samples.filter(({ isDisturbed }) => !isDisturbed);
  return [
    rowOf(`${name}, left alone`, quiet, trueMs),
    rowOf(`${name}, left alone, not marked`, unmarked(quiet), trueMs),
    rowOf(`${name}, blocked, not marked`, unmarked(late), trueMs),
    ...classes,
  ];
}

/** How far from the truth, and how much of the lag that is. */
function rowOf(what: string, samples: readonly Sample[], trueMs: number): Row {
  const errors = samples.map(({ ms }) => Math.abs(ms - trueMs));
  const lags = samples.map(({ lagMs }) => lagMs);
  const [median, p95] = [quantile(errors, 0.5), quantile(errors, 0.95)];
  const lagMs = quantile(lags, 0.5);
  if (samples.length === 0) return { what, ours: '', theirs: '', ratio: '', goal: '' };
  const wrong = errors.filter((error) => error > 1 && error > trueMs * 0.02).length;
  return {
    what: `${what} (${samples.length})`,
    ours: `wrong by ${median.toFixed(2)}, p95 ${p95.toFixed(2)}, most ${Math.max(...errors).toFixed(2)} ms; ${wrong} by more than 1 ms and 2 %`,
    theirs: `${lagMs.toFixed(2)} ms`,
    ratio: (p95 / lagMs).toFixed(2),
    goal: '',
  };
}
