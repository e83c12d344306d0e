import t from 'tap';
import { detailLines } from './detail-lines.js';
import { probeTypes } from './index.js';
import { phaseBars } from './phase-bars.js';

const phases = [
  { name: 'dns', title: 'DNS', ms: null },
  { name: 'tcp', title: 'TCP', ms: 0.34 },
  { name: 'ttfb', title: 'First byte', ms: null },
];

t.test('phases that ended stand one after another, up to the end of the scale', async (t) => {
  const ended = [
    { name: 'a', title: 'A', ms: 10 },
    { name: 'b', title: 'B', ms: 30 },
  ];
  t.match(phaseBars(ended, null), [
    { name: 'a', ms: 10, start: 0, end: 0.25, isUnfinished: false },
    { name: 'b', ms: 30, start: 0.25, end: 1, isUnfinished: false },
  ]);
  t.strictSame(phaseBars([], null), []);
});

t.test('the phase that a deadline cut reaches to the end of the wait, which is the scale', async (t) => {
  const bars = phaseBars(phases, { name: 'ttfb', endMs: 1_000 });
  t.match(bars, [
    { name: 'tcp', start: 0, end: 0.00034, isUnfinished: false },
    { name: 'ttfb', ms: 999.66, start: 0.00034, end: 1, isUnfinished: true },
  ]);
});

t.test('a request that got no response shows the wait, not a full bar of the connection', async (t) => {
  const timing = { dns_ms: 0, tcp_ms: 0.34, tls_ms: null, ttfb_ms: null, download_ms: null };
  const failed = { ...probeTypes.http.blank(), success: false, duration_ms: 1_000.34, timing };
  t.strictSame(detailLines('http', { ...failed, error: { code: 'http_timeout', message: '' } }), [
    'TCP         0.340 ms',
    `First byte    1.00 s  ${'.'.repeat(10)} never ended ${'.'.repeat(11)}`,
  ]);
});
