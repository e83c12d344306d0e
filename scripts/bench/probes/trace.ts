import { mtrHops, tracerouteLines } from '../../lab/_support/trace-tools.js';
import { type Row, rowOf, sized } from '../harness.js';
import { median } from '../statistics.js';
import { type Both, type Comparison, delayPath, inTurns, type LabRun } from './comparison.js';

const target = '25.80.4.2';
const hopCount = 4;

/** Four hops over 20 ms, compared with traceroute and mtr. */
export const trace: Comparison = {
  name: 'trace',
  title: 'traceroute and mtr: four hops over a path of 20 ms',
  question: 'Are hops those of traceroute and mtr, within their time?',
  peer: 'traceroute, mtr',
  lab: {},
  programs: ['traceroute', 'mtr', 'bash'],
  async run(options) {
    await delayPath(options);
    return [await durations(options), ...(await traceroutes(options)), ...(await mtrs(options))];
  },
};

/** Duration of the whole trace, of traceroute's process as the shell measures it. */
async function durations({ lab, prober, rounds }: LabRun): Promise<Row> {
  const trace = () => prober.probe('traceroute', target, { reverse_dns: false });
  await trace();
  const command = `TIMEFORMAT=%3R; { time traceroute -I -n -q3 ${target} > /dev/null; } 2>&1`;
  const both = await inTurns(
    { rounds, samples: sized(9, 1) },
    async () => Number(new Map<string, unknown>(Object.entries(await trace())).get('duration_ms')),
    async () => Number(await lab.exec('agent', 'bash', '-c', command)) * 1000,
  );
  return rowOf('the whole trace, ms (-n -q 3)', { ...both, digits: 1, goal: 'below 1' });
}

async function traceroutes({ lab, prober, rounds }: LabRun): Promise<Row[]> {
  const last: Both = { ours: [], baseline: [] };
  let same = 0;
  for (let round = 0; round < rounds; round += 1) {
    const { hops } = await prober.probe('traceroute', target, { reverse_dns: false });
    const theirs = await tracerouteLines(lab, target, ['-I', '-q3']);
    last.ours.push(median(hops[hopCount - 1]?.replies.flatMap(({ rtt_ms }) => rtt_ms ?? []) ?? []));
    last.baseline.push(median(theirs[hopCount - 1]?.rttsMs ?? []));
    const ours = hops.map(({ replies }) => replies.map(({ ip }) => ip));
    if (JSON.stringify(ours) === JSON.stringify(theirs.map(({ addresses }) => addresses))) same += 1;
  }
  const row = rowOf('last hop, ms', { ...last, digits: 3, isDifference: true, goal: 'within 1 ms' });
  return [row, agreement('the hops of traceroute', same, rounds)];
}

async function mtrs({ lab, prober, rounds }: LabRun): Promise<Row[]> {
  const average: Both = { ours: [], baseline: [] };
  let same = 0;
  for (let round = 0; round < rounds; round += 1) {
    const { hops } = await prober.probe('mtr', target, { cycles: 5, interval_ms: 200, reverse_dns: false });
    const theirs = await mtrHops(lab, target, ['-c', '5', '-i', '0.2', '-G', '1']);
    average.ours.push(hops[hopCount - 1]?.rtt.avg_ms ?? Number.NaN);
    average.baseline.push(theirs[hopCount - 1]?.Avg ?? Number.NaN);
    const ours = hops.map(({ ip }) => ip.join());
    if (JSON.stringify(ours) === JSON.stringify(theirs.map(({ host }) => host))) same += 1;
  }
  const values = { ...average, digits: 3, isDifference: true, goal: 'within 1 ms' };
  return [rowOf('mtr: average at the last hop, ms', values), agreement('the hops of mtr', same, rounds)];
}

function agreement(what: string, same: number, rounds: number): Row {
  return { what, ours: `${same} of ${rounds} rounds`, baseline: '', ratio: (same / rounds).toFixed(3), goal: '1' };
}
