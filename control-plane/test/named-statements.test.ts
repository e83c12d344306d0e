import t from 'tap';
import { numbered, queryNamed, queryPage } from '../src/db/named.js';
import { createTestDatabase } from './_support/database.js';

t.test('values by name take the places of their names, each one place', async (t) => {
  const cases: readonly [string, string, readonly string[]][] = [
    ['SELECT :a, :b, :a', 'SELECT $1, $2, $1', ['a', 'b']],
    ['SELECT :a::text[], b::int', 'SELECT $1::text[], b::int', ['a']],
    ["SELECT to_char(:at, 'HH24:mi'), 'it''s :no', ':x'", "SELECT to_char($1, 'HH24:mi'), 'it''s :no', ':x'", ['at']],
    ['SELECT ARRAY[1,2,3][1:2], :ownerId', 'SELECT ARRAY[1,2,3][1:2], $1', ['ownerId']],
    ['SELECT 1', 'SELECT 1', []],
  ];
  for (const [text, sql, places] of cases) t.strictSame(numbered(text), { text: sql, places });
});

t.test('each text of a name is prepared, up to 32 of them; later ones run without', async (t) => {
  const { db } = await createTestDatabase(t);
  await db.transaction(async (trx) => {
    const ask = (index: number) =>
      queryNamed<{ sum: number }>(trx, 'sums', `SELECT :one::int + ${index} AS sum`, { one: 1, other: 2 });
    for (let round = 0; round < 2; round += 1)
      for (let index = 0; index < 40; index += 1) t.strictSame(await ask(index), [{ sum: index + 1 }]);
    const prepared = (await trx('pg_prepared_statements').pluck('name')) as string[];
    t.equal(prepared.length, 32);
    t.ok(['sums', 'sums-2', 'sums-32'].every((name) => prepared.includes(name)));
  });
  t.throws(() => queryNamed(db, 'lack', 'SELECT :one::int, :two::int', { one: 1 }), {
    message: '"lack" has no value for ":two"',
  });
});

t.test('a page has the number of all rows, which are counted only where it does not show their end', async (t) => {
  const { db } = await createTestDatabase(t);
  const total = 25;
  await db.raw(`CREATE TABLE numbers AS SELECT n FROM generate_series(1, ${total}) AS n`);
  const query = { name: 'numbers', columns: 'n', from: 'numbers', where: 'n <= :most', orderBy: 'n' };
  await db.transaction(async (trx) => {
    const isCountPrepared = async () =>
      (await trx('pg_prepared_statements').where({ name: 'numbers-count' })).length > 0;
    await queryPage(trx, query, { most: 10, limit: 5, offset: 8 });
    t.notOk(await isCountPrepared(), 'the page ends the list');
    await queryPage(trx, query, { most: 10, limit: 5, offset: 5 });
    t.ok(await isCountPrepared(), 'there may be more');
    for (const most of [0, 10, total])
      for (const offset of [0, 5, 10, 20, 30])
        for (const limit of [1, 5, 10, 50]) {
          const page = await queryPage<{ n: number }>(trx, query, { most, limit, offset });
          const all = Array.from({ length: most }, (_, index) => ({ n: index + 1 }));
          t.strictSame(page, { rows: all.slice(offset, offset + limit), total: most }, `${most} ${offset} ${limit}`);
        }
    const after = { ...query, name: 'numbers-after', after: 'n > :after' };
    const page = await queryPage<{ n: number }>(trx, after, { most: 10, after: 8, limit: 5, offset: 0 });
    t.strictSame(page, { rows: [{ n: 9 }, { n: 10 }], total: 10 });
  });
});
