import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import type { LinkComparison, LinkRow } from '../link/comparison.js';
import { type Site, startSite } from '../link/site.js';
import { closedLoop, type Load, LoadClient } from '../load.js';
import { sized } from '../sized.js';
import { figureOf, figureText } from '../statistics.js';

/** Number of heartbeat monitors: at most sixty pings a minute are stored for each token, and with this many all are. */
const HEARTBEATS = sized(2_000, 100);
const IN_FLIGHT = 64;
const SECONDS = sized(5, 0.2);

/** Number of jobs that may check in at once, and the latency of a check-in. */
export const checkIns: LinkComparison = {
  name: 'check-ins',
  title: 'jobs that check in',
  question: 'How many check-ins a second are stored before they are answered?',
  method: ({ rounds }) =>
    `GET /hb/{token} of ${HEARTBEATS} heartbeats in turns, each stored before it is answered, over kept connections; bare: node:http in a process of its own that answers OK; beside both GET /v1/monitors?limit=1 with a token; ${rounds} rounds of ${SECONDS} s after 1 s of warm-up, in turns`,
  async run({ rounds }) {
    const site = await startSite(0);
    const bare = await startBare();
    const pools: Pool[] = [];
    const asking = (url: string) => {
      const pool = new Pool(url, { connections: IN_FLIGHT, pipelining: 1 });
      pools.push(pool);
      return (path: string) => getText(pool, path);
    };
    const client = new LoadClient(site.url, IN_FLIGHT, site.token);
    try {
      const paths = await makeHeartbeats(site);
      const [ours, theirs] = [asking(site.url), asking(bare.url)];
      let next = 0;
      const ways = {
        ours: () => ours(paths[next++ % paths.length] ?? ''),
        bare: () => theirs('/'),
        list: () => client.get('/v1/monitors?limit=1'),
      };
      const many = await measure(ways, IN_FLIGHT, rounds);
      const alone = await measure(ways, 1, rounds);
      return [
        ...rowsOf(`${IN_FLIGHT} in flight, requests/s`, many, ({ perSecond }) => perSecond, 0),
        ...rowsOf(`${IN_FLIGHT} in flight, p99, ms`, many, ({ p99 }) => p99, 1),
        ...rowsOf('one at a time, p50, ms', alone, ({ p50 }) => p50, 2),
      ];
    } finally {
      await Promise.all([client, ...pools].map((each) => each.close()));
      bare.child.disconnect();
      await site.stop();
    }
  },
};

type Way = 'ours' | 'bare' | 'list';

async function measure(
  ways: Readonly<Record<Way, () => Promise<void>>>,
  inFlight: number,
  rounds: number,
): Promise<Record<Way, Load[]>> {
  const loads: Record<Way, Load[]> = { ours: [], bare: [], list: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const way of ['ours', 'bare', 'list'] as const)
      loads[way].push(await closedLoop(ways[way], inFlight, SECONDS));
  }
  return loads;
}

function rowsOf(what: string, loads: Record<Way, Load[]>, of: (load: Load) => number, digits: number): LinkRow[] {
  const figure = (way: Way) => figureOf(loads[way].map(of));
  const own = figure('ours');
  const beside = (name: string, way: Way): LinkRow => ({
    what: `${what}, beside ${name}`,
    ours: figureText(own, digits),
    baseline: figureText(figure(way), digits),
    ratio: (own.median / figure(way).median).toFixed(2),
    goal: '',
  });
  return [beside('bare node:http', 'bare'), beside('GET /v1/monitors?limit=1', 'list')];
}

async function getText(pool: Pool, path: string): Promise<void> {
  const { statusCode, body } = await pool.request({ method: 'GET', path });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`answered ${statusCode}: ${text}`);
}

/** @returns the paths at which they check in */
async function makeHeartbeats({ url, token, database }: Site): Promise<string[]> {
  await database.query(`UPDATE owners SET plan = 'unlimited'`);
  const client = new LoadClient(url, 16, token);
  const make = async (number: number) => {
    const body = { name: `Job ${number}`, type: 'heartbeat', config: { interval_s: 86_400 } };
    const made = (await client.post('/v1/monitors', body)) as { data?: { heartbeat: { url: string } } };
    if (made.data === undefined) throw new Error(`refused: ${JSON.stringify(made)}`);
    return new URL(made.data.heartbeat.url).pathname;
  };
  try {
    return await Promise.all(Array.from({ length: HEARTBEATS }, (_, number) => make(number)));
  } finally {
    await client.close();
  }
}

async function startBare(): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const script = join(dirname(dirname(fileURLToPath(import.meta.url))), 'servers.js');
  const child = fork(script, ['bare']);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { url: `http://127.0.0.1:${port}`, child };
}
