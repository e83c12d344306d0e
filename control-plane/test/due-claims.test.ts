import t from 'tap';
import { claimDue } from '../src/modules/monitors/judging/state-store.js';
import { createTestDatabase } from './_support/database.js';
import { insertMonitor } from './_support/stored-monitor.js';

t.test('a monitor that is due for many reasons is judged once, and for one that comes later again', async (t) => {
  const { db } = await createTestDatabase(t);
  const ids = [(await insertMonitor(db, [])).id, (await insertMonitor(db, [])).id];
  const queue = (id: string | undefined, ageSeconds: number) =>
    db.raw("INSERT INTO monitor_due (monitor_id, due_at) VALUES (?, clock_timestamp() - ? * interval '1 s')", [
      id ?? '',
      ageSeconds,
    ]);
  await db('monitor_due').delete();
  for (let age = 300; age > 0; age -= 1) await queue(ids[age % 2], age);
  await queue(ids[0], -60);
  const claim = (limit: number) => db.transaction(async (trx) => (await claimDue(trx, limit)).map(({ id }) => id));
  t.same((await claim(2)).sort(), [...ids].sort());
  t.same(await claim(100), [], 'nothing is due any more');
  t.equal((await db('monitor_due')).length, 1, 'what is due later stays');
});
