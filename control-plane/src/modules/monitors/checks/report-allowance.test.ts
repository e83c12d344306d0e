import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import type { Knex } from 'knex';
import t from 'tap';
import { createLogger } from '../../../runtime/log.js';
import { ReportAllowance } from './report-allowance.js';

const db = {} as Knex;
const HOUR_MS = 3_600_000;

/** Allowance of nodes whose monitors have the given number of slots per second. */
function setUp(loads: Readonly<Record<string, number>>) {
  const clock = new FakeClock();
  const asked: string[] = [];
  const readLoad = async (_db: Knex, nodeId: string) => {
    asked.push(nodeId);
    return loads[nodeId] ?? 0;
  };
  const allowance = new ReportAllowance({ clock, log: createLogger('silent'), readLoad });
  /** Delivers a number of reports. @returns how many were stored */
  const deliver = async (nodeId: string, count: number) => {
    const fitting = await allowance.fitting(
      db,
      Array.from({ length: count }, () => ({ nodeId })),
    );
    allowance.spend(fitting);
    return fitting.length;
  };
  return { clock, asked, allowance, deliver };
}

t.test('an agent that was away for three days delivers every slot, and goes on', async (t) => {
  const { clock, asked, deliver } = setUp({ honest: 5 });
  const perHour = 5 * 3_600;
  for (let hour = 0; hour < 72; hour += 1) t.equal(await deliver('honest', perHour), perHour);
  for (let hour = 0; hour < 48; hour += 1) {
    clock.advance(HOUR_MS);
    t.equal(await deliver('honest', perHour), perHour);
  }
  t.ok(asked.length < 60, 'its load is read once a minute at most, and only beyond what every node may store');
});

t.test(
  'a node that reports more slots than its monitors have is limited to twice their number, permanently',
  async (t) => {
    const { clock, deliver } = setUp({ liar: 5, honest: 5 });
    let stored = 0;
    for (let hour = 0; hour < 24; hour += 1) {
      clock.advance(HOUR_MS);
      stored += await deliver('liar', 200_000);
      t.equal(await deliver('honest', 18_000), 18_000, 'others are not');
    }
    const slots = 5 * 3_600 * (24 + 72);
    t.ok(stored <= 2 * slots, `${stored} were stored, its monitors have ${slots} slots in that time and its backlog`);
    t.ok(stored >= slots);
  },
);

t.test('a node without monitors may store as much as three days of one monitor, and then little', async (t) => {
  const { clock, deliver } = setUp({});
  let stored = 0;
  for (let part = 0; part < 100; part += 1) stored += await deliver('idle', 1_000);
  t.equal(stored, 51_840);
  clock.advance(HOUR_MS);
  t.equal(await deliver('idle', 10_000), 720);
});

t.test('reports that are not committed do not count', async (t) => {
  const { allowance } = setUp({});
  const rows = Array.from({ length: 51_840 }, () => ({ nodeId: 'one' }));
  for (let attempt = 0; attempt < 3; attempt += 1) t.equal((await allowance.fitting(db, rows)).length, rows.length);
});
