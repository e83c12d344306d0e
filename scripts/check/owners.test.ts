import t from 'tap';
import { findUnowned, type UnownedStatement } from './owners/statements.js';
import { findOwnedTables, judgeUnowned } from './owners.js';

const path = 'control-plane/src/modules/monitors/store.ts';
const tables = ['monitors', 'nodes'];
const namesIn = (text: string) => findUnowned({ path, text }, tables).map(({ declaration }) => declaration);

t.test('owned tables are those that are created, or changed, with the column of an owner', async (t) => {
  const sql = `
    CREATE TABLE monitors (
      id text COLLATE "C" PRIMARY KEY,
      owner_id text COLLATE "C" NOT NULL REFERENCES owners ON DELETE CASCADE,
      UNIQUE (owner_id, name)
    );
    CREATE TABLE probe_tasks (
      owner_id text COLLATE "C"
    ) PARTITION BY RANGE (id);
    CREATE TABLE rate_windows (
      key text PRIMARY KEY -- no owner_id
    ) WITH (fillfactor = 50);
    CREATE TABLE audit_log (
      account_id text
    );
    ALTER TABLE webhooks ADD COLUMN owner_id text;`;
  t.strictSame(findOwnedTables(sql), ['monitors', 'probe_tasks', 'audit_log', 'webhooks']);
});

t.test('a statement about an owned table is refused without a condition on the owner', async (t) => {
  const refused: Readonly<Record<string, string>> = {
    'SQL that reads': "const x = (db) => db.raw('SELECT * FROM monitors WHERE id = ?', [id]);",
    'SQL that joins': 'const x = (db) => db.raw(`SELECT 1 FROM states s JOIN monitors m ON m.id = s.monitor_id`);',
    'SQL that changes': "const x = (db) => db.raw('UPDATE nodes SET name = ? WHERE id = ?');",
    'SQL that deletes': "const x = (db) => db.raw('DELETE FROM monitors WHERE id = ?');",
    'a second table of FROM': "const x = (db) => db.raw('SELECT 1 FROM span, nodes n WHERE n.id = span.id');",
    'a subquery in an INSERT': "const x = (db) => db.raw('INSERT INTO due SELECT id FROM monitors');",
    'a fragment without the condition':
      "const FROM = 'FROM monitors m';\nconst x = (db) => db.raw(`SELECT * ${FROM} WHERE m.id = ?`);",
    'an owner that is only joined, not asked for':
      "const x = (db) => db.raw('SELECT 1 FROM monitors m JOIN owners o ON o.id = m.owner_id WHERE m.id = ?');",
    'an owner that is written': "const x = (trx) => trx('monitors').where({ id }).update({ owner_id: to });",
    'a table by name': "const x = (db) => db('monitors').where({ id }).first();",
    'a table under another name': "const x = (db) => db('monitors as m').where({ id });",
    'a joined table': "const x = (db) => db('states').join('monitors', 'monitors.id', 'states.monitor_id');",
    'a condition that is not always there':
      "function x(db) {\n  const query = db('monitors');\n  if (isOwn) query.where({ owner_id: id });\n  return query;\n}",
    'a condition that is not always in a list':
      "function x(db) { const where = ['true', ...(isOwn ? ['owner_id = :id'] : [])].join(' AND '); return queryNamed(db, 'x', `SELECT 1 FROM nodes WHERE ${where}`); }",
    'a page': "const x = (db) => queryPage(db, { from: 'monitors m', where: 'm.id = :id' }, values);",
    'a page of names':
      "function x(db) { const [from, where] = ['monitors', 'true']; return queryPage(db, { from, where }, {}); }",
    'a page with a condition that is not always there':
      "function x(db) { const where = ['true', ...(isOwn ? [ownedBy(owner)] : [])].join(); return queryPage(db, { from: 'nodes', where }, {}); }",
    'a table in a variable': 'const x = (db, table) => db(table).where({ id });',
    'a table in a template': 'const x = (db, table) => db.raw(`SELECT * FROM ${table} WHERE id = ?`);',
  };
  for (const [what, text] of Object.entries(refused)) t.strictSame(namesIn(text), ['x'], what);
});

t.test('a statement passes with a condition on the owner, wherever it stands, and an insert needs none', async (t) => {
  const passed: Readonly<Record<string, string>> = {
    'a value': "const x = (db) => db.raw('SELECT * FROM monitors WHERE owner_id = ?', [id]);",
    'several owners': "const x = (db) => db.raw('SELECT * FROM monitors m WHERE m.owner_id = ANY(?)');",
    'the function of owners': 'const x = (db) => db.raw(`SELECT * FROM monitors WHERE ${ownedBy(owner)}`);',
    'the same with the name of the table':
      'const x = (db) => db.raw(`SELECT * FROM monitors m WHERE ${ofOwner("m")}`);',
    'a constant of the file':
      "const OWN = 'm.owner_id = :ownerId';\nconst x = (db) => db.raw(`SELECT * FROM monitors m WHERE ${OWN}`);",
    'a constant of the function':
      'function x(db) { const own = ownedBy(owner); return db.raw(`SELECT * FROM monitors WHERE ${own}`); }',
    'a list of conditions':
      "function x(db) { const where = [ownedBy(owner), ...(y ? ['a = :a'] : [])].join(' AND '); return queryPage(db, { from: 'nodes', where }, {}); }",
    'a page': "const x = (db) => queryPage(db, { from: 'monitors', where: ownedBy(owner) }, values);",
    'a page of names':
      "function x(db) { const [from, where] = ['monitors', ownedBy(owner)]; return queryPage(db, { from, where }, {}); }",
    'a page of another table': "const x = (db) => queryPage(db, { from: 'monitor_states', where: 'true' }, values);",
    'a condition of knex': "const x = (db) => db('monitors').where({ owner_id: id, is_test: true }).pluck('name');",
    'raw in knex': "const x = (db) => db('monitors').whereRaw(ownedBy(owner), { ownerId }).select('*');",
    'a named chain':
      "function x(db) {\n  const query = db('monitors');\n  query.where({ owner_id: id });\n  return query.limit(1);\n}",
    'a chain with a condition that later calls join to':
      "function x(db) { const query = db('nodes').where('owner_id', id); if (y) query.join('monitors', 'a', 'b'); return query; }",
    'an insert': "const x = (trx) => trx('monitors').insert({ id, owner_id });",
    'an insert in SQL': "const x = (trx) => trx.raw('INSERT INTO monitors (id, owner_id) VALUES (?, ?)');",
    'another table': "const x = (db) => db.raw('SELECT * FROM monitor_states WHERE monitor_id = ?');",
    'a word': "const x = fieldError('monitors', 'too many from monitors');",
  };
  for (const [what, text] of Object.entries(passed)) t.strictSame(namesIn(text), [], what);
});

t.test('a statement without an owner must be listed, and what is listed must be one', async (t) => {
  const found: UnownedStatement[] = [{ path, declaration: 'listAll', line: 3, table: 'monitors' }];
  const listed = (names: readonly string[]) => [
    { reason: 'for administrators', declarations: { 'modules/monitors/store.ts': names } },
  ];
  t.strictSame(judgeUnowned(found, listed(['listAll'])), []);
  t.match(judgeUnowned(found, []), [/^control-plane\/src\/modules\/monitors\/store\.ts:3: listAll names monitors/]);
  t.match(judgeUnowned([], listed(['listAll'])), [/listAll is listed in .* and has no statement without an owner/]);
});
