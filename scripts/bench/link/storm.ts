import { setTimeout as pause } from 'node:timers/promises';
import { LoadClient } from '../load.js';
import { memoryOfAll } from '../processes.js';
import { sized } from '../sized.js';
import { figureOf, figureText, quantile } from '../statistics.js';
import type { LinkComparison } from './comparison.js';
import { type Site, startSite } from './site.js';

const ASK_EVERY_MS = 50;
/** A link that held for half a minute worked, in the eyes of an agent. */
const STABLE_MS = sized(31_000, 100);

/** Everybody comes back at once. */
export const storm: LinkComparison = {
  name: 'storm',
  title: 'storm: the control plane is killed and starts again',
  question: 'Are ten thousand agents back within a minute of kill -9, while the API answers?',
  method: ({ rounds, agents }) =>
    `${agents} agents, ${rounds} times kill -9 and start; agents come back by their own rule; meanwhile GET /v1/nodes every ${ASK_EVERY_MS} ms from its first answer on`,
  async run({ rounds, agents }) {
    const site = await startSite(agents);
    try {
      await site.fleet.order('connect', { first: 0, count: agents });
      const seen: Storm[] = [];
      for (let round = 0; round < rounds; round += 1) {
        await pause(STABLE_MS);
        seen.push(await oneStorm(site));
      }
      const figure = (of: (storm: Storm) => number, digits: number) => figureText(figureOf(seen.map(of)), digits);
      const row = (what: string, ours: string, goal: string) => ({ what, ours, baseline: '', ratio: '', goal });
      return [
        row(
          'all back, seconds after the kill',
          figure(({ seconds }) => seconds, 1),
          'at most 60',
        ),
        row(
          'of these until the next process was ready',
          figure(({ readySeconds }) => readySeconds, 1),
          '',
        ),
        row(
          'resident memory of the control plane at most, MB',
          figure(({ peakMb }) => peakMb, 0),
          'under 1 000',
        ),
        row(
          'API meanwhile, p99, ms',
          figure(({ p99 }) => p99, 0),
          'under 1 000',
        ),
        row(
          'API meanwhile, p50, ms',
          figure(({ p50 }) => p50, 1),
          '',
        ),
      ];
    } finally {
      await site.stop();
    }
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
  const startedMs = performance.now();
  await site.restartServer();
  const readyMs = performance.now();
  const watch = watchServer(site);
  await site.fleet.order('reopened', {});
  const seconds = (performance.now() - startedMs) / 1_000;
  return { seconds, readySeconds: (readyMs - startedMs) / 1_000, ...(await watch.end()) };
}

/** Polls the API and records the largest memory seen. */
function watchServer(site: Site): { end(): Promise<Pick<Storm, 'peakMb' | 'p50' | 'p99'>> } {
  const api = new LoadClient(site.url, 4, site.token);
  const times: number[] = [];
  let peakMb = 0;
  let isEnded = false;
  const watching = (async () => {
    while (!isEnded) {
      const askedMs = performance.now();
      await api.get('/v1/nodes?page_size=1');
      times.push(performance.now() - askedMs);
      peakMb = Math.max(peakMb, memoryOfAll([site.server().pid]).rssMb);
      await pause(ASK_EVERY_MS);
    }
    await api.close();
  })();
  return {
    async end() {
      isEnded = true;
      await watching;
      return { peakMb, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
    },
  };
}
