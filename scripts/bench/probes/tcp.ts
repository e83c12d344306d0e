import { sized } from '../sized.js';
import { quantile } from '../statistics.js';
import { type Comparison, differenceRow, ratioRow } from './comparison.js';

const SAMPLES = sized(20, 2);
const TARGET = '25.80.10.10';

/** Time to connect, beside curl's. */
export const tcp: Comparison = {
  name: 'tcp',
  title: 'tcp: connecting over a path of 20 ms',
  question: 'Is the time of connecting that of the path?',
  peer: 'curl',
  lab: { servers: ['web'] },
  programs: ['curl'],
  async run({ lab, prober, rounds }) {
    await lab.setLink(2, 'both', { delayMs: 10 });
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const samples = { ours: [] as number[], theirs: [] as number[] };
      for (let sample = 0; sample < SAMPLES; sample += 1) {
        const { connect_ms: connectMs } = await prober.probe('tcp', TARGET, { port: 80 });
        if (connectMs === null) throw new Error('the web server did not answer');
        samples.ours.push(connectMs);
        samples.theirs.push(await curlConnectMs(lab));
      }
      ours.push(quantile(samples.ours, 0.5));
      theirs.push(quantile(samples.theirs, 0.5));
    }
    const both = { ours, theirs, digits: 3 };
    return [
      ratioRow({ what: 'connect, ms', ...both, goal: '0.98 to 1.02' }),
      differenceRow({ what: 'connect, difference in ms', ...both, goal: 'within 1 ms' }),
    ];
  },
};

async function curlConnectMs(lab: Parameters<Comparison['run']>[0]['lab']): Promise<number> {
  const command = ['curl', '-s', '-o', '/dev/null', '-w', '%{time_connect}', `http://${TARGET}/`];
  return Number(await lab.exec('agent', ...command)) * 1000;
}
