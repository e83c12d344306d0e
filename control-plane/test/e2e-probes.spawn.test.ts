import { until } from '@vantage/shared/_support/until.js';
import { type ProbeType, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t, { type Test } from 'tap';
import { taskSchema } from '../src/modules/probes/schema.js';
import { makeProbeCase, optionsOf, type ProbeCase, runCase } from './_support/probe-cases.js';
import { finishedTask, runProbe, submit } from './_support/probes.js';
import { RealAgent } from './_support/real-agent.js';
import { SlowTarget } from './_support/slow-target.js';
import { startStack, type TestApi } from './_support/stack.js';
import { startNameServer } from './_support/targets.js';

async function checkCase(t: Test, api: TestApi, type: ProbeType, expected: ProbeCase): Promise<void> {
  const { target, found } = expected;
  const task = await runCase(api, type, expected);
  t.match(task, { probe_type: type, target, status: 'completed', summary: { success_count: 1, fail_count: 0 } });
  t.match(task.node_results[0], { success: true, error: null, started_at: /Z$/, ...found });
  t.match(compileSchema(taskSchema(type))(task), { ok: true }, 'the task is as documented');
  const { body } = await api.call('GET', `/v1/probe/tasks/${task.task_id}`);
  t.strictSame(body.data, task, 'the waiting caller got what is stored');
}

const { api } = await startStack(t, { VANTAGE_SPEEDTEST: 'on' });
const agent = await RealAgent.start(t, api, { declared: { country: 'DE', asn: 3320 } });
const { nodeId: node_id } = agent;

t.test('a probe of every type over the public API measures the real targets', async (t) => {
  const place = { host: '127.0.0.1', controlPlaneUrl: api.url };
  const node = { node_id, node: { country: 'DE', asn: 3320 } };
  for (const type of probeTypeNames) {
    await t.test(type, optionsOf(type), async (t) => {
      const { found, ...asked } = await makeProbeCase(type, t, place);
      await checkCase(t, api, type, { ...asked, found: { ...node, ...found } });
    });
  }
});

t.test('a stranger learns nothing about the network behind a node’s resolver', async (t) => {
  const misled = await RealAgent.enroll(t, api);
  const port = await startNameServer(t, '127.0.0.1', { addressOf: () => '10.0.0.5' });
  await misled.run({ environment: { VANTAGE_DNS_SERVERS: `127.0.0.1:${port}` } });
  const stranger: TestApi = {
    ...api,
    call: (method, path, options) => api.call(method, path, { ...options, as: null }),
  };

  const probe = (type: string, target: string, params: object = {}) =>
    runProbe(stranger, type, { target, params, node_id: misled.nodeId });
  const asked = await probe('dns', 'db.example.com');
  t.match(asked, {
    pollution_detected: true,
    node_results: [{ success: true, resolver: 'system', records: [{ value: 'hidden' }], reserved_address: true }],
    records_by_node: [{ records: [{ value: 'hidden' }] }],
  });
  t.match(compileSchema(taskSchema('dns'))(asked), { ok: true }, 'the task is as documented');
  const led = await probe('http', 'http://db.example.com/');
  t.match(led, { node_results: [{ error: { code: 'target_not_allowed' } }] });
  const dot = await probe('dns', 'db.example.com', { transport: 'dot' });
  for (const task of [asked, led, dot]) t.notMatch(JSON.stringify(task), new RegExp(`10\\.0\\.0|RFC|:${port}`));
  const server = { server: '127.0.0.1', port };
  t.match(await probe('dns', 'db.example.com', server), {
    pollution_detected: true,
    node_results: [{ resolver: `127.0.0.1:${port}`, records: [{ value: '10.0.0.5' }] }],
  });

  for (const target of ['10.0.0.5', '5.0.0.10.in-addr.arpa', '10.IN-ADDR.ARPA.', 'd.f.ip6.arpa', '_dns.resolver.arpa'])
    for (const params of [{ record_type: 'PTR' }, { record_type: 'ANY' }, { record_type: 'NS', trace: true }]) {
      if (target === '10.0.0.5' && params.record_type !== 'PTR') continue;
      const { status, body } = await stranger.call('POST', '/v1/probe/dns', { body: { target, params } });
      t.match({ status, body }, { status: 422, body: { error: { code: 'PROBE_TARGET_INVALID' } } }, target);
    }
});

t.test('the address that an agent leaves in a target’s log leads to the page about its traffic', async (t) => {
  const target = await SlowTarget.start(t);
  await runProbe(api, 'http', {
    node_id,
    target: target.url('/hello'),
    params: { headers: { 'User-Agent': 'mine/1' } },
  });
  const [, address = ''] = /^mine\/1 vantage-agent\/\d\S+ \(\+(\S+)\)$/.exec(target.userAgent ?? '') ?? [];
  const page = await fetch(address);
  t.equal(page.status, 200);
  t.match(await page.text(), 'About our traffic');
});

t.test('kill -9 of the measuring process ends its probe as internal, and the next probe works', async (t) => {
  const target = await SlowTarget.start(t);
  const { taskId } = await submit(api, 'http', { node_id, target: target.url('/held') });
  await target.waitForRequests(1);
  const killed = agent.measuringPid ?? 0;
  process.kill(killed, 'SIGKILL');
  t.match(await finishedTask(api, taskId), {
    status: 'completed',
    node_results: [{ success: false, error: { code: 'internal' } }],
  });
  await until('another measuring process', () => agent.measuringPid !== null && agent.measuringPid !== killed);
  t.match(await runProbe(api, 'http', { node_id, target: target.url('/hello') }), {
    node_results: [{ success: true, status_code: 200 }],
  });
});
