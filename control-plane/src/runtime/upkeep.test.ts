import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { pino } from 'pino';
import t from 'tap';
import { Upkeep } from './upkeep.js';

const HOUR_MS = 3_600_000;

function upkeepOf(tasks: readonly (() => Promise<void>)[]) {
  const clock = new FakeClock();
  const complaints: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void complaints.push(JSON.parse(line).err.message) });
  return { upkeep: new Upkeep({ clock, log, tasks }), clock, complaints };
}

t.test('every task runs once an hour, one after another, whatever becomes of the others', async (t) => {
  const ran: string[] = [];
  const { upkeep, clock, complaints } = upkeepOf([
    async () => void ran.push('first'),
    async () => Promise.reject(new Error('no database')),
    async () => void ran.push('last'),
  ]);
  upkeep.start();
  clock.advance(HOUR_MS - 1);
  t.same(ran, [], 'not before its time');
  for (const times of [1, 2]) {
    clock.advance(HOUR_MS);
    await until('the last task', () => ran.length === 2 * times);
  }
  t.same(ran, ['first', 'last', 'first', 'last']);
  t.same(complaints, ['no database', 'no database']);
  await upkeep.stop();
  t.equal(clock.pendingTimers, 0);
});

t.test('an hour that comes round during a slow run is caught up on, several of them once', async (t) => {
  const finishes: (() => void)[] = [];
  const { upkeep, clock } = upkeepOf([() => new Promise<void>((resolve) => void finishes.push(resolve))]);
  upkeep.start();
  clock.advance(HOUR_MS);
  await until('the first run', () => finishes.length === 1);
  clock.advance(2 * HOUR_MS);
  finishes[0]?.();
  await until('the second run', () => finishes.length === 2);
  finishes[1]?.();
  await new Promise(setImmediate);
  t.equal(finishes.length, 2);
  clock.advance(HOUR_MS);
  await until('the third run', () => finishes.length === 3);
  finishes[2]?.();
  await upkeep.stop();
});

t.test('stopping waits for what is running and begins nothing new', async (t) => {
  const events: string[] = [];
  let finish = () => {};
  const { upkeep, clock } = upkeepOf([
    () =>
      new Promise((resolve) => {
        finish = () => {
          events.push('task ended');
          resolve();
        };
      }),
  ]);
  upkeep.start();
  clock.advance(HOUR_MS);
  await new Promise(setImmediate);
  const stopped = upkeep.stop().then(() => events.push('stopped'));
  await new Promise(setImmediate);
  finish();
  await stopped;
  t.same(events, ['task ended', 'stopped']);
  t.equal(clock.pendingTimers, 0);
});
