import { plain } from '@vantage/shared/terminal/colours.js';
import t from 'tap';
import { probeReport as reportFor } from './probe-report.js';

const screen = { width: Number.POSITIVE_INFINITY, paint: plain };
const probeReport = (...given: [Parameters<typeof reportFor>[0], string, Parameters<typeof reportFor>[2]]) =>
  reportFor(...given, screen);

const common = {
  success: true,
  error: null,
  started_at: '2026-11-20T12:00:00.000Z',
  duration_ms: 12.3456,
  disturbed: false,
  loop_lag_ms: 0.1,
};

t.test('a success: outcome, fields, and each list as a table', async (t) => {
  const result = {
    ...common,
    resolved_ip: '192.0.2.1',
    loss_pct: 50,
    rtt: { min_ms: 1.5, avg_ms: null },
    attempts: [
      { seq: 0, ttl: 64, rtt_ms: 1.5 },
      { seq: 1, ttl: null, rtt_ms: null },
    ],
    banner: null,
    redirects: [],
  };
  t.equal(
    probeReport('tcp', 'example.com:80', result),
    [
      'OK      tcp example.com:80 (12.3 ms)',
      '  resolved ip  192.0.2.1',
      '  loss         50 %',
      '  rtt min      1.50 ms',
      '',
      '  attempts',
      '    seq  ttl    rtt',
      '      0   64  1.500',
      '      1    -      -',
      '',
    ].join('\n'),
  );
});

t.test('a failure shows its code and its cause', async (t) => {
  const result = { ...common, success: false, error: { code: 'tcp_refused', message: 'nobody listens' } };
  t.equal(
    probeReport('tcp', 'example.com:80', result),
    'FAILED  tcp example.com:80 (12.3 ms)\n        tcp_refused: nobody listens\n',
  );
});

t.test('a disturbed measurement is marked as such', async (t) => {
  t.match(
    probeReport('tcp', 'example.com:80', { ...common, disturbed: true, loop_lag_ms: 80 }),
    /disturbed: the event loop was 80\.0 ms late/,
  );
});

t.test('lists inside a table stay on their line', async (t) => {
  const attempts = [
    {
      number: 1,
      tries: [
        { ip: '192.0.2.1', rtt_ms: 0.5 },
        { ip: null, rtt_ms: null },
      ],
    },
  ];
  t.match(probeReport('tcp', 'example.com', { ...common, attempts }), / 1 {2}192\.0\.2\.1 0\.500, -/);
});

t.test('the details of a type stand for the fields they show', async (t) => {
  const hops = [
    { ttl: 1, replies: [{ flow: 1, ip: '192.0.2.1', rtt_ms: 1.5, icmp_type: 'time_exceeded', icmp_code: 0 }] },
  ];
  t.equal(
    probeReport('traceroute', 'example.com', { ...common, reached: true, hops }),
    'OK      traceroute example.com (12.3 ms)\n  reached  true\n\n   1  192.0.2.1  1.500 ms\n',
  );
});

t.test('text of a server cannot control the terminal', async (t) => {
  const report = probeReport('tcp', 'example.com:22', {
    ...common,
    banner: 'SSH\u001b[2J\u0007\r\nroot# ',
    body: 'x'.repeat(500),
  });
  t.notMatch(report, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  t.match(report, /SSH/);
  t.ok(report.split('\n').every((line) => line.length < 250));
});
