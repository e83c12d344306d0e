import { setTimeout as pause } from 'node:timers/promises';
import { sized } from '../sized.js';
import { figureOf, figureText, quantile } from '../statistics.js';
import { type Abuse, abuses } from './abuse.js';
import type { LinkComparison, LinkRow } from './comparison.js';
import { FleetAgent } from './fleet-agent.js';
import { insertPending } from './pending-tasks.js';
import { pingResult } from './results.js';
import { type Site, startSite } from './site.js';

const BATCHES = sized(200, 5);
const EVERY_MS = 25;
const ROWS = 10;
/** Time for a flood to fill the buffers that it fills, in milliseconds. */
const HEAD_START_MS = sized(1_000, 50);

/** Effect of one hostile peer on the others of its replica (I10). */
export const badPeer: LinkComparison = {
  name: 'bad-peer',
  title: 'bad-peer: what an honest agent waits for its acknowledgements beside a hostile one',
  question: 'Does a hostile peer keep an honest agent waiting twice as long as it waits alone?',
  method: ({ rounds }) =>
    `${rounds} rounds; an honest agent delivers ${ROWS} results every ${EVERY_MS} ms, ${BATCHES} times, alone and beside one peer of each kind that sends as fast as it can; all on one replica, each side a process`,
  async run({ rounds }) {
    const site = await startSite(2);
    try {
      const honest = await linked(site);
      const rows: LinkRow[] = [];
      await waits(site, honest);
      for (const how of Object.keys(abuses) as Abuse[]) rows.push(await beside(site, honest, how, rounds));
      honest.leave();
      return rows;
    } finally {
      await site.stop();
    }
  },
};

async function beside(site: Site, honest: FleetAgent, how: Abuse, rounds: number): Promise<LinkRow> {
  const [alone, abused] = [[] as number[], [] as number[]];
  for (let round = 0; round < rounds; round += 1) {
    alone.push(quantile(await waits(site, honest), 0.99));
    const abusing = site.fleet.order('abuse', { agent: 1, how, seconds: (HEAD_START_MS + BATCHES * EVERY_MS) / 1_000 });
    await pause(HEAD_START_MS);
    abused.push(quantile(await waits(site, honest), 0.99));
    const { count } = await abusing;
    if (count === 0) throw new Error(`nothing was sent: ${how}`);
    process.stderr.write(`  ${how}: ${count} frames sent\n`);
  }
  const [own, base] = [figureOf(abused), figureOf(alone)];
  return {
    what: `batch to acknowledgement, p99, ms, beside ${how}`,
    ours: figureText(own, 1),
    baseline: `alone: ${figureText(base, 1)}`,
    ratio: (own.median / base.median).toFixed(2),
    goal: 'under 2',
  };
}

/** Times from each batch to its acknowledgement, in milliseconds. */
async function waits(site: Site, honest: FleetAgent): Promise<number[]> {
  const [ids = []] = await insertPending(site, site.nodeIds.slice(0, 1), BATCHES * ROWS);
  const times: number[] = [];
  for (let start = 0; start < ids.length; start += ROWS) {
    honest.delivery.prepare(ids.slice(start, start + ROWS).map(pingResult), ROWS);
    const sentMs = performance.now();
    await honest.delivery.deliver();
    times.push(performance.now() - sentMs);
    await pause(EVERY_MS);
  }
  return times;
}

/** The honest agent is this process, which does nothing else meanwhile. */
async function linked(site: Site): Promise<FleetAgent> {
  const [node] = site.nodes;
  if (node === undefined) throw new RangeError('a site without nodes');
  return new Promise((resolve) => {
    const agent = new FleetAgent(node, site.url, () => resolve(agent));
    agent.connect();
  });
}
