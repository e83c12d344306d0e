// A fleet of agents in a separate process, so that its cost is not part of the figures. Orders come from fleet.ts.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { abuse } from './abuse.js';
import { FleetAgent } from './fleet-agent.js';
import type { FleetDone, FleetNode, FleetOrder } from './fleet-messages.js';
import { flood } from './flood.js';
import { pingResult } from './results.js';

const ROWS_PER_BATCH = 1_000;
const DIALS_AT_ONCE = 200;
const TRICKLE_TICK_MS = 20;

let makeAgent: (index: number) => FleetAgent = () => {
  throw new Error('the fleet has not started');
};
let fleet: FleetAgent[] = [];
/** Looked at whenever an agent's link opens. */
let onOpen: () => void = () => {};

type Outcome = number | Promise<number>;
const orders: { readonly [K in FleetOrder['kind']]: (order: Extract<FleetOrder, { kind: K }>) => Outcome } = {
  begin({ url, nodesFile }) {
    const nodes = JSON.parse(readFileSync(nodesFile, 'utf8')) as FleetNode[];
    makeAgent = (index) => new FleetAgent(nodes[index] as FleetNode, url, () => onOpen());
    fleet = nodes.map((_, index) => makeAgent(index));
    return fleet.length;
  },
  async connect({ first, count }) {
    const chosen = fleet.slice(first, first + count);
    for (let start = 0; start < chosen.length; start += DIALS_AT_ONCE) {
      const some = chosen.slice(start, start + DIALS_AT_ONCE);
      for (const agent of some) agent.connect();
      await allOpen(some);
      if (start % 2_000 === 0) process.stderr.write(`  ${start + some.length} agents linked\n`);
    }
    return chosen.length;
  },
  prepare({ tasksFile }) {
    const tasks = JSON.parse(readFileSync(tasksFile, 'utf8')) as string[][];
    tasks.forEach((ids, index) => fleet[index]?.delivery.prepare(ids.map(pingResult), ROWS_PER_BATCH));
    return tasks.reduce((sum, ids) => sum + ids.length, 0);
  },
  async deliver() {
    await Promise.all(fleet.map(({ delivery }) => delivery.deliver()));
    return 0;
  },
  async repeat() {
    await Promise.all(fleet.map(({ delivery }) => delivery.repeat()));
    return 0;
  },
  async flood({ agents, frames }) {
    const some = fleet.slice(0, agents);
    const count = await flood(
      some.flatMap(({ socket }) => (socket === null ? [] : [socket])),
      frames,
    );
    await Promise.all(some.map((agent) => agent.echo()));
    return count;
  },
  async abuse({ agent: index, how, seconds }) {
    // an agent with its own spool, whose flood ends with it
    const agent = makeAgent(index);
    agent.connect();
    await allOpen([agent]);
    const count = await abuse(how, agent, performance.now() + 1_000 * seconds);
    agent.leave();
    return count;
  },
  async reopened() {
    await allOpen(fleet);
    return fleet.length;
  },
  async trickle({ agents, tasksFile, perSecond }) {
    const ids = JSON.parse(readFileSync(tasksFile, 'utf8')) as string[];
    const startedMs = performance.now();
    for (let sent = 0; sent < ids.length; ) {
      const due = Math.min(ids.length, Math.floor(((performance.now() - startedMs) / 1_000) * perSecond));
      for (; sent < due; sent += 1) fleet[sent % agents]?.delivery.deliverOne(pingResult(ids[sent] as string));
      await pause(TRICKLE_TICK_MS);
    }
    return ids.length;
  },
};

process.on('message', async (order: FleetOrder) => {
  const startedMs = performance.now();
  const run = orders[order.kind] as (order: FleetOrder) => Outcome;
  const count = await run(order);
  const done: FleetDone = { id: order.id, tookMs: performance.now() - startedMs, count, at: Date.now() };
  process.send?.(done);
});
process.once('disconnect', () => process.exit());

function allOpen(agents: readonly FleetAgent[]): Promise<void> {
  return new Promise((resolve) => {
    onOpen = () => {
      if (agents.every(({ isOpen }) => isOpen)) resolve();
    };
    onOpen();
  });
}
