import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Part, type Row, rowOf, sized, withStops } from '../harness.js';
import { memoryOf } from '../processes.js';
import { MemoryAgent, stopAgent } from './memory-agent.js';
import type { MemoryPeer } from './memory-peer.js';

const IDLE_MS = sized(45_000, 200);
const BUSY_MS = sized(20_000, 500);
const CHECKS_PER_SECOND = 500;
const READING_EVERY_MS = 200;

/** Memory of an agent, all its processes together. */
export const agentMemory: Part = {
  name: 'agent-memory',
  title: 'memory of one agent at rest, under load, and while a full spool drains',
  question: 'Does an agent stay within 100 MB at rest, 140 under load and 128 while a full spool drains?',
  method: ({ rounds }) =>
    `${rounds} agents one after the other, each with a copy of Node that no other program maps, so that pages its processes share count once in "physical" and in each process in "RSS"; at rest ${IDLE_MS / 1000} s after the start, the most of ${BUSY_MS / 1000} s at ${CHECKS_PER_SECOND} TCP probes a second, the most while 64 MiB are delivered to a peer that only acknowledges`,
  async run({ rounds }) {
    const found: Found[] = [];
    for (let round = 0; round < rounds; round += 1) found.push(await measureOne());
    const drains = found.map(({ drainSeconds }) => drainSeconds);
    return [
      ...memoryRows(
        'at rest',
        100,
        found.map(({ idle }) => idle),
      ),
      ...memoryRows(
        `at ${CHECKS_PER_SECOND} probes a second`,
        140,
        found.map(({ busy }) => busy),
      ),
      ...memoryRows(
        'draining 64 MiB',
        128,
        found.map(({ drain }) => drain),
      ),
      rowOf('seconds for the drain', { ours: drains, digits: 1 }),
      rowOf('probes with a result per second', { ours: found.map(({ perSecond }) => perSecond), digits: 1 }),
    ];
  },
};

type Memory = ReturnType<typeof memoryOf>;

interface Found {
  readonly idle: Memory;
  readonly busy: Memory;
  readonly drain: Memory;
  readonly drainSeconds: number;
  readonly perSecond: number;
}

function memoryRows(what: string, goalMb: number, readings: readonly Memory[]): Row[] {
  const common = { digits: 1, goal: `at most ${goalMb}` };
  return [
    rowOf(`${what}: physical memory, MB`, { ours: readings.map(({ pssMb }) => pssMb), ...common }),
    rowOf(`${what}: RSS of all processes added up, MB`, { ours: readings.map(({ rssMb }) => rssMb), ...common }),
  ];
}

function measureOne(): Promise<Found> {
  return withStops(async (stops) => {
    const agent = await MemoryAgent.enroll();
    stops.push(() => agent.remove());
    const target = createServer((socket) => socket.on('error', () => undefined).end());
    stops.push(() => target.close());
    target.listen(0, '127.0.0.1');
    await once(target, 'listening');
    return { ...(await watchRunning(agent, target)), ...(await watchDrain(agent)) };
  });
}

async function watchRunning(agent: MemoryAgent, target: Server): Promise<Pick<Found, 'idle' | 'busy' | 'perSecond'>> {
  const child = await agent.start();
  try {
    await pause(IDLE_MS);
    const idle = memoryOf(child.pid ?? 0);
    const before = agent.peer.results;
    const busy = await mostMemory(child, () => askProbes(agent.peer, target));
    return { idle, busy, perSecond: (agent.peer.results - before) / (BUSY_MS / 1000) };
  } finally {
    await stopAgent(child);
  }
}

/** Sends the jobs that are due by the clock, a hundredth of a second at a time. */
async function askProbes(peer: MemoryPeer, target: Server): Promise<void> {
  const address = `127.0.0.1:${(target.address() as AddressInfo).port}`;
  const started = performance.now();
  let asked = 0;
  for (let passed = 0; passed < BUSY_MS; passed = performance.now() - started) {
    for (; asked < (passed / 1000) * CHECKS_PER_SECOND; asked += 1) peer.job(`pt_${started}_${asked}`, address);
    await pause(10);
  }
}

async function watchDrain(agent: MemoryAgent): Promise<Pick<Found, 'drain' | 'drainSeconds'>> {
  const target = agent.peer.results + (await agent.fillSpool());
  const started = performance.now();
  const child = await agent.start();
  try {
    const drain = await mostMemory(child, async () => {
      while (agent.peer.results < target) await pause(READING_EVERY_MS);
    });
    return { drain, drainSeconds: (performance.now() - started) / 1000 };
  } finally {
    await stopAgent(child);
  }
}

/** Most memory that was seen during the work. */
async function mostMemory(child: ChildProcess, work: () => Promise<void>): Promise<Memory> {
  const readings: Memory[] = [];
  const reading = setInterval(() => readings.push(memoryOf(child.pid ?? 0)), READING_EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(reading);
  }
  const most = (of: (memory: Memory) => number) => Math.max(...readings.map(of));
  return { rssMb: most(({ rssMb }) => rssMb), pssMb: most(({ pssMb }) => pssMb) };
}
