import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Lab } from '../../lab/lab.js';
import { serviceAddresses } from '../../lab/topology.js';
import { rowOf } from '../harness.js';
import { type Both, type Comparison, delayPath, inTurns } from './comparison.js';

const { v4: TARGET } = serviceAddresses('time');
/** Difference between the delays in the two directions: both programs must be wrong by half of it. */
const SKEW_MS = 10;

/** Offset of a clock that is the node's own, compared with chronyd's. */
export const ntp: Comparison = {
  name: 'ntp',
  title: 'ntp: offset over a path of 20 ms, and over one whose ways differ by 10 ms',
  question: "Is the offset within 1 ms of chronyd's?",
  peer: 'chronyd -Q',
  lab: { servers: ['time'] },
  programs: ['chronyd'],
  async run({ lab, prober, rounds }) {
    const measure = () =>
      inTurns(
        { rounds, samples: 1 },
        async () => (await prober.probe('ntp', TARGET, { interval_ms: 1000 })).offset_ms,
        () => chronyOffsetMs(lab),
      );
    await delayPath({ lab });
    const even = await measure();
    await lab.setLink(2, 'forth', { delayMs: 10 + SKEW_MS });
    const row = (what: string, both: Both) =>
      rowOf(what, { ...both, digits: 3, isDifference: true, goal: 'within 1 ms' });
    return [row('offset on an even path, ms', even), row('offset on an uneven path, ms', await measure())];
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
