import type { ServerResponse } from 'node:http';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { type MonitorConfigs, monitorTypes } from '@vantage/shared/monitor-types/index.js';
import { measurements } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { startHttpServer } from '../../../test/_support/http-server.js';
import { aContext, aPolicy, aSpec } from '../../../test/_support/probe-context.js';
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

t.test('without a source each check of icp says so, and fails whatever it wants', async (t) => {
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

t.test('icp is well with a filing, and fails without one or with another number', async (t) => {
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

t.test('all that a source says of a filing is in the result, if it is what it should be', async (t) => {
  const look = async (body: object) => {
    const server = await startHttpServer(t, json(body));
    const url = `http://127.0.0.1:${server.port}/icp?key=secret&q={domain}`;
    const result = await new IcpEngine(new JsonIcpProvider(url)).run(aSpec('icp', 'example.cn'), aContext());
    const checked = isResult(structuredClone(result));
    t.strictSame(checked.ok ? {} : checked.details, {});
    t.equal(result.source, '127.0.0.1');
    t.notMatch(JSON.stringify(result), /secret/);
    return result.filing;
  };
  const filing = {
    icp_number: '京ICP备12345678号-1',
    company: 'Example',
    type: '企业',
    license_type: 'ICP备案',
    filed_at: '2024-02-29',
    inquiry_url: 'https://beian.miit.gov.cn/',
  };
  t.strictSame(await look(filing), filing);
  t.strictSame(await look({ data: { ...filing, filed_at: '2024-02-29 10:00:00', more: 1 } }), filing);
  const nothing = { company: null, type: null, license_type: null, filed_at: null, inquiry_url: null };
  const { icp_number } = filing;
  t.strictSame(await look({ icp_number }), { icp_number, ...nothing });
  for (const filed_at of ['2024-02-30', 'soon', 20240229, '99999-01-01'])
    t.equal((await look({ ...filing, filed_at }))?.filed_at, null, `${filed_at}`);
  for (const inquiry_url of [
    'javascript:alert(1)',
    'beian',
    'http://u:p@x.example/',
    `https://x.example/${'x'.repeat(3000)}`,
  ])
    t.equal((await look({ ...filing, inquiry_url }))?.inquiry_url, null, inquiry_url.slice(0, 40));
  t.equal((await look({ ...filing, company: 'x'.repeat(5000) }))?.company?.length, 200);
});

t.test('a source of filings that is away, slow or talks nonsense is no outage', async (t) => {
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
