import { pino } from 'pino';
import t from 'tap';
import { FakeClock } from '../test/_support/fake-clock.js';
import { until } from '../test/_support/until.js';
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
    await until('the next hour to be waited for', () => clock.pendingTimers === 1);
    t.equal(ran.length, 2 * times);
  }
  t.same(ran, ['first', 'last', 'first', 'last']);
  t.same(complaints, ['no database', 'no database']);
  await upkeep.stop();
  t.equal(clock.pendingTimers, 0);
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
  const stopped = upkeep.stop().then(() => events.push('stopped'));
  await new Promise(setImmediate);
  finish();
  await stopped;
  t.same(events, ['task ended', 'stopped']);
  t.equal(clock.pendingTimers, 0);
});
