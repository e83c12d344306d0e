import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { DueCount } from '../src/modules/monitors/judging/due-count.js';
import { createTestDatabase } from './_support/database.js';

t.test('monitors due to be judged are counted at most every five seconds; unknown without a database', async (t) => {
  const { db } = await createTestDatabase(t);
  const clock = new FakeClock(Date.now());
  const due = new DueCount(db, clock);
  const insert = (ageSeconds: number) =>
    db.raw("INSERT INTO monitor_due (monitor_id, due_at) VALUES ('m_1', clock_timestamp() - ? * interval '1 s')", [
      ageSeconds,
    ]);
  for (const ageSeconds of [5, 1, -60]) await insert(ageSeconds);
  t.equal(await due.read(), 2, 'future ones are not due');
  await insert(1);
  clock.advance(4_999);
  t.equal(await due.read(), 2);
  clock.advance(1);
  t.equal(await due.read(), 3);
  await db.destroy();
  clock.advance(5_000);
  t.equal(await due.read(), null);
});
