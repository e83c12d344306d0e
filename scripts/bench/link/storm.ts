import { setTimeout as pause } from 'node:timers/promises';
import { type Part, rowOf, sized } from '../harness.js';
import { LoadClient } from '../load.js';
import { memoryOfAll } from '../processes.js';
import { msOf, quantile } from '../statistics.js';
import { type Site, startSite } from './site.js';

const ASK_EVERY_MS = 50;
/** A link that held for half a minute worked, in the eyes of an agent. */
const STABLE_MS = sized(31_000, 100);

/** Reconnection of all agents at once. */
export const storm: Part = {
  name: 'storm',
  title: 'the control plane is killed and starts again, and all agents reconnect',
  question: 'Are ten thousand agents back within a minute of kill -9, while the API answers?',
  method: ({ rounds, agents }) =>
    `${agents} agents, ${rounds} times kill -9 and start; agents come back by their own rule; meanwhile GET /v1/nodes every ${ASK_EVERY_MS} ms from its first response on`,
  async run({ rounds, agents }, stops) {
    const site = await startSite(agents, stops);
    await site.fleet.order({ kind: 'connect' });
    const storms: Storm[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await pause(STABLE_MS);
      storms.push(await oneStorm(site));
    }
    const of = (name: keyof Storm) => storms.map((storm) => storm[name]);
    return [
      rowOf('all back, seconds after the kill', { ours: of('seconds'), digits: 1, goal: 'at most 60' }),
      rowOf('of these until the next process was ready', { ours: of('readySeconds'), digits: 1 }),
      rowOf('resident memory of the control plane at most, MB', { ours: of('peakMb'), digits: 0, goal: 'under 1 000' }),
      rowOf('API meanwhile, p99, ms', { ours: of('p99'), digits: 0, goal: 'under 1 000' }),
      rowOf('API meanwhile, p50, ms', { ours: of('p50'), digits: 1 }),
    ];
  },
};

interface Storm {
  readonly seconds: number;
  readonly readySeconds: number;
  readonly peakMb: number;
  readonly p50: number;
  readonly p99: number;
}

async function oneStorm(site: Site): Promise<Storm> {
  const readyMs = await msOf(() => site.server.restart());
  const watch = watchServer(site);
  const openMs = await msOf(() => site.fleet.order({ kind: 'reopened' }));
  return { seconds: (readyMs + openMs) / 1_000, readySeconds: readyMs / 1_000, ...(await watch.end()) };
}

/** Polls the API and records the largest memory seen. */
function watchServer({ server, token }: Site): { end(): Promise<Pick<Storm, 'peakMb' | 'p50' | 'p99'>> } {
  const client = new LoadClient(server.url, 4, token);
  const times: number[] = [];
  let peakMb = 0;
  let isEnded = false;
  const watching = (async () => {
    while (!isEnded) {
      times.push(await msOf(() => client.get('/v1/nodes?page_size=1')));
      peakMb = Math.max(peakMb, memoryOfAll([server.pid]).rssMb);
      await pause(ASK_EVERY_MS);
    }
    await client.close();
  })();
  return {
    async end() {
      isEnded = true;
      await watching;
      return { peakMb, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
    },
  };
}
