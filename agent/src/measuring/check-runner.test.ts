import { definitionOf, type ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import t from 'tap';
import { CheckRunner } from './check-runner.js';
import type { CheckJob } from './child-messages.js';
import type { RunResult } from './failed-run.js';
import type { ProbeRequest } from './runner.js';

const job: CheckJob = {
  id: 'check 1',
  type: 'tcp',
  target: 'a.example:80',
  configJson: '{"timeout_ms":700}',
  deadlineMs: 120_000,
  patienceMs: 7_000,
  caller: 'm_1',
  nowMs: Date.UTC(2026, 10, 20, 12),
  wantsDetails: false,
};
const times = {
  started_at: '2026-11-20T12:00:00.000Z',
  duration_ms: 3,
  disturbed: true,
  loop_lag_ms: 25,
  success: true,
  error: null,
};

/** A runner whose probes all end in `result`. */
function makeChecks(result: object = {}) {
  const requests: ProbeRequest[] = [];
  const faults: string[] = [];
  const run = async (request: ProbeRequest) => {
    requests.push(request);
    return Object.defineProperties({ ...times }, Object.getOwnPropertyDescriptors(result)) as RunResult;
  };
  const checks = new CheckRunner({ runner: { run }, onFault: (type) => faults.push(type) });
  return { checks, requests, faults };
}

t.test('a check is a judged probe of which only the judgment is reported', async (t) => {
  const { checks, requests } = makeChecks({ connect_ms: 12.5 });
  t.same(await checks.run(job), {
    id: 'check 1',
    judgment: { outcome: 'ok', responseMs: 12.5, statusCode: null, error: null },
    detailsJson: null,
    startedAt: Date.UTC(2026, 10, 20, 12),
    loopLagMs: 25,
    isDisturbed: true,
  });
  t.match(requests, [
    { id: 'check 1', caller: 'm_1', type: 'tcp', spec: { target: 'a.example:80', params: { timeout_ms: 700 } } },
  ]);
  const fullMs = definitionOf('tcp').deadlineMs(requests[0]?.spec as ProbeSpecs['tcp']);
  t.equal(requests[0]?.deadlineMs, fullMs + 7000, 'it waits as long as it is given');
});

t.test('a certificate ends by server time, not by the clock of a machine that is ten years off', async (t) => {
  const timing = { dns_ms: 1, tcp_ms: 2, tls_ms: 3 };
  for (const [nowMs, outcome] of [
    [Date.UTC(2026, 10, 20), 'ok'],
    [Date.UTC(2026, 11, 20), 'failed'],
  ] as const) {
    const { checks } = makeChecks({
      timing,
      not_after: '2026-12-15T00:00:00Z',
      started_at: '2016-11-20T12:00:00.000Z',
    });
    const ssl = { ...job, type: 'ssl_expiry', target: 'a.example', configJson: '{}', nowMs };
    t.match((await checks.run(ssl)).judgment, { outcome });
  }
});

t.test('a check of a type that this build does not know fails with that reason', async (t) => {
  const { checks, requests } = makeChecks();
  for (const [odd, code] of [
    [{ type: 'newer' }, 'not_supported'],
    [{ type: '' }, 'not_supported'],
    [{ type: 'toString' }, 'not_supported'],
    [{ configJson: '{' }, 'not_supported'],
    [{ configJson: '{"timeout_ms":1}' }, 'not_supported'],
    [{ configJson: '{"newer":true}' }, 'not_supported'],
  ] as const) {
    const { judgment, startedAt } = await checks.run({ ...job, ...odd });
    t.match(judgment, { outcome: 'failed', error: { code } }, JSON.stringify(odd));
    t.equal(startedAt, null);
  }
  t.equal(requests.length, 0);
});

t.test('a check that was not measured fails, whatever its type would judge', async (t) => {
  for (const code of ['overload', 'internal', 'cancelled', 'target_not_allowed', 'not_supported'] as const) {
    const error = { code, message: 'so it was' };
    const { checks, faults } = makeChecks({
      success: false,
      error,
      get connect_ms() {
        throw new Error('nobody may look');
      },
    });
    t.match((await checks.run(job)).judgment, { outcome: 'failed', error });
    t.same(faults, []);
  }
});

t.test('a type that cannot judge a result fails the check, and this is logged', async (t) => {
  const { checks, faults } = makeChecks({
    get connect_ms() {
      throw new Error('broken');
    },
  });
  t.match((await checks.run(job)).judgment, { outcome: 'failed', error: { code: 'internal' } });
  t.same(faults, ['tcp']);
});

t.test('details of a successful check are reported on request, those of any other check always', async (t) => {
  const { checks } = makeChecks({ connect_ms: 12.5, resolved_ip: '192.0.2.1', port: 80 });
  const details = { resolved_ip: '192.0.2.1', port: 80, connect_ms: 12.5 };
  t.equal((await checks.run(job)).detailsJson, null);
  t.same(JSON.parse((await checks.run({ ...job, wantsDetails: true })).detailsJson ?? ''), details);
  const error = { code: 'tcp_refused', message: 'nobody listens' };
  const { checks: failing } = makeChecks({ success: false, error, resolved_ip: '192.0.2.1', connect_ms: null });
  t.same(JSON.parse((await failing.run(job)).detailsJson ?? ''), { resolved_ip: '192.0.2.1' });
});

t.test('a type that fails to produce details is logged, and its check counts', async (t) => {
  const { checks, faults } = makeChecks({
    connect_ms: 1,
    get attempts() {
      throw new Error('broken');
    },
  });
  t.match(await checks.run({ ...job, wantsDetails: true }), { judgment: { outcome: 'ok' }, detailsJson: null });
  t.same(faults, ['tcp']);
});
