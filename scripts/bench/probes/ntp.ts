import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Lab } from '../../lab/lab.js';
import { serviceAddresses } from '../../lab/topology.js';
import { type Comparison, differenceRow } from './comparison.js';

const { v4: TARGET } = serviceAddresses('time');
/** Difference between the delays in the two directions: both programs must be wrong by half of it. */
const SKEW_MS = 10;

/** The offset of a clock that is the node's own, beside chronyd's. */
export const ntp: Comparison = {
  name: 'ntp',
  title: 'ntp: offset over a path of 20 ms, and over one whose ways differ by 10 ms',
  question: "Is the offset within 1 ms of chronyd's?",
  peer: 'chronyd -Q',
  lab: { servers: ['time'] },
  programs: ['chronyd'],
  async run({ lab, prober, rounds }) {
    const even = { ours: [] as number[], theirs: [] as number[] };
    const skewed = { ours: [] as number[], theirs: [] as number[] };
    const measure = async (into: typeof even) => {
      const { offset_ms: offsetMs } = await prober.probe('ntp', TARGET, { interval_ms: 1000 });
      if (offsetMs === null) throw new Error('the time server did not answer');
      into.ours.push(offsetMs);
      into.theirs.push(await chronyOffsetMs(lab));
    };
    for (let round = 0; round < rounds; round += 1) {
      await lab.setLink(2, 'both', { delayMs: 10 });
      await measure(even);
      await lab.setLink(2, 'forth', { delayMs: 10 + SKEW_MS });
      await measure(skewed);
    }
    return [
      differenceRow({ what: 'offset on an even path, ms', ...even, digits: 3, goal: 'within 1 ms' }),
      differenceRow({ what: 'offset on an uneven path, ms', ...skewed, digits: 3, goal: 'within 1 ms' }),
    ];
  },
};

/**
 * Offset that chronyd derives from four requests, without setting the clock; positive where the server is ahead, as
 * ours. Four requests take it more than four seconds, which a timeout (-t) must allow for.
 */
async function chronyOffsetMs(lab: Lab): Promise<number> {
  const pidFile = join(tmpdir(), `vantage-bench-chronyd-${process.pid}.pid`);
  const directives = [`server ${TARGET} iburst`, 'cmdport 0', 'bindcmdaddress /', `pidfile ${pidFile}`];
  const command = ['chronyd', '-Q', '-t', '20', '-u', 'root', ...directives];
  // it writes to standard error
  const said = await lab.exec('agent', 'sh', '-c', '"$@" 2>&1', 'sh', ...command);
  const [, seconds] = /System clock wrong by (-?\d+\.\d+) seconds/.exec(said) ?? [];
  if (seconds === undefined) throw new Error(`chronyd did not report an offset: ${said}`);
  return Number(seconds) * 1000;
}
