import { missing } from '@vantage/shared/_support/missing.js';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import type { ControlPlane } from '../src/control-plane.js';
import { type BalancerName, lastingPorts, readExample, startBalancer } from './_support/balancer.js';
import { createTestDatabase } from './_support/database.js';
import { startLoad } from './_support/load.js';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { finishedTask, submit } from './_support/probes.js';
import { RealAgent } from './_support/real-agent.js';
import { SlowTarget } from './_support/slow-target.js';
import { SseReader } from './_support/sse-reader.js';
import { apiOf, createAdmin, startReplica } from './_support/stack.js';

const balancers: readonly BalancerName[] = ['nginx', 'haproxy'];

/** Three replicas behind a balancer. `restart` stops one as an operator does and restarts it at the same address. */
async function behind(t: Test, name: BalancerName) {
  const { url: databaseUrl, db } = await createTestDatabase(t);
  const [port = 0, ...ports] = await lastingPorts(4);
  const origin = await startBalancer(t, name, ports, port);
  const start = (at: number) =>
    startReplica(t, databaseUrl, {
      VANTAGE_LISTEN: `127.0.0.1:${at}`,
      VANTAGE_REPLICA_URL: `http://127.0.0.1:${at}`,
      VANTAGE_PUBLIC_URL: origin,
      VANTAGE_TRUSTED_PROXIES: '127.0.0.1',
      VANTAGE_DRAIN_SECONDS: '10',
    });
  const replicas: ControlPlane[] = [];
  for (const at of ports) replicas.push(await start(at));
  const admin = await createAdmin(replicas[0] as ControlPlane);
  const api = apiOf(origin, admin.token, admin.userId);
  await until('all to be in service', async () => (await fetch(`${origin}/readyz`)).status === 200);
  const restart = async (index: number) => {
    await replicas[index]?.drain();
    await replicas[index]?.stop();
    replicas[index] = await start(ports[index] ?? 0);
  };
  return { db, api, replicas, restart };
}

for (const name of balancers) {
  const skip = missing(name);
  // one of the two suffices for local runs
  const skipRestarts = skip || (name === 'nginx' && process.env['CI'] !== 'true' && 'only with CI=true');

  t.test(
    `${name}: links, long polls and event streams pass, and callers keep their own addresses`,
    { skip },
    async (t) => {
      const { api } = await behind(t, name);
      const answering = await PeerAgent.connect(t, api.url, await enrollPeer(api), { localAddress: '127.0.0.9' });
      const { welcome } = await answering.waitFor('the welcome', (frame) => frame.welcome !== null);
      t.ok(
        welcome?.config?.ownAddresses.includes('127.0.0.9'),
        'behind a trusted proxy an agent keeps its own address',
      );
      const silent = await PeerAgent.connect(t, api.url, await enrollPeer(api, { name: 'silent' }), {
        isAnswering: false,
      });
      await until(
        'both to be known',
        async () => (await api.call('GET', '/v1/nodes?status=online')).body.data.items.length === 2,
      );
      const { taskId } = await submit(api, 'tcp', { target: '127.0.0.1:1' });
      const stream = await SseReader.open(t, api, taskId);
      await until('the first event, before the second one exists', () => stream.events.length === 1);
      const poll = await api.call('GET', `/v1/probe/tasks/${taskId}?wait=1`);
      t.match(poll.body.data, { status: 'running' });
      silent.cut();
      t.match(await finishedTask(api, taskId), { node_results: { length: 2 } });
      t.equal(await stream.ended, true);
    },
  );

  t.test(
    `${name}: three replicas restarted one after another under load fail no request and lose no probe`,
    { skip: skipRestarts },
    async (t) => {
      const { db, api, restart } = await behind(t, name);
      const target = await SlowTarget.start(t);
      const agents = [];
      for (const agent of ['one', 'two', 'three']) agents.push(await RealAgent.start(t, api, { name: agent }));
      const load = startLoad(api, target);
      await until('the load to run', () => load.accepted.length > 5);
      for (const index of [0, 1, 2]) await restart(index);
      const before = load.accepted.length;
      await until('it to continue', () => load.accepted.length > before + 5);
      await load.stop();
      t.comment(`${load.accepted.length} probes, ${load.refusals} refused for lack of a node`);
      t.strictSame(load.failures, []);
      const { rows } = await db.raw(
        `SELECT state, success, late, count(*) FROM probe_node_tasks WHERE task_id = ANY(?) GROUP BY 1, 2, 3`,
        [load.accepted],
      );
      const [{ count } = { count: 0 }] = rows;
      t.strictSame(rows, [{ state: 'done', success: true, late: false, count }], 'each node gave its result, in time');
      t.equal(target.requests.length, count, 'and measured once for each probe');
      for (const agent of agents) await agent.waitForStatus({ isConnected: true, rows: 0 });
    },
  );
}

t.test('the examples wait longer than three heartbeats, and close idle connections before replicas do', async (t) => {
  const seconds = (text: string, setting: RegExp) => Number(setting.exec(text)?.[1]);
  const [nginx, haproxy] = [readExample('nginx'), readExample('haproxy')];
  const link = nginx.slice(nginx.indexOf('location = /v1/agent/link'), nginx.indexOf('location / {'));
  for (const [what, value] of [
    ['nginx, reading a link', seconds(link, /proxy_read_timeout (\d+)s/)],
    ['nginx, writing a link', seconds(link, /proxy_send_timeout (\d+)s/)],
    ['haproxy, a link', seconds(haproxy, /timeout tunnel (\d+)s/)],
  ] as const)
    t.ok(value > 45, `${what}: ${value} s`);
  for (const value of [seconds(nginx, /keepalive_timeout (\d+)s/), seconds(haproxy, /http-keep-alive (\d+)s/)])
    t.ok(value < 65, `idle connections: ${value} s`);
  for (const value of [
    seconds(nginx.slice(nginx.indexOf('location / {')), /proxy_read_timeout (\d+)s/),
    seconds(haproxy, /timeout server (\d+)s/),
  ])
    t.ok(value > 30, `long polls: ${value} s`);
});
