import { setTimeout as pause } from 'node:timers/promises';
import type { LinkComparison } from '../link/comparison.js';
import { sized } from '../sized.js';
import { figureOf, figureText } from '../statistics.js';
import { startWatchedSite, type WatchedSite } from './watched-site.js';

const MONITORS = sized(10_000, 30);
const NODES = sized(100, 10);
/** A link that held for half a minute worked, in the eyes of an agent. */
const STABLE_MS = sized(31_000, 100);

/** Time for which the state of monitors is incomplete after the control plane was killed. */
export const restart: LinkComparison = {
  name: 'restart',
  title: 'the control plane is killed and starts again, with ten thousand monitors',
  question: 'Are all assignments known again within five seconds of kill -9?',
  method: ({ rounds }) =>
    `${NODES} simulated nodes with 300 assignments each, who come back by the agent's own rule and remember nothing, so that each is sent all of it again (agents that remember are sent nothing); ${rounds} times kill -9 and start; agents check by their own schedule meanwhile`,
  async run({ rounds }) {
    const watched = await startWatchedSite({ monitors: MONITORS, nodes: NODES, perMonitor: 3, intervalSeconds: 60 });
    try {
      const found: Restart[] = [];
      for (let round = 0; round < rounds; round += 1) {
        await pause(STABLE_MS);
        found.push(await oneRestart(watched));
      }
      const row = (what: string, of: (one: Restart) => number, goal: string) => ({
        what,
        ours: figureText(figureOf(found.map(of)), 1),
        baseline: '',
        ratio: '',
        goal,
      });
      return [
        row('from ready until the last node has all assignments, s', ({ known }) => known, 'at most 5'),
        row('from the kill until ready, s', ({ ready }) => ready, ''),
        row('assignments sent', ({ sent }) => sent, `${MONITORS * 3}`),
      ];
    } finally {
      await watched.stop();
    }
  },
};

interface Restart {
  readonly ready: number;
  readonly known: number;
  readonly sent: number;
}

async function oneRestart({ site, nodes }: WatchedSite): Promise<Restart> {
  const killedMs = performance.now();
  let sent = 0;
  const complete = Promise.all(
    nodes.map(
      (node) =>
        new Promise<number>((resolve) => {
          node.onAssignments(({ set, ends }) => {
            sent += set.length;
            if (ends) resolve(performance.now());
          });
        }),
    ),
  );
  await site.restartServer();
  const readyMs = performance.now();
  const lastMs = Math.max(...(await complete));
  return { ready: (readyMs - killedMs) / 1_000, known: Math.max(0, lastMs - readyMs) / 1_000, sent };
}
