import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { until } from '@vantage/shared/_support/until.js';
import type { Knex } from 'knex';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { applyWithin, migrate } from '../src/db/migrate.js';
import { type Migration, migrations } from '../src/db/migrations/index.js';
import { ensurePartitions } from '../src/db/partitions.js';
import { createTestDatabase, databaseServer, databaseThrough } from './_support/database.js';
import { Program } from './_support/program.js';
import { seededRandom } from './_support/seeded-random.js';

/** Last migration of the first release; every later one is applied to its tables with rows. */
const RELEASED = '0012-replica-ranges';
const SCRIPT = fileURLToPath(new URL('../../bin/vantage-control.js', import.meta.url));
const SEED = Number(process.env['VANTAGE_TEST_SEED'] ?? 20_261_128);

/** Columns, defaults, constraints, indexes, comments and functions, one line each. */
async function schemaOf(db: Knex): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { line: string }[] }>(`
    WITH tables AS (SELECT oid, relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p'))
    SELECT concat_ws(' ', relname, attnum, attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid),
      col_description(tables.oid, attnum)) AS line
    FROM tables JOIN pg_attribute ON attrelid = tables.oid LEFT JOIN pg_attrdef ON adrelid = tables.oid AND adnum = attnum
    WHERE attnum > 0 AND NOT attisdropped
    UNION ALL SELECT concat_ws(' ', relname, conname, pg_get_constraintdef(c.oid), convalidated) FROM tables JOIN pg_constraint c ON conrelid = tables.oid
    UNION ALL SELECT concat_ws(' ', relname, pg_get_indexdef(indexrelid), indisvalid) FROM tables JOIN pg_index ON indrelid = tables.oid
    UNION ALL SELECT concat_ws(' ', relname, pg_get_triggerdef(g.oid)) FROM tables JOIN pg_trigger g ON tgrelid = tables.oid WHERE NOT tgisinternal
    UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND prokind = 'f'
    ORDER BY 1`);
  return rows.map(({ line }) => line);
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isGenerated: boolean;
}

/** Tables with rows of their own, with their columns in order. */
async function tablesOf(db: Knex): Promise<Map<string, Column[]>> {
  const { rows } = await db.raw(`
    SELECT relname AS table, attname AS name, format_type(atttypid, atttypmod) AS type, attgenerated <> '' OR attidentity = 'a' AS generated
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid WHERE relnamespace = current_schema()::regnamespace
    AND relkind = 'r' AND attnum > 0 AND NOT attisdropped AND relname <> 'schema_migrations' ORDER BY relname, attnum`);
  const tables = new Map<string, Column[]>();
  for (const { table, name, type, generated } of rows)
    tables.set(table, [...(tables.get(table) ?? []), { name, type, isGenerated: generated }]);
  return tables;
}

/** Values of a type; `n` distinguishes rows. */
function valueOf(type: string, n: number): string {
  if (type.endsWith('[]')) return `'{}'::${type}`;
  if (/^(?:json|jsonb)$/.test(type)) return `'{"n":${n}}'::${type}`;
  if (/^(?:int|bigint|smallint|numeric|double|real)/.test(type)) return `${n}`;
  if (type === 'boolean') return 'true';
  if (type === 'date') return `DATE '2026-11-01' + ${n}`;
  if (type.startsWith('timestamp')) return `TIMESTAMPTZ '2026-11-01' + interval '${n} hours'`;
  if (type === 'bytea') return `'\\x0${n % 10}'::bytea`;
  if (type === 'uuid') return `'00000000-0000-4000-8000-00000000000${n % 10}'::uuid`;
  if (type === 'inet' || type === 'cidr') return `'192.0.2.${n}'::${type}`;
  if (type === 'interval') return `interval '${n} s'`;
  return `'x${n}'::${type}`;
}

/** Literals that the bounds of a partition allow, by table and column. */
async function boundsOf(db: Knex): Promise<Map<string, string>> {
  const { rows } = await db.raw<{ rows: { table: string; column: string; value: string }[] }>(`
    WITH RECURSIVE up AS (
      SELECT oid AS leaf, oid AS child FROM pg_class WHERE relispartition AND relkind = 'r' AND relnamespace = current_schema()::regnamespace
      UNION ALL SELECT leaf, inhparent FROM up JOIN pg_inherits ON inhrelid = child)
    SELECT leaf::regclass::text AS table, substring(pg_get_partkeydef(inhparent) FROM '[(]([a-z_]+)') AS column,
      substring(pg_get_expr(relpartbound, pg_class.oid) FROM '[(]([^,)]+)') AS value
    FROM up JOIN pg_inherits ON inhrelid = child JOIN pg_class ON pg_class.oid = child`);
  return new Map(rows.map(({ table, column, value }) => [`${table}.${column}`, value] as const));
}

/** Writes rows that no code has written: constraints are off, since only their bytes matter. */
async function fill(db: Knex): Promise<void> {
  const { rows: checks } = await db.raw(
    `SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS definition FROM pg_constraint
     WHERE contype = 'c' AND conislocal AND connamespace = current_schema()::regnamespace`,
  );
  const bounds = await boundsOf(db);
  await db.transaction(async (trx) => {
    await trx.raw("SET LOCAL session_replication_role = 'replica'");
    for (const { table, name } of checks) await trx.raw('ALTER TABLE ?? DROP CONSTRAINT ??', [table, name]);
    for (const [table, columns] of await tablesOf(trx)) {
      const given = columns.filter(({ isGenerated }) => !isGenerated);
      for (const n of [1, 2, 3]) {
        await trx.raw('SAVEPOINT row_of_table');
        const values = given.map(({ name, type }) => bounds.get(`${table}.${name}`) ?? valueOf(type, n)).join();
        const names = given.map(({ name }) => `"${name}"`).join();
        await trx
          .raw(`INSERT INTO ${table} (${names}) VALUES (${values})`)
          .catch(() => trx.raw('ROLLBACK TO row_of_table'));
      }
    }
    for (const { table, name, definition } of checks)
      await trx.raw(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition} NOT VALID`);
    await trx.raw("UPDATE pg_constraint SET convalidated = true WHERE contype = 'c'");
  });
}

/** Columns that a later migration drops. */
const dropped: ReadonlySet<string> = new Set(['heartbeats.public_id']);

/** Count and checksum of the rows of each table, by the columns that it had and keeps. */
async function rowsOf(db: Knex, tables: ReadonlyMap<string, Column[]>): Promise<Record<string, string>> {
  const sums: Record<string, string> = {};
  for (const [table, columns] of tables) {
    const kept = columns.filter(({ name }) => !dropped.has(`${table}.${name}`));
    const names = kept.map(({ name }) => `"${name}"`).join();
    const { rows } = await db.raw(
      `SELECT count(*) || ' ' || coalesce(sum(hashtextextended(row(${names})::text, 0)), 0) AS sum FROM "${table}"`,
    );
    sums[table] = rows[0].sum;
  }
  return sums;
}

/** Tables of the first release, applied by the code of this version. */
async function makeReleased(db: Knex): Promise<void> {
  const names = migrations.map(({ name }) => name).filter((name) => name <= RELEASED);
  await db.transaction((trx) => applyWithin(trx, names));
  await ensurePartitions(db, Date.now());
}

const migrationsSince = migrations.filter(({ name }) => name > RELEASED);

/** A schema without the indexes of these migrations: one that is built while rows are written exists before its migration is recorded. */
function withoutIndexes(schema: readonly string[], unrecorded: readonly Migration[]): string[] {
  // that of a partition has the suffix of the partition
  const own = unrecorded.flatMap(({ indexes = [] }) =>
    indexes.map(({ name }) => new RegExp(` ${name}(?:_p\\d+)? ON `)),
  );
  return schema.filter((line) => !own.some((index) => index.test(line)));
}

/** Schemas after the first release and each migration since. */
async function listSchemas(t: Test): Promise<string[][]> {
  const { db } = await createTestDatabase(t, { migrate: false });
  await makeReleased(db);
  const schemas = [await schemaOf(db)];
  for (const { name } of migrationsSince) {
    await migrate(
      db,
      pino({ level: 'silent' }),
      migrations.filter((migration) => migration.name <= name),
    );
    schemas.push(await schemaOf(db));
  }
  return schemas;
}

const wayTo = (server: string) =>
  server.startsWith('/') ? { path: server } : { host: new URL(server).hostname, port: Number(new URL(server).port) };

/** Runs `vantage-control migrate`, which is killed when it sends its message `killAt` to the database. */
async function runUpgrade(t: Test, url: string, killAt: number) {
  let sent = 0;
  const proxy = createServer((socket) => {
    const onward = connect(wayTo(databaseServer(url)));
    for (const one of [socket, onward]) one.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      if (++sent === killAt) void program.kill();
      else onward.write(chunk);
    });
    socket.on('close', () => onward.destroy());
    onward.pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const through = databaseThrough(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, url);
  const environment = { VANTAGE_DATABASE_URL: through };
  const program = Program.start(t, SCRIPT, { args: ['migrate', '--json'], environment });
  const ending = await program.ended;
  proxy.close();
  return { ...ending, sent };
}

t.test(
  `an upgrade of the first release that is killed again and again keeps every row and ends complete (seed ${SEED})`,
  async (t) => {
    const schemas = await listSchemas(t);
    const { url, db } = await createTestDatabase(t, { migrate: false });
    await makeReleased(db);
    await fill(db);
    const tables = await tablesOf(db);
    const before = await rowsOf(db, tables);
    const empty = [...tables.keys()].filter((table) => before[table]?.startsWith('0 '));
    t.strictSame(empty, [], 'every table and partition has rows');
    const random = seededRandom(SEED);
    let kills = 0;
    for (let limit = 20; ; ) {
      const ending = await runUpgrade(t, url, 1 + Math.floor(random() * limit));
      await until('the end of its connections', async () => {
        const { rows } = await db.raw(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name NOT IN ('', 'vantage test')",
        );
        return rows.length === 0;
      });
      const level = (await db('schema_migrations').pluck('name')).filter((name) => name > RELEASED).length;
      const found = withoutIndexes(await schemaOf(db), migrationsSince.slice(level));
      t.strictSame(found, schemas[level], `after ${kills} kills: whole migrations`);
      t.strictSame(await rowsOf(db, tables), before, `after ${kills} kills: every row`);
      if (ending.code === 0) break;
      t.equal(ending.signal, 'SIGKILL', ending.stderr);
      kills++;
      limit += 4;
    }
    t.ok(kills >= 3, `${kills} kills`);
    t.comment(`${kills} kills, ${tables.size} tables`);
    t.strictSame(await schemaOf(db), schemas.at(-1));
    const again = await runUpgrade(t, url, Number.POSITIVE_INFINITY);
    t.same(JSON.parse(again.stdout), { applied: [] });
    t.strictSame(await rowsOf(db, tables), before);
  },
);
