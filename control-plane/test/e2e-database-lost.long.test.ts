import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { oneQuery } from './_support/one-query.js';
import { runProbe } from './_support/probes.js';
import { RealAgent } from './_support/real-agent.js';
import { startRestartablePostgres } from './_support/restartable-postgres.js';
import { SlowTarget } from './_support/slow-target.js';
import { apiOf, createAdmin, startReplica } from './_support/stack.js';
import { TcpProxy } from './_support/tcp-proxy.js';

const AWAY_MS = 14_000;

t.test('a database outage longer than the lease of replicas costs no link', async (t) => {
  const postgres = await startRestartablePostgres(t);
  const proxy = await TcpProxy.start(t);
  const settings = { VANTAGE_PUBLIC_URL: proxy.url };
  const one = await startReplica(t, postgres.url, settings);
  const other = await startReplica(t, postgres.url, settings);
  const admin = await createAdmin(one);
  const target = await SlowTarget.start(t);
  for (const { listenUrl } of [one, other]) {
    proxy.forwardTo(listenUrl);
    const agent = await RealAgent.start(t, apiOf(proxy.url, admin.token, admin.userId));
    // online is a node whose link is recorded; the database still has its part in opening it
    await agent.waitForStatus({ isConnected: true, rows: 0 });
  }
  const sessions = () => oneQuery(postgres.url, 'SELECT id, session_id, replica_id FROM nodes ORDER BY id');
  const heartbeats = () =>
    oneQuery(postgres.url, `SELECT id FROM replicas WHERE heartbeat_at > now() - interval '3 seconds' ORDER BY id`);
  const before = await sessions();

  await postgres.stop();
  const since = performance.now();
  await until('the outage to have lasted', () => performance.now() - since > AWAY_MS);
  await postgres.start();
  await until('both replicas to be back', async () => (await heartbeats()).length === 2);
  const task = await runProbe(admin, 'http', { target: target.url('/hello'), nodes: { limit: 2 } });
  t.match(task, { status: 'completed', summary: { success_count: 2 } });
  t.strictSame(await sessions(), before);
});
