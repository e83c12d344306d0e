import { createServer } from 'node:net';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { createTestDatabase } from './_support/database.js';
import { startReplica } from './_support/stack.js';

async function takenPort(t: Test): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const { db, url } = await createTestDatabase(t);

/** Connections of control planes. */
async function connections(): Promise<number> {
  const rows = await db('pg_stat_activity')
    .where('application_name', 'like', 'vantage-%')
    .whereRaw('datname = current_database()');
  return rows.length;
}

t.test('a startup that fails late stops everything that was started before', async (t) => {
  const port = await takenPort(t);
  const failing = startReplica(t, url, { VANTAGE_LISTEN: `127.0.0.1:${port}` });
  await t.rejects(failing, { name: 'ListenError', code: 'EADDRINUSE' });
  await until('its connections to be closed', async () => (await connections()) === 0);
  t.strictSame(await db('replicas'), []);
});

t.test('a control plane stops in order, and once', async (t) => {
  const controlPlane = await startReplica(t, url);
  t.ok((await connections()) > 0);
  const readiness = async () => (await fetch(new URL('/readyz', controlPlane.listenUrl))).status;
  await until('it to be ready', async () => (await readiness()) === 200);
  await Promise.all([controlPlane.stop(), controlPlane.stop()]);
  await controlPlane.stop();
  await until('its connections to be closed', async () => (await connections()) === 0);
  t.strictSame(await db('replicas'), []);
  await t.rejects(fetch(new URL('/readyz', controlPlane.listenUrl)));
});

t.test(
  'metrics have an address of their own, none if off, and the server does not start if that address is unavailable',
  async (t) => {
    const port = await takenPort(t);
    await t.rejects(startReplica(t, url, { VANTAGE_METRICS_LISTEN: `127.0.0.1:${port}` }), {
      name: 'ListenError',
      message: /VANTAGE_METRICS_LISTEN/,
    });
    t.equal((await startReplica(t, url)).metricsUrl, null);
    const { metricsUrl, listenUrl } = await startReplica(t, url, { VANTAGE_METRICS_LISTEN: '127.0.0.1:0' });
    t.match(await (await fetch(metricsUrl ?? '')).text(), /^vantage_links 0$/m);
    t.equal((await fetch(new URL('/metrics', listenUrl))).status, 404, 'not part of the API');
  },
);
