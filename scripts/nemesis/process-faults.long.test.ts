import { delay, systemClock } from '@vantage/shared/clock.js';
import t from 'tap';
import { startProvingGround } from './_support/proving-ground.js';
import { waitFor } from './world.js';

/** One for all of them: what a fault leaves behind is there for the next. */
const ground = await startProvingGround(t, { replicas: 3 });

t.test('every replica killed in turn under load loses nothing', async (t) => {
  const { world, accepts, endWell } = ground;
  for (const replica of world.replicas) {
    await accepts(5);
    await replica.unit.kill();
    await delay(systemClock, 4_000);
    replica.unit.start();
    await waitFor('it to be ready again', 240_000, () => replica.isReady);
  }
  await accepts(5);
  await endWell(t);
});

t.test('a replica suspended for 30 s loses nothing and stores nothing twice when it resumes', async (t) => {
  const { world, accepts, endWell } = ground;
  for (const { unit } of world.replicas.slice(0, 2)) {
    await accepts(5);
    unit.pause();
    await delay(systemClock, 30_000);
    unit.resume();
  }
  await accepts(5);
  await endWell(t);
});

t.test('all replicas terminated and started again, one after the other, lose nothing', async (t) => {
  const { world, accepts, endWell } = ground;
  for (const replica of world.replicas) {
    await replica.unit.terminate();
    replica.unit.start();
    await waitFor('it to be ready again', 240_000, () => replica.isReady);
  }
  await accepts(5);
  await endWell(t);
});

t.test('agents killed, stopped and terminated in the middle of their work run nothing twice', async (t) => {
  const { world, accepts, endWell } = ground;
  for (let round = 1; round <= 3; round++) {
    for (const { unit } of world.agents) {
      await accepts(3);
      await unit.kill();
      unit.start();
    }
    for (const { unit } of world.agents) {
      await accepts(2);
      unit.pause();
      await delay(systemClock, 5_000);
      unit.resume();
    }
    for (const { unit } of world.agents) {
      await accepts(2);
      await unit.terminate();
      unit.start();
    }
  }
  await accepts(5);
  await endWell(t);
});
