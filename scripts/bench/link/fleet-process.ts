// A fleet of agents in a process of its own, so that its cost is not part of the figures: fleet-process.js URL NODES-FILE
import { readFileSync } from 'node:fs';
import type { FleetNode, FleetOrder } from './fleet.js';
import { FleetAgent } from './fleet-agent.js';
import { pingResult } from './results.js';

const DIALS_AT_ONCE = 200;

const [url = '', nodesFile = ''] = process.argv.slice(2);
const nodes = JSON.parse(readFileSync(nodesFile, 'utf8')) as FleetNode[];
const fleet = nodes.map((node) => new FleetAgent(node, url, () => onOpen()));
/** Called whenever an agent's link opens. */
let onOpen: () => void = () => {};

async function run(order: FleetOrder): Promise<void> {
  switch (order.kind) {
    case 'connect':
      return connect();
    case 'prepare':
      return prepare(order.tasksFile);
    case 'deliver':
      return void (await Promise.all(fleet.map(({ delivery }) => delivery.deliver())));
    case 'reopened':
      return allOpen(fleet);
  }
}

async function connect(): Promise<void> {
  for (let start = 0; start < fleet.length; start += DIALS_AT_ONCE) {
    const some = fleet.slice(start, start + DIALS_AT_ONCE);
    for (const agent of some) agent.connect();
    await allOpen(some);
    if (start % 2_000 === 0) process.stderr.write(`${start + some.length} agents linked\n`);
  }
}

function prepare(tasksFile: string): void {
  const tasks = JSON.parse(readFileSync(tasksFile, 'utf8')) as string[][];
  tasks.forEach((ids, index) => fleet[index]?.delivery.prepare(ids.map(pingResult)));
}

function allOpen(agents: readonly FleetAgent[]): Promise<void> {
  return new Promise((resolve) => {
    onOpen = () => {
      if (agents.every(({ isOpen }) => isOpen)) resolve();
    };
    onOpen();
  });
}

process.on('message', async (order: FleetOrder) => {
  const startedMs = performance.now();
  await run(order);
  process.send?.(performance.now() - startedMs);
});
process.once('disconnect', () => process.exit());
process.send?.('ready');
