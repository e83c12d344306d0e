import { type ProbeType, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t, { type Test } from 'tap';
import { taskSchema } from '../src/modules/probes/schema.js';
import { optionsOf, type ProbeCase, probeCases } from './_support/probe-cases.js';
import { finishedTask, runProbe, submit } from './_support/probes.js';
import { RealAgent } from './_support/real-agent.js';
import { SlowTarget } from './_support/slow-target.js';
import { startStack, type TestApi } from './_support/stack.js';
import { until } from './_support/until.js';

async function checkCase(t: Test, api: TestApi, type: ProbeType, expected: ProbeCase): Promise<void> {
  const { target, params = {}, found } = expected;
  const task = await runProbe(api, type, { target, params });
  t.match(task, { probe_type: type, target, status: 'completed', summary: { success_count: 1, fail_count: 0 } });
  t.match(task.node_results[0], { success: true, error: null, started_at: /Z$/, ...found });
  t.match(compileSchema(taskSchema(type))(task), { ok: true }, 'the task is as documented');
  const { body } = await api.call('GET', `/v1/probe/tasks/${task.task_id}`);
  t.strictSame(body.data, task, 'who waited was told what is stored');
}

t.test('a probe of every type over the public API measures what is there', async (t) => {
  const { api } = await startStack(t, { VANTAGE_SPEEDTEST: 'on' });
  const agent = await RealAgent.start(t, api, { declared: { country: 'DE', asn: 3320 } });
  const place = { host: '127.0.0.1', controlPlaneUrl: api.url };
  const node = { node_id: agent.nodeId, node: { country: 'DE', asn: 3320 } };
  for (const type of probeTypeNames) {
    await t.test(type, optionsOf(type), async (t) => {
      const { found, ...asked } = await probeCases[type](t, place);
      await checkCase(t, api, type, { ...asked, found: { ...node, ...found } });
    });
  }
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
