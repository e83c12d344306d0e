import { ownCpuSecondsOf } from '../processes.js';
import { sized } from '../sized.js';
import { figureOf, figureText } from '../statistics.js';
import { BareServer } from './bare.js';
import type { LinkComparison } from './comparison.js';
import { flood } from './flood.js';
import { startSite } from './site.js';

const SOCKETS = 10;
const FRAMES = sized(300_000, 5_000);

/** Cost of receiving a frame, compared with a ws server that ignores it. */
export const frames: LinkComparison = {
  name: 'frames',
  title: 'frames: decoded and looked at, beside ws that only receives',
  question: 'Does taking a frame cost at most twice what ws needs to receive it?',
  method: ({ rounds }) =>
    `${rounds} rounds of ${FRAMES} heartbeats over ${SOCKETS} sockets, both in turns; frames for each second of CPU that the receiving process used`,
  async run({ rounds }) {
    const site = await startSite(SOCKETS);
    const bare = await BareServer.start();
    try {
      await site.fleet.order('connect', { first: 0, count: SOCKETS });
      await bare.connect(SOCKETS);
      const rates = { ours: [] as number[], bare: [] as number[] };
      let taken = 0;
      for (let round = 0; round <= rounds; round += 1) {
        const ours = await perCpuSecond(site.server().pid, async () => {
          return (await site.fleet.order('flood', { agents: SOCKETS, frames: FRAMES })).count;
        });
        const theirs = await perCpuSecond(bare.pid, async () => {
          const sent = await flood(bare.sockets, FRAMES);
          taken += sent;
          await bare.taken(taken);
          return sent;
        });
        // the first round warms up the compiler
        if (round === 0) continue;
        rates.ours.push(ours);
        rates.bare.push(theirs);
      }
      const [ours, theirs] = [figureOf(rates.ours), figureOf(rates.bare)];
      return [
        {
          what: 'frames per CPU second',
          ours: figureText(ours, 0),
          baseline: figureText(theirs, 0),
          ratio: (ours.median / theirs.median).toFixed(2),
          goal: 'at least 0.5',
        },
      ];
    } finally {
      bare.stop();
      await site.stop();
    }
  },
};

/** Amount of work that a process does in a second of its CPU time. */
async function perCpuSecond(pid: number, work: () => Promise<number>): Promise<number> {
  const before = ownCpuSecondsOf(pid);
  const count = await work();
  return count / (ownCpuSecondsOf(pid) - before);
}
