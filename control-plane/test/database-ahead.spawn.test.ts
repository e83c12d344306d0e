import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@vantage/shared/_support/until.js';
import type { Knex } from 'knex';
import t, { type Test } from 'tap';
import { runInProcess } from './_support/command-in-process.js';
import { runProbe } from './_support/probes.js';
import { RealAgent } from './_support/real-agent.js';
import { apiOf, SECRET_KEY, startReplica, startStack, type TestApi } from './_support/stack.js';

/** Migration of a later version as large as one may be: two new columns and an index for every table, and a new table. */
async function addToEveryTable(db: Knex): Promise<void> {
  const { rows } = await db.raw<{ rows: { name: string }[] }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
     AND NOT relispartition AND relname <> 'schema_migrations' ORDER BY 1`,
  );
  for (const { name } of rows) {
    await db.raw('ALTER TABLE ?? ADD COLUMN later_a text, ADD COLUMN later_b integer NOT NULL DEFAULT 7', [name]);
    await db.raw('CREATE INDEX ON ?? (later_b)', [name]);
  }
  await db.raw('CREATE TABLE later_table (id text PRIMARY KEY, monitor_id text REFERENCES monitors ON DELETE CASCADE)');
  await db.raw("INSERT INTO schema_migrations (name) VALUES ('9999-later')");
}

/** Web server that a monitor checks. */
async function aSite(t: Test): Promise<string> {
  const site = createServer((_request, response) => response.end('hello')).listen(0, '127.0.0.1');
  t.teardown(() => site.close());
  await until('the site', () => site.listening);
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
}

/** A probe, a monitor and what is read of them. */
async function checkService(t: Test, api: TestApi, target: string, name: string): Promise<void> {
  const probe = { target, params: { timeout_ms: 30_000 } };
  t.match(await runProbe(api, 'http', probe), { status: 'completed', summary: { success_count: 1 } }, name);
  const body = { name, type: 'http', target, interval_s: 10 };
  const made = await api.call('POST', '/v1/monitors', { body });
  t.equal(made.status, 201, JSON.stringify(made.body));
  const path = `/v1/monitors/${made.body.data.id}`;
  await until('up', async () => (await api.call('GET', path)).body.data.current_status === 'up');
  const checks = await api.call('GET', `${path}/checks`);
  t.match(checks.body.data[0], { success: true }, name);
  t.equal((await api.call('DELETE', path)).status < 300, true, name);
}

t.test('replicas of this version go on, and start, next to one whose migration has added to every table', async (t) => {
  const { api, database, controlPlane } = await startStack(t);
  const target = await aSite(t);
  await RealAgent.start(t, api);
  await checkService(t, api, target, 'before');

  // its statements are prepared by now
  await addToEveryTable(database.db);
  await checkService(t, api, target, 'the replica that ran');

  const started = await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: controlPlane.publicUrl });
  await checkService(t, apiOf(started.listenUrl, api.token, api.userId), target, 'a replica that starts');

  const env = { VANTAGE_DATABASE_URL: database.url, VANTAGE_SECRET_KEY: SECRET_KEY, VANTAGE_PUBLIC_URL: api.url };
  const run = (...args: string[]) => runInProcess('vantage-control', args, { env });
  t.same(JSON.parse((await run('migrate', '--json')).stdout), { applied: [] });
  t.match((await run('doctor')).stdout, /migrations: migrated by a newer version.*: 9999-later/);
  const names = await database.db('schema_migrations').pluck('name');
  t.ok(names.includes('9999-later'), 'nothing is rolled back');
});
