import t from 'tap';
import { queryPrepared } from '../src/db/prepared.js';
import { createTestDatabase } from './_support/database.js';

t.test('a statement with the date of a day is prepared once a day, and forgotten a day later', async (t) => {
  const { db } = await createTestDatabase(t);
  await db.transaction(async (trx) => {
    const ask = (day: number) =>
      queryPrepared<{ day: number }>(trx, { name: 'days', text: `SELECT ${day} AS day WHERE $1`, day }, [true]);
    const prepared = async () => (await trx('pg_prepared_statements').orderBy('name').pluck('name')) as string[];
    for (const day of [100, 101, 100, 101]) t.strictSame(await ask(day), [{ day }]);
    t.strictSame(await prepared(), ['days@100', 'days@101']);
    t.strictSame(await ask(102), [{ day: 102 }]);
    t.strictSame(await prepared(), ['days@101', 'days@102']);
  });
});
