import t from 'tap';
import { judgeStatements } from './prepared.js';

const store = 'control-plane/src/modules/a/a-store.ts';
const judge = (text: string, allowed: Readonly<Record<string, number>> = {}, path = store) =>
  judgeStatements([{ path, text }], allowed);

t.test('an unprepared statement in a store is refused, however it is written', async (t) => {
  for (const text of [
    "db.raw('SELECT 1')",
    'trx.raw<{ rows: Row[] }>(`SELECT 1`)',
    "trx('a').where({ id })",
    "await db<Row>('a').select('id')",
  ]) {
    t.match(judge(text), [/a-store\.ts: 1 unprepared statements, at most 0: use queryNamed/], text);
  }
  t.strictSame(judge("queryPrepared<Row>(db, FIND, [id]);\n// db.raw('x')"), []);
  t.match(judge("db.raw('x')", {}, 'control-plane/src/modules/a/store.ts'), [/at most 0/]);
});

t.test('a store may have the unprepared statements that the list allows, and the list only shrinks', async (t) => {
  t.strictSame(judge("db.raw('x')", { [store]: 1 }), []);
  t.match(judge("db.raw('x'); db.raw('y')", { [store]: 1 }), [/2 unprepared statements, at most 1/]);
  t.match(judge('', { [store]: 1 }), [/has 0 unprepared statements: lower its number from 1/]);
  t.match(judgeStatements([], { [store]: 1 }), [/lower its number/], 'a store that no longer exists');
});

t.test('statements outside of stores, and those of tests, are not counted', async (t) => {
  t.strictSame(judge("db.raw('x')", {}, 'control-plane/src/db/migrate.ts'), []);
  t.strictSame(judge("db.raw('x')", {}, 'control-plane/src/modules/a/_support/a-store.ts'), []);
});
