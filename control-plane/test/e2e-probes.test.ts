import type { ProbeType } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t, { type Test } from 'tap';
import { taskSchema } from '../src/modules/probes/schema.js';
import { finishedTask, runProbe, submit } from './_support/probes.js';
import { needsRawSockets } from './_support/raw-sockets.js';
import { RealAgent } from './_support/real-agent.js';
import { SlowTarget } from './_support/slow-target.js';
import { startStack, type TestApi } from './_support/stack.js';
import { startGreeter, startNameServer } from './_support/targets.js';
import { until } from './_support/until.js';

interface Case {
  readonly type: ProbeType;
  readonly target: string;
  readonly params?: object;
  /** What the node found. */
  readonly found: object;
}

async function checkCase(t: Test, api: TestApi, { type, target, params = {}, found }: Case): Promise<void> {
  const task = await runProbe(api, type, { target, params });
  t.match(task, { probe_type: type, target, status: 'completed', summary: { success_count: 1, fail_count: 0 } }, type);
  t.match(task.node_results[0], { success: true, error: null, started_at: /Z$/, ...found }, type);
  t.match(compileSchema(taskSchema(type))(task), { ok: true }, `${type} is as documented`);
  const { body } = await api.call('GET', `/v1/probe/tasks/${task.task_id}`);
  t.strictSame(body.data, task, 'who waited was told what is stored');
}

t.test('an http, a dns and a tcp probe over the public API measure what is there', async (t) => {
  const { api } = await startStack(t);
  const agent = await RealAgent.start(t, api, { declared: { country: 'DE', asn: 3320 } });
  const target = await SlowTarget.start(t);
  const cases: readonly Case[] = [
    {
      type: 'http',
      target: target.url('/hello'),
      found: { node_id: agent.nodeId, node: { country: 'DE', asn: 3320 }, status_code: 200, body: 'hello' },
    },
    {
      type: 'dns',
      target: 'www.example.com',
      params: { server: '127.0.0.1', port: await startNameServer(t, '127.0.0.1') },
      found: { rcode: 'NOERROR', records: [{ name: 'www.example.com', type: 'A', ttl: 60, value: '203.0.113.10' }] },
    },
    {
      type: 'tcp',
      target: `127.0.0.1:${await startGreeter(t, '127.0.0.1')}`,
      params: { banner: true },
      found: { resolved_ip: '127.0.0.1', connect_ms: Number, banner: /^220 ready/ },
    },
  ];
  for (const each of cases) await checkCase(t, api, each);
});

t.test('the address an agent leaves in the log of a target leads to the page about its traffic', async (t) => {
  const { api } = await startStack(t);
  await RealAgent.start(t, api);
  const target = await SlowTarget.start(t);
  await runProbe(api, 'http', { target: target.url('/hello'), params: { headers: { 'User-Agent': 'mine/1' } } });
  const [, address = ''] = /^mine\/1 vantage-agent\/\d\S+ \(\+(\S+)\)$/.exec(target.userAgent ?? '') ?? [];
  const page = await fetch(address);
  t.equal(page.status, 200);
  t.match(await page.text(), 'About our traffic');
});

t.test('a ping and a traceroute over the public API measure what is there', needsRawSockets, async (t) => {
  const { api } = await startStack(t);
  await RealAgent.start(t, api);
  const cases: readonly Case[] = [
    {
      type: 'ping',
      target: '127.0.0.1',
      params: { count: 2, interval_ms: 200 },
      found: { packets_sent: 2, packets_received: 2, loss_pct: 0, rtt: { avg_ms: Number } },
    },
    {
      type: 'traceroute',
      target: '127.0.0.1',
      found: { reached: true, hops: [{ ttl: 1, replies: [{ ip: '127.0.0.1', rtt_ms: Number }] }] },
    },
  ];
  for (const each of cases) await checkCase(t, api, each);
});

t.test('kill -9 of the measuring process ends its probe as internal, and the next probe works', async (t) => {
  const { api } = await startStack(t);
  const agent = await RealAgent.start(t, api);
  const target = await SlowTarget.start(t);
  const { taskId } = await submit(api, 'http', { target: target.url('/held') });
  await target.waitForRequests(1);
  const killed = agent.measuringPid ?? 0;
  process.kill(killed, 'SIGKILL');
  t.match(await finishedTask(api, taskId), {
    status: 'completed',
    node_results: [{ success: false, error: { code: 'internal' } }],
  });
  await until('another measuring process', () => agent.measuringPid !== null && agent.measuringPid !== killed);
  t.match(await runProbe(api, 'http', { target: target.url('/hello') }), {
    node_results: [{ success: true, status_code: 200 }],
  });
});
