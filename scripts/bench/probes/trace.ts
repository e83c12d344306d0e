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
  question: 'Are times those of traceroute and mtr?',
  peer: 'traceroute, mtr',
  lab: {},
  programs: ['traceroute', 'mtr', 'bash'],
  async run(options) {
    await delayPath(options);
    return [await durations(options), await traceroutes(options), await mtrs(options)];
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

async function traceroutes({ lab, prober, rounds }: LabRun): Promise<Row> {
  const last: Both = { ours: [], baseline: [] };
  for (let round = 0; round < rounds; round += 1) {
    const { hops } = await prober.probe('traceroute', target, { reverse_dns: false });
    const theirs = await tracerouteLines(lab, target, ['-I', '-q3']);
    last.ours.push(median(hops[hopCount - 1]?.replies.flatMap(({ rtt_ms }) => rtt_ms ?? []) ?? []));
    last.baseline.push(median(theirs[hopCount - 1]?.rttsMs ?? []));
  }
  return rowOf('traceroute: last hop, ms', { ...last, digits: 3, isDifference: true, goal: 'within 1 ms' });
}

async function mtrs({ lab, prober, rounds }: LabRun): Promise<Row> {
  const average: Both = { ours: [], baseline: [] };
  for (let round = 0; round < rounds; round += 1) {
    const { hops } = await prober.probe('mtr', target, { cycles: 5, interval_ms: 200, reverse_dns: false });
    const theirs = await mtrHops(lab, target, ['-c', '5', '-i', '0.2', '-G', '1']);
    average.ours.push(hops[hopCount - 1]?.rtt.avg_ms ?? Number.NaN);
    average.baseline.push(theirs[hopCount - 1]?.Avg ?? Number.NaN);
  }
  const values = { ...average, digits: 3, isDifference: true, goal: 'within 1 ms' };
  return rowOf('mtr: average at the last hop, ms', values);
}
