import type { ServerResponse } from 'node:http';
import { type MonitorConfigs, monitorTypes } from '@vantage/shared/monitor-types/index.js';
import { measurements } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { FakeClock } from '../../../test/_support/fake-clock.js';
import { startHttpServer } from '../../../test/_support/http-server.js';
import { aContext, aPolicy } from '../../../test/_support/probe-context.js';
import { until } from '../../../test/_support/until.js';
import { CheckRunner } from '../../measuring/check-runner.js';
import { ProbeRunner } from '../../measuring/runner.js';
import { engines } from '../index.js';
import { IcpEngine } from './index.js';
import { JsonIcpProvider } from './provider.js';

const isResult = compileSchema(measurements.icp.Result);

function aConfig(more: object = {}): MonitorConfigs['icp'] {
  const checked = compileSchema(monitorTypes.icp.Config)({ ...more });
  if (!checked.ok) throw new Error(JSON.stringify(checked.details));
  return checked.value;
}

async function check(port: number, config: object = {}, parts: Parameters<typeof aContext>[0] = {}) {
  const engine = new IcpEngine(new JsonIcpProvider(`http://127.0.0.1:${port}/icp?q={domain}`));
  const settings = aConfig(config);
  const result = await engine.run(monitorTypes.icp.toSpec('www.example.com.cn', settings), aContext(parts));
  t.ok(isResult(structuredClone(result)).ok);
  return monitorTypes.icp.judge(result, settings);
}

const json =
  (body: unknown, status = 200) =>
  (_request: unknown, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };

t.test('without a source each check of icp reports this, and fails', async (t) => {
  const policy = { current: () => aPolicy() };
  const runner = new ProbeRunner({ ...aContext(), engines, policy });
  const checks = new CheckRunner({ runner, onFault: (_type, error) => t.fail(String(error)) });
  for (const config of [{}, { upside_down: true }]) {
    const times = { deadlineMs: 30_000, patienceMs: 100, caller: 'm', nowMs: 0, wantsDetails: false };
    const job = { id: '1', type: 'icp', target: 'example.com', configJson: JSON.stringify(config), ...times };
    const { judgment } = await checks.run(job);
    t.match(judgment, { outcome: 'failed', error: { code: 'not_supported', message: /^no source configured/ } });
  }
});

t.test('icp succeeds with a filing, and fails without one or with another number', async (t) => {
  const filed = { domain: 'example.com.cn', icp_number: '京ICP备12345678号-1', company: 'Example' };
  const server = await startHttpServer(t, json(filed));
  t.match(await check(server.port), { outcome: 'ok', error: null });
  t.equal(server.requests[0]?.path, '/icp?q=example.com.cn', 'of the registered domain');
  t.match(await check(server.port, { icp_number: '京icp备１２３４５６７８号-1 ' }), { outcome: 'ok' });
  const other = await check(server.port, { icp_number: '京ICP备1号' });
  t.match(other, { outcome: 'failed', error: { message: /is "京ICP备12345678号-1", expected "京ICP备1号"/ } });
  for (const answer of [json({ data: { icp_number: null, note: 'none' } }), json({ icp_number: '' }), json({}, 404)]) {
    const none = await startHttpServer(t, answer);
    t.match(await check(none.port), { outcome: 'failed', error: { message: /does not exist, expected one/ } });
  }
});

t.test('a source of filings that is unreachable, slow or invalid is not an outage', async (t) => {
  const answers = [json({}, 500), json([]), json({ icp_number: 7 }), json({ hello: 1 })];
  for (const answer of answers) {
    const server = await startHttpServer(t, answer);
    t.match(await check(server.port), { outcome: 'degraded', error: { code: 'http_protocol' } });
  }
  t.match(await check(1), { outcome: 'failed', error: { code: 'target_not_allowed' } }, 'a port that nobody may use');
  const clock = new FakeClock();
  const mute = await startHttpServer(t, () => undefined);
  const running = check(mute.port, { timeout_ms: 2000 }, { clock });
  await until('it is asked', () => mute.requests.length === 1);
  clock.advance(2000);
  t.match(await running, { outcome: 'degraded', error: { code: 'timeout' } });
  const refused = await check(mute.port, {}, { policy: aPolicy([]) });
  const message = 'cannot read the response of the ICP source (target_not_allowed)';
  t.match(refused, { outcome: 'failed', error: { code: 'target_not_allowed', message } });
  t.equal(mute.requests.length, 1, 'nor is a source asked that the policy refuses');
});
