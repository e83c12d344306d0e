import t from 'tap';
import { judgeMigration } from './judge-migration.js';

const migration = (sql: string) =>
  `export const name = '0099-x';\nexport async function up(trx) {\n  await trx.raw(\`\n${sql}\n  \`);\n}\n`;
const faults = (sql: string, earlier: readonly string[] = []) => judgeMigration(migration(sql), earlier);

const refused: readonly (readonly [sql: string, says: RegExp])[] = [
  ['ALTER TABLE monitors ALTER COLUMN name TYPE varchar(20);', /rewrites/],
  ['ALTER TABLE monitors ALTER name SET DATA TYPE bigint;', /rewrites/],
  ['alter table monitors add column token text default gen_random_uuid();', /rewrites/],
  ['ALTER TABLE monitors ADD COLUMN at timestamptz NOT NULL DEFAULT clock_timestamp();', /rewrites/],
  ['ALTER TABLE monitors ADD COLUMN n bigint GENERATED ALWAYS AS IDENTITY;', /rewrites/],
  ['ALTER TABLE monitors ADD COLUMN both text GENERATED ALWAYS AS (a || b) STORED;', /rewrites/],
  ['ALTER TABLE monitors ADD COLUMN n bigserial;', /rewrites/],
  ['ALTER TABLE monitors ADD COLUMN kind text NOT NULL;', /fails with rows/],
  ["ALTER TABLE monitors ADD COLUMN a text DEFAULT 'x', ADD COLUMN kind text NOT NULL;", /fails with rows/],
  ['ALTER TABLE monitors ADD COLUMN slug text UNIQUE;', /under a lock/],
  ['ALTER TABLE monitors ADD COLUMN owner text REFERENCES owners;', /under a lock/],
  ['ALTER TABLE monitors ALTER COLUMN kind SET NOT NULL;', /NOT VALID/],
  ["ALTER TABLE monitors ADD CHECK (kind <> '');", /NOT VALID/],
  ['ALTER TABLE monitors ADD CONSTRAINT c FOREIGN KEY (a) REFERENCES b;', /NOT VALID/],
  ['ALTER TABLE monitors ADD CONSTRAINT u UNIQUE (a, b);', /USING INDEX/],
  ['ALTER TABLE monitors ADD PRIMARY KEY (id);', /USING INDEX/],
  ['ALTER TABLE monitors SET UNLOGGED;', /rewrites/],
  ['ALTER TABLE monitors DROP COLUMN kind;', /previous version/],
  ['ALTER TABLE monitors DROP kind;', /previous version/],
  ['ALTER TABLE monitors RENAME COLUMN a TO b;', /previous version/],
  ['ALTER TABLE IF EXISTS ONLY monitors RENAME TO others;', /previous version/],
  ['DROP TABLE monitors;', /previous version/],
  ['CREATE INDEX ON monitors (owner_id);', /`indexes`/],
  ['CREATE UNIQUE INDEX of_owners ON monitors (owner_id) WHERE a;', /`indexes`/],
  [
    'CREATE INDEX CONCURRENTLY of_owners ON monitors (owner_id);',
    /partitioned table: export `indexes`, which buildIndex/,
  ],
  ['CREATE UNIQUE INDEX CONCURRENTLY ON monitors (owner_id);', /partitioned table/],
  ['UPDATE monitors SET kind = 1 WHERE kind IS NULL;', /batches/],
  ['DELETE FROM outbox;', /batches/],
  ['LOCK TABLE monitors;', /blocks everyone/],
  ['TRUNCATE outbox;', /blocks everyone/],
  ['VACUUM FULL monitors;', /blocks everyone/],
  ["SELECT ';'; -- it's\n  CREATE INDEX ON monitors (a);", /`indexes`/],
];

for (const [sql, says] of refused)
  t.test(`"${sql.replaceAll('\n', ' ')}" is refused`, async (t) => {
    const found = faults(sql);
    t.equal(found.length, 1);
    t.match(found[0], { line: sql.includes('\n') ? 5 : 4, says });
  });

const accepted: readonly string[] = [
  'ALTER TABLE monitors ADD COLUMN kind text;',
  "ALTER TABLE monitors ADD COLUMN kind text NOT NULL DEFAULT 'http';",
  'ALTER TABLE monitors ADD COLUMN at timestamptz NOT NULL DEFAULT now();',
  'ALTER TABLE monitors ADD COLUMN is_unique boolean NOT NULL DEFAULT false;',
  'ALTER TABLE monitors ADD CONSTRAINT c CHECK (kind IS NOT NULL) NOT VALID;',
  'ALTER TABLE monitors VALIDATE CONSTRAINT c;',
  'ALTER TABLE monitors ADD CONSTRAINT u UNIQUE USING INDEX of_owners;',
  'ALTER TABLE monitors DROP CONSTRAINT c;',
  'ALTER TABLE monitors ALTER COLUMN kind DROP NOT NULL;',
  'ALTER TABLE monitors ALTER COLUMN kind SET DEFAULT 1;',
  'DROP INDEX monitors_owner_id_idx;',
  "COMMENT ON COLUMN monitors.kind IS 'ALTER TABLE x ALTER y TYPE z; DROP TABLE x';",
  'CREATE TABLE fresh (id int); CREATE INDEX ON fresh (id); ALTER TABLE fresh ADD UNIQUE (id); INSERT INTO fresh VALUES (1);',
  'CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ UPDATE monitors SET a = 1; DELETE FROM outbox; $$;',
];

for (const sql of accepted) t.test(`"${sql.replaceAll('\n', ' ')}" is accepted`, async (t) => t.same(faults(sql), []));

t.test('NOT NULL is accepted once a constraint was added and validated by earlier migrations', async (t) => {
  const sql = 'ALTER TABLE monitors ALTER COLUMN kind SET NOT NULL;';
  const added = migration('ALTER TABLE monitors ADD CONSTRAINT c CHECK (kind IS NOT NULL) NOT VALID;');
  const validated = migration('ALTER TABLE monitors VALIDATE CONSTRAINT c;');
  t.equal(faults(sql, [added]).length, 1);
  t.equal(faults(sql, [validated]).length, 1);
  t.same(faults(sql, [added, validated]), []);
  t.equal(faults(sql.replace('kind', 'other'), [added, validated]).length, 1);
});

t.test('what is taken away needs the first migration of the version that does not use it', async (t) => {
  const sql = '-- allowed: unused since 0.4.0\nALTER TABLE monitors DROP COLUMN kind;';
  t.match(faults(sql), [{ line: 5, says: /export `requires`/ }]);
  t.same(judgeMigration(`export const requires = '0042-kinds';\n${migration(sql)}`, []), []);
});

t.test('the schema builder is refused, since it is not judged', async (t) => {
  t.match(judgeMigration("await trx.schema.alterTable('x', (table) => table.dropColumn('y'));", []), [
    { line: 1, says: /write SQL/ },
  ]);
});
