import t from 'tap';
import { failedResult } from '../probe-types/failed-result.js';
import type { ProbeResults } from '../probe-types/index.js';
import { TargetError } from '../target-policy/target-error.js';
import { compileSchema } from '../validation.js';
import { type MonitorConfigs, monitorTypes } from './index.js';

function aConfig<T extends 'ping' | 'tcp' | 'dns' | 'traceroute' | 'ssl_expiry'>(
  type: T,
  more: object = {},
): MonitorConfigs[T] {
  const validation = compileSchema(monitorTypes[type].Config)(structuredClone(more));
  if (!validation.ok) throw new Error(JSON.stringify(validation.details));
  return validation.value as MonitorConfigs[T];
}

const success = { success: true, error: null } as const;

t.test('tcp takes the port of its target or of its settings, not two, not none', async (t) => {
  const spec = (target: string, more: object = {}) => monitorTypes.tcp.toSpec(target, aConfig('tcp', more));
  t.match(spec('a.test:25'), { target: 'a.test:25', params: { count: 1 } });
  t.match(spec('a.test', { port: 25 }), { params: { port: 25 } });
  t.throws(() => spec('a.test'), TargetError);
  t.throws(() => spec('a.test:25', { port: 26 }), TargetError);
});

t.test('each type counts its own time', async (t) => {
  const tcp = failedResult('tcp', monitorTypes.tcp.toSpec('a.test:1', aConfig('tcp')), {
    code: 'timeout',
    message: '',
  });
  t.match(monitorTypes.tcp.judge({ ...tcp, ...success, connect_ms: 7 }, aConfig('tcp')), {
    outcome: 'ok',
    responseMs: 7,
  });
  t.match(monitorTypes.tcp.judge(tcp, aConfig('tcp')), {
    outcome: 'failed',
    responseMs: null,
    error: { code: 'timeout' },
  });
  t.match(monitorTypes.ping.judge(aPing(0), aConfig('ping')), { outcome: 'ok', responseMs: 11 });
  t.match(monitorTypes.dns.judge(anAnswer([['A', '192.0.2.1']]), aConfig('dns')), { outcome: 'ok', responseMs: 9 });
  t.match(monitorTypes.ssl_expiry.judge(aCertificate('2027-01-01T00:00:00Z'), aConfig('ssl_expiry'), 0), {
    outcome: 'ok',
    responseMs: 5.3,
  });
  t.match(monitorTypes.traceroute.judge(aPath(), aConfig('traceroute')), { outcome: 'ok', responseMs: 4 });
  const slow = { assertions: [{ type: 'response_time', op: 'lt', value: 3 }] };
  t.match(monitorTypes.traceroute.judge(aPath(), aConfig('traceroute', slow)), {
    error: { message: 'response_time is 4, expected lt 3' },
  });
});

function aPing(loss_pct: number): ProbeResults['ping'] {
  const spec = monitorTypes.ping.toSpec('a.test', aConfig('ping'));
  const rtt = { min_ms: 10, avg_ms: 11, max_ms: 12, mdev_ms: 1, p95_ms: 12 };
  return { ...failedResult('ping', spec, { code: 'no_reply', message: '' }), ...success, loss_pct, rtt };
}

t.test('ping fails with more loss than permitted', async (t) => {
  const judge = (loss: number, more: object = {}) => monitorTypes.ping.judge(aPing(loss), aConfig('ping', more));
  t.match(judge(50), { outcome: 'ok' });
  t.match(judge(66.7), { outcome: 'failed', error: { message: 'the loss in percent is 66.7, expected at most 50' } });
  t.match(judge(66.7, { max_loss_pct: 70 }), { outcome: 'ok' });
  t.match(judge(1, { max_loss_pct: 0 }), { outcome: 'failed' });
  t.match(monitorTypes.ping.checkConfig(aConfig('ping', { port: 80 })), { port: [{ code: 'conflict' }] });
});

function anAnswer(values: [type: string, value: string][]): ProbeResults['dns'] {
  const spec = monitorTypes.dns.toSpec('a.test', aConfig('dns'));
  const records = values.map(([type, value]) => ({ name: 'a.test', type, class: 'IN', ttl: 60, value }));
  return { ...failedResult('dns', spec, { code: 'dns_timeout', message: '' }), ...success, records, query_ms: 9 };
}

t.test('dns expects a record of its type, or all values that are named', async (t) => {
  const judge = (values: [string, string][], more: object = {}) =>
    monitorTypes.dns.judge(anAnswer(values), aConfig('dns', more));
  t.match(judge([['A', '192.0.2.1']]), { outcome: 'ok' });
  t.match(judge([['CNAME', 'b.test.']]), {
    outcome: 'failed',
    error: { message: /of type A is \[\], expected a record/ },
  });
  const both = { expected: ['192.0.2.2', '192.0.2.1'] };
  t.match(
    judge(
      [
        ['A', '192.0.2.1'],
        ['A', '192.0.2.2'],
        ['A', '192.0.2.3'],
      ],
      both,
    ),
    { outcome: 'ok' },
  );
  t.match(judge([['A', '192.0.2.1']], both), {
    outcome: 'failed',
    error: { message: 'the record set of type A is ["192.0.2.1"], expected "192.0.2.2" among it' },
  });
  t.match(judge([['MX', '10 mx.a.test.']], { record_type: 'ANY', expected: ['10 MX.a.test'] }), { outcome: 'ok' });
  t.throws(() => monitorTypes.dns.toSpec('192.0.2.1', aConfig('dns')), TargetError);
  t.doesNotThrow(() => monitorTypes.dns.toSpec('192.0.2.1', aConfig('dns', { record_type: 'PTR' })));
});

t.test('values of records are compared as what they mean, not as they are written', async (t) => {
  const judge = (type: string, value: string, expected: string) =>
    monitorTypes.dns.judge(anAnswer([[type, value]]), aConfig('dns', { record_type: type, expected: [expected] }))
      .outcome;
  t.equal(judge('TXT', '"gr\\195\\188n" " -all"', 'grün -all'), 'ok');
  t.equal(judge('DS', '1 13 2 ABCD', '1 ECDSAP256SHA256 2 ab cd'), 'ok');
  t.equal(judge('CAA', '0 issue "ca.test"', '0 ISSUE ca.test'), 'ok');
  t.equal(judge('MX', '10 mx.a.test.', 'MX.a.test'), 'ok', 'as Gatus compares it');
  t.equal(judge('CAA', '0 issue "CA.test"', '0 issue "ca.test"'), 'failed');
});

function aPath(more: Partial<ProbeResults['traceroute']> = {}): ProbeResults['traceroute'] {
  const spec = monitorTypes.traceroute.toSpec('a.test', aConfig('traceroute'));
  const reply = (ip: string | null, rtt_ms: number | null) => ({
    flow: 1,
    ip,
    rtt_ms,
    icmp_type: null,
    icmp_code: null,
  });
  return {
    ...failedResult('traceroute', spec, { code: 'no_reply', message: '' }),
    ...success,
    resolved_ip: '192.0.2.9',
    reached: true,
    hops: [
      { ttl: 1, replies: [reply('192.0.2.1', 1)] },
      { ttl: 2, replies: [reply(null, null), reply('192.0.2.9', 4)] },
    ],
    ...more,
  };
}

t.test('traceroute fails where the path does not end at the target', async (t) => {
  const { hops } = aPath();
  t.match(monitorTypes.traceroute.judge(aPath({ reached: false, hops: hops.slice(0, 1) }), aConfig('traceroute')), {
    outcome: 'failed',
    responseMs: null,
    error: { code: 'no_reply', message: /within 30 hops/ },
  });
});

function aCertificate(not_after: string | null): ProbeResults['ssl'] {
  const spec = monitorTypes.ssl_expiry.toSpec('a.test', aConfig('ssl_expiry'));
  const timing = { dns_ms: 1, tcp_ms: 2.1, tls_ms: 3.2 };
  return { ...failedResult('ssl', spec, { code: 'timeout', message: '' }), ...success, not_after, timing };
}

t.test('ssl expiry warns, then fails, on the configured days', async (t) => {
  const judge = (at: string, more: object = {}) =>
    monitorTypes.ssl_expiry.judge(aCertificate('2026-02-01T00:00:00Z'), aConfig('ssl_expiry', more), Date.parse(at));
  t.match(judge('2026-01-17T00:00:00Z'), { outcome: 'ok' }, '15 days');
  t.match(judge('2026-01-17T00:00:01Z'), { outcome: 'degraded', error: { message: /is 14, expected more than 14/ } });
  t.match(judge('2026-01-28T00:00:00Z'), { outcome: 'degraded' }, '4 days');
  t.match(judge('2026-01-28T00:00:01Z'), { outcome: 'failed', error: { message: /is 3, expected more than 3/ } });
  t.match(judge('2026-02-03T00:00:00Z'), { outcome: 'failed', error: { message: /is -2/ } });
  t.match(judge('2026-01-17T00:00:01Z', { warn_days: 10 }), { outcome: 'ok' });
  t.match(monitorTypes.ssl_expiry.judge(aCertificate(null), aConfig('ssl_expiry'), 0), {
    outcome: 'failed',
    error: { message: /no certificate/ },
  });
  const earlier = { ends_first: { subject: 'CN=Authority', not_after: '2026-01-10T00:00:00Z' } };
  const byAuthority = { ...aCertificate('2026-02-01T00:00:00Z'), ...earlier };
  const assertions = [{ type: 'ssl_days_remaining', op: 'gt', value: 2 }];
  const both = monitorTypes.ssl_expiry.judge(
    byAuthority,
    aConfig('ssl_expiry', { assertions }),
    Date.parse('2026-01-08'),
  );
  t.match(both, {
    outcome: 'failed',
    error: { message: /of the authority "CN=Authority" ends is 2, expected more than 3/ },
  });
  t.match(
    both.error?.message,
    /ssl_days_remaining is 2 by the certificate of the authority "CN=Authority", expected gt 2/,
  );
  const reversed = monitorTypes.ssl_expiry.checkConfig(aConfig('ssl_expiry', { critical_days: 15 }));
  t.match(reversed, { critical_days: [{ code: 'range' }] });
  t.equal(monitorTypes.ssl_expiry.defaultIntervalSeconds, 1800);
});
