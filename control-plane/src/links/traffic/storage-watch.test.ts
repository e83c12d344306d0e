import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { pino } from 'pino';
import t from 'tap';
import { StorageWatch } from './storage-watch.js';

const down = new Error('connect ECONNREFUSED');

function aWatch() {
  const clock = new FakeClock();
  const database = { isThere: false, isStopping: false };
  const watch = new StorageWatch({
    clock,
    log: pino({ level: 'silent' }),
    check: async () => {
      if (!database.isThere) throw down;
    },
    isStopping: () => database.isStopping,
  });
  /** Lets time pass in small steps, as timers set timers. */
  const pass = async (ms: number) => {
    for (let gone = 0; gone < ms; gone += 50) {
      clock.advance(50);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { watch, database, clock, pass };
}

/** How long until it is worth another try. */
async function waited({ watch, clock, pass }: ReturnType<typeof aWatch>): Promise<number> {
  const startedMs = clock.monotonicMs();
  let isBack = false;
  void watch.failed(down).then(() => {
    isBack = true;
  });
  while (!isBack) await pass(50);
  return clock.monotonicMs() - startedMs;
}

t.test('a database that was gone is noticed within a quarter of a second of its return', async (t) => {
  const { watch, database, pass } = aWatch();
  let back = 0;
  void watch.failed(down).then(() => (back += 1));
  void watch.failed(down).then(() => (back += 1));
  await pass(10_000);
  t.equal(back, 0);
  database.isThere = true;
  await pass(300);
  t.equal(back, 2, 'whoever waits hears of it');
});

t.test(
  'a database that responds and stores nothing is tried at growing intervals, and normally once it stored something',
  async (t) => {
    const site = aWatch();
    site.database.isThere = true;
    const waits: number[] = [];
    for (let i = 0; i < 7; i += 1) waits.push(await waited(site));
    t.strictSame(waits, [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
    site.watch.succeeded();
    t.equal(await waited(site), 250);
  },
);

t.test('a stopping replica waits for nothing', async (t) => {
  const site = aWatch();
  site.database.isStopping = true;
  t.equal(await waited(site), 250);
});
