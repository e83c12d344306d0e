import { setTimeout as pause } from 'node:timers/promises';
import { memoryOfAll } from '../processes.js';
import { sized } from '../sized.js';
import { figureOf, figureText } from '../statistics.js';
import { BareServer } from './bare.js';
import type { LinkComparison, LinkRow } from './comparison.js';
import { startSite } from './site.js';

/** Time after a start, before the first reading. */
const START_MS = sized(2_000, 200);
const SETTLE_MS = sized(20_000, 200);

/** Memory that the control plane's process needs for an agent that only sends heartbeats. */
export const idle: LinkComparison = {
  name: 'idle',
  title: 'idle: authenticated agents that only beat',
  question: 'Does the link of an idle agent take at most three times the memory of a bare connection?',
  method: ({ rounds, agents }) =>
    `${rounds} rounds of ${agents} agents, each with processes of its own; resident memory ${SETTLE_MS / 1_000} s after the last connection less that before the first`,
  async run({ rounds, agents }) {
    const kilobytes = { ours: [] as number[], bare: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      kilobytes.ours.push(await ours(agents));
      kilobytes.bare.push(await bare(agents));
    }
    return [rowOf(kilobytes)];
  },
};

async function ours(agents: number): Promise<number> {
  const site = await startSite(agents);
  try {
    return await growth(site.server().pid, agents, async () => {
      await site.fleet.order('connect', { first: 0, count: agents });
    });
  } finally {
    await site.stop();
  }
}

async function bare(agents: number): Promise<number> {
  const server = await BareServer.start();
  try {
    return await growth(server.pid, agents, () => server.connect(agents));
  } finally {
    server.stop();
  }
}

/** Kilobytes an agent. */
async function growth(pid: number, agents: number, connect: () => Promise<void>): Promise<number> {
  await pause(START_MS);
  const before = memoryOfAll([pid]).rssMb;
  await connect();
  await pause(SETTLE_MS);
  return ((memoryOfAll([pid]).rssMb - before) * 1_024) / agents;
}

function rowOf(kilobytes: { readonly ours: readonly number[]; readonly bare: readonly number[] }): LinkRow {
  const [own, other] = [figureOf(kilobytes.ours), figureOf(kilobytes.bare)];
  return {
    what: 'KB an agent',
    ours: figureText(own, 1),
    baseline: `a bare ws connection: ${figureText(other, 1)}`,
    ratio: (own.median / other.median).toFixed(2),
    goal: 'at most 3',
  };
}
