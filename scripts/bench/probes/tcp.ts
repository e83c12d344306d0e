import { rowOf, sized } from '../harness.js';
import { type Comparison, delayPath, inTurns } from './comparison.js';

const TARGET = '25.80.10.10';

/** Time to connect, compared with curl's. */
export const tcp: Comparison = {
  name: 'tcp',
  title: 'tcp: connecting over a path of 20 ms',
  question: 'Is the time of connecting that of the path?',
  peer: 'curl',
  lab: { servers: ['web'] },
  programs: ['curl'],
  async run({ lab, prober, rounds }) {
    await delayPath({ lab });
    const curl = ['curl', '-s', '-o', '/dev/null', '-w', '%{time_connect}', `http://${TARGET}/`];
    const both = await inTurns(
      { rounds, samples: sized(20, 2) },
      async () => (await prober.probe('tcp', TARGET, { port: 80 })).connect_ms,
      async () => Number(await lab.exec('agent', ...curl)) * 1000,
    );
    return [
      rowOf('connect, ms', { ...both, digits: 3, goal: '0.98 to 1.02' }),
      rowOf('connect, difference in ms', { ...both, digits: 3, isDifference: true, goal: 'within 1 ms' }),
    ];
  },
};
