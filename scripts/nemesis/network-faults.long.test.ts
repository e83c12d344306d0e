import { delay, systemClock } from '@vantage/shared/clock.js';
import t from 'tap';
import { startProvingGround } from './_support/proving-ground.js';
import type { Direction, Line, Weather } from './line.js';

/** One for all of them: what a fault leaves behind is there for the next. */
const ground = await startProvingGround(t, { replicas: 2 });
const agentLines = () => ground.world.agents.flatMap(({ lines }) => lines);
const databaseLines = () => ground.world.replicas.map(({ line }) => line);

/** Applies weather to these lines for a time, then clears it. */
async function endure(
  lines: readonly Line[],
  weather: Partial<Weather>,
  ms: number,
  directions?: readonly Direction[],
) {
  for (const line of lines) line.set(weather, directions);
  await delay(systemClock, ms);
  for (const line of lines) line.heal();
}

t.test('a partition of a second, again and again, loses nothing', async (t) => {
  for (let round = 1; round <= 5; round++) {
    await ground.accepts(3);
    await endure(agentLines(), { isStalled: true }, 1_000);
  }
  await ground.accepts(5);
  await ground.endWell(t);
});

t.test('a partition that outlives the patience of both sides loses nothing', async (t) => {
  await ground.accepts(5);
  await endure(agentLines(), { isStalled: true }, 60_000);
  await ground.accepts(5);
  await ground.endWell(t);
});

for (const [name, direction] of [
  ['towards the control plane', 'up'],
  ['from the control plane', 'down'],
] as const) {
  t.test(`a partition in one direction, ${name}, loses nothing`, async (t) => {
    await ground.accepts(5);
    await endure(agentLines(), { isStalled: true }, 20_000, [direction]);
    await ground.accepts(5);
    await ground.endWell(t);
  });
}

t.test('a partition between replicas and PostgreSQL, each way, loses nothing', async (t) => {
  for (const direction of ['up', 'down'] as const) {
    await ground.accepts(5);
    await endure(databaseLines(), { isStalled: true }, 15_000, [direction]);
  }
  await ground.accepts(5);
  await ground.endWell(t);
});

t.test('a network of 64 kbit/s delivers everything', async (t) => {
  await endure(agentLines(), { bytesPerSecond: 8_000 }, 30_000);
  await ground.accepts(5);
  await ground.endWell(t);
});

t.test('a network with two seconds of latency delivers everything, and clocks stay right', async (t) => {
  await endure(agentLines(), { latencyMs: 1_000, jitterMs: 200 }, 40_000);
  await ground.accepts(5);
  await ground.endWell(t);
});

t.test('links that are cut in the middle of a frame, again and again, double nothing', async (t) => {
  await endure(agentLines(), { sliceBytes: 7, cutAfterBytes: 6_000 }, 20_000);
  for (let round = 1; round <= 10; round++) {
    await delay(systemClock, 1_000);
    for (const line of agentLines()) line.cut(round % 2 === 0 ? 'rst' : 'fin');
  }
  await ground.accepts(5);
  await ground.endWell(t);
});
