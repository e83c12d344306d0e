import { mtrHops, tracerouteLines } from '../../lab/_support/trace-tools.js';
import { sized } from '../sized.js';
import { quantile } from '../statistics.js';
import { type Comparison, type ComparisonOptions, differenceRow, type Row, ratioRow } from './comparison.js';

const target = '25.80.4.2';
/** Traces of each program in each round, in turn. */
const TIMED_TRACES = sized(9, 1);
const hopCount = 4;

/** Sums that each round adds to. */
interface Rounds {
  readonly tookMs: Pair;
  readonly rttMs: Pair;
  readonly averageMs: Pair;
  sameHops: number;
  sameHopsOfMtr: number;
}
interface Pair {
  readonly ours: number[];
  readonly theirs: number[];
}

/** Four hops over 20 ms, beside traceroute and mtr. */
export const trace: Comparison = {
  name: 'trace',
  title: 'traceroute and mtr: four hops over a path of 20 ms',
  question: 'Are hops those of traceroute and mtr, within their time?',
  peer: 'traceroute, mtr',
  lab: {},
  programs: ['traceroute', 'mtr'],
  async run(options) {
    await options.lab.setLink(2, 'both', { delayMs: 10 });
    const pair = () => ({ ours: [], theirs: [] });
    const rounds: Rounds = { tookMs: pair(), rttMs: pair(), averageMs: pair(), sameHops: 0, sameHopsOfMtr: 0 };
    for (let round = 0; round < options.rounds; round += 1) {
      await compareTraceroute(options, rounds);
      await compareMtr(options, rounds);
    }
    return rowsOf(rounds, options.rounds);
  },
};

async function compareTraceroute({ lab, prober }: ComparisonOptions, rounds: Rounds): Promise<void> {
  const traceOurs = () => prober.probe('traceroute', target, { reverse_dns: false });
  const result = await traceOurs();
  const took: Pair = { ours: [], theirs: [] };
  for (let sample = 0; sample < TIMED_TRACES; sample += 1) {
    took.ours.push(Number(new Map(Object.entries(await traceOurs())).get('duration_ms')));
    took.theirs.push(await timeOf(lab));
  }
  rounds.tookMs.ours.push(quantile(took.ours, 0.5));
  rounds.tookMs.theirs.push(quantile(took.theirs, 0.5));
  const theirs = await tracerouteLines(lab, target, ['-I', '-q3']);
  const last = result.hops[hopCount - 1]?.replies ?? [];
  rounds.rttMs.ours.push(
    quantile(
      last.flatMap(({ rtt_ms }) => rtt_ms ?? []),
      0.5,
    ),
  );
  rounds.rttMs.theirs.push(quantile(theirs[hopCount - 1]?.rttsMs ?? [], 0.5));
  const ours = result.hops.map(({ replies }) => replies.map(({ ip }) => ip));
  if (JSON.stringify(ours) === JSON.stringify(theirs.map(({ addresses }) => addresses))) rounds.sameHops += 1;
}

async function compareMtr({ lab, prober }: ComparisonOptions, rounds: Rounds): Promise<void> {
  const { hops } = await prober.probe('mtr', target, { cycles: 5, interval_ms: 200, reverse_dns: false });
  const theirs = await mtrHops(lab, target, ['-c', '5', '-i', '0.2', '-G', '1']);
  rounds.averageMs.ours.push(hops[hopCount - 1]?.rtt.avg_ms ?? Number.NaN);
  rounds.averageMs.theirs.push(theirs[hopCount - 1]?.Avg ?? Number.NaN);
  const ours = hops.map(({ ip }) => ip.join());
  if (JSON.stringify(ours) === JSON.stringify(theirs.map(({ host }) => host))) rounds.sameHopsOfMtr += 1;
}

/** Duration of the process, as the shell measures it. */
async function timeOf(lab: ComparisonOptions['lab']): Promise<number> {
  const command = `TIMEFORMAT=%3R; { time traceroute -I -n -q3 ${target} > /dev/null; } 2>&1`;
  return Number(await lab.exec('agent', 'bash', '-c', command)) * 1000;
}

function rowsOf({ tookMs, rttMs, averageMs, sameHops, sameHopsOfMtr }: Rounds, count: number): Row[] {
  const agreement = (what: string, same: number) => ({
    what,
    ours: `${same} of ${count} rounds`,
    theirs: '',
    ratio: (same / count).toFixed(3),
    goal: '1',
  });
  return [
    ratioRow({ what: 'the whole trace, ms (-n -q 3)', ...tookMs, digits: 1, goal: 'below 1' }),
    differenceRow({ what: 'last hop, ms', ...rttMs, digits: 3, goal: 'within 1 ms' }),
    agreement('the hops of traceroute', sameHops),
    differenceRow({ what: 'mtr: average at the last hop, ms', ...averageMs, digits: 3, goal: 'within 1 ms' }),
    agreement('the hops of mtr', sameHopsOfMtr),
  ];
}
