import t from 'tap';
import { compileSchema } from '../validation.js';
import { failedResult } from './failed-result.js';
import { type ProbeResults, type ProbeSpecs, type ProbeType, probeTypeNames, probeTypes } from './index.js';

function aResult<T extends ProbeType>(type: T, members: Partial<ProbeResults[T]>): ProbeResults[T] {
  const validation = compileSchema(probeTypes[type].Spec)({ target: probeTypes[type].exampleTarget, params: {} });
  if (!validation.ok) throw new Error(JSON.stringify(validation.details));
  return { ...failedResult(type, validation.value as ProbeSpecs[T], { code: 'timeout', message: 'late' }), ...members };
}

const aTls = {
  protocol: 'TLSv1.3',
  version: '1.3',
  cipher: 'TLS_AES_256_GCM_SHA384',
  authorized: true,
  authorization_error: null,
  not_after: null,
  chain: [],
};
const rtt = (avg_ms: number | null) => ({ min_ms: null, avg_ms, max_ms: null, mdev_ms: null, p95_ms: null });

t.test('nothing answered: every mean is null, every count 0, and the summary is one by its schema', async (t) => {
  for (const type of probeTypeNames) {
    const summary = probeTypes[type].summarise([]);
    t.equal(compileSchema(probeTypes[type].Summary)(structuredClone(summary)).ok, true, type);
    for (const [name, value] of Object.entries(summary)) {
      t.equal(value, name.endsWith('_count') ? 0 : name.endsWith('_differ') ? false : null, `${type} ${name}`);
    }
  }
});

t.test('http counts successful nodes only', async (t) => {
  const results = [
    aResult('http', { success: true, error: null, response_ms: 10 }),
    aResult('http', { success: true, error: null, response_ms: 20.0004 }),
    aResult('http', { success: false, response_ms: 9999 }),
    aResult('http', { success: false, response_ms: null }),
  ];
  t.same(probeTypes.http.summarise(results), { avg_response_ms: 15, p95_response_ms: 20 });
  const hundred = Array.from({ length: 100 }, (_, i) =>
    aResult('http', { success: true, error: null, response_ms: i + 1 }),
  );
  t.same(probeTypes.http.summarise(hundred), { avg_response_ms: 50.5, p95_response_ms: 95 });
});

t.test('ping takes the loss of every node that sent, and the mean of the means of those that heard', async (t) => {
  const results = [
    aResult('ping', { success: true, error: null, packets_sent: 4, packets_received: 4, loss_pct: 0, rtt: rtt(10) }),
    aResult('ping', { success: true, error: null, packets_sent: 4, packets_received: 3, loss_pct: 25, rtt: rtt(20) }),
    aResult('ping', { success: false, packets_sent: 4, loss_pct: 100 }),
    aResult('ping', { success: false, packets_sent: 0, loss_pct: 0 }),
  ];
  t.same(probeTypes.ping.summarise(results), { loss_pct: 41.667, rtt_avg_ms: 15 });
});

t.test('dns means the nodes that got an answer, good or bad', async (t) => {
  const results = [
    aResult('dns', { query_ms: 10, rcode: 'NXDOMAIN' }),
    aResult('dns', { success: true, error: null, query_ms: 30 }),
    aResult('dns', {}),
  ];
  t.same(probeTypes.dns.summarise(results), { query_avg_ms: 20 });
});

t.test('tcp means the nodes that connected', async (t) => {
  const results = [
    aResult('tcp', { success: true, error: null, connect_ms: 1 }),
    aResult('tcp', { success: true, error: null, connect_ms: 2 }),
    aResult('tcp', {}),
  ];
  t.same(probeTypes.tcp.summarise(results), { connect_avg_ms: 1.5 });
});

t.test('traceroute counts the nodes that reached the target, and their hops', async (t) => {
  const hops = (count: number) => Array.from({ length: count }, (_, i) => ({ ttl: i + 1, replies: [] }));
  const results = [
    aResult('traceroute', { success: true, error: null, reached: true, hops: hops(3) }),
    aResult('traceroute', { success: true, error: null, reached: true, hops: hops(4) }),
    aResult('traceroute', { reached: false, hops: hops(30) }),
  ];
  t.same(probeTypes.traceroute.summarise(results), { reached_count: 2, hops_avg: 3.5 });
});

t.test('smtp means the time to the greeting, and counts the nodes that got TLS', async (t) => {
  const greeted = (banner_ms: number, isSecure: boolean) =>
    aResult('smtp', {
      success: true,
      error: null,
      timing: { dns_ms: 0, tcp_ms: 1, banner_ms, ehlo_ms: 1, tls_ms: null },
      tls: isSecure ? aTls : null,
    });
  const refused = aResult('smtp', { timing: { dns_ms: 0, tcp_ms: 1, banner_ms: 100, ehlo_ms: null, tls_ms: null } });
  t.same(probeTypes.smtp.summarise([greeted(10, true), greeted(20, false), refused]), {
    banner_avg_ms: 15,
    tls_count: 1,
  });
});

t.test('ntp means offsets with their sign, over successful nodes', async (t) => {
  const answered = (offset_ms: number, delay_ms: number) =>
    aResult('ntp', { success: true, error: null, offset_ms, delay_ms });
  const unsynchronised = aResult('ntp', { offset_ms: 9999, delay_ms: 1 });
  t.same(probeTypes.ntp.summarise([answered(-3, 10), answered(1, 20), unsynchronised]), {
    offset_avg_ms: -1,
    delay_avg_ms: 15,
  });
});

t.test('ssl takes the worst grade, the first end, and names who saw which certificate', async (t) => {
  const seen = (grade: 'A' | 'T', not_after: string, fingerprint_sha256: string) => {
    const leaf = {
      subject: 'CN=a',
      issuer: 'CN=b',
      not_before: not_after,
      not_after,
      signature_algorithm: null,
      public_key_algorithm: null,
      public_key_bits: null,
      serial_number: '1',
      fingerprint_sha256,
      is_ca: false,
    };
    const days = not_after.startsWith('2026') ? 10 : 100;
    return aResult('ssl', { success: true, error: null, grade, not_after, days_until_expiry: days, chain: [leaf] });
  };
  const soon = '2026-12-01T00:00:00.000Z';
  const later = '2027-03-01T00:00:00.000Z';
  const results = [seen('A', later, 'AA'), seen('T', soon, 'BB'), seen('A', later, 'AA'), aResult('ssl', {})];
  const whole = { worst_grade: 'T', soonest_not_after: soon, days_until_expiry: 10, certificates_differ: true };
  t.same(probeTypes.ssl.summarise(results), whole);
  const earlier = { ends_first: { subject: 'CN=c', not_after: '2026-11-01T00:00:00.000Z' } };
  const withAuthority = [...results, { ...seen('A', later, 'AA'), ...earlier }];
  t.match(probeTypes.ssl.summarise(withAuthority), { soonest_not_after: '2026-11-01T00:00:00.000Z' });
  t.match(probeTypes.ssl.summarise(results.slice(2)), { worst_grade: 'A', certificates_differ: false });
  const spec = { target: 'example.com', params: { ip_version: 'auto', timeout_ms: 1000 } } as const;
  const nodes = results.map((result, index) => ({ nodeId: `n_${index}`, result }));
  t.match(probeTypes.ssl.taskFields(spec, nodes), {
    certificates: [
      { fingerprint_sha256: 'AA', not_after: later, node_ids: ['n_0', 'n_2'] },
      { fingerprint_sha256: 'BB', not_after: soon, node_ids: ['n_1'] },
    ],
  });
});

t.test('speedtest means each way over the successful nodes that measured it', async (t) => {
  const measured = (download_bps: number, upload_bps: number | null) =>
    aResult('speedtest', { success: true, error: null, download_bps, upload_bps });
  const cut = aResult('speedtest', { download_bps: 1 });
  t.same(probeTypes.speedtest.summarise([measured(100, 50), measured(200, null), cut]), {
    download_avg_bps: 150,
    upload_avg_bps: 50,
  });
});

t.test('mtr means loss and times at the target, over the nodes that reached it', async (t) => {
  const hop = (loss_pct: number, avg_ms: number | null) =>
    ({ ttl: 1, loss_pct, rtt: { avg_ms } }) as ProbeResults['mtr']['hops'][number];
  const results = [
    aResult('mtr', { success: true, error: null, reached: true, hops: [hop(100, null), hop(0, 10)] }),
    aResult('mtr', { success: true, error: null, reached: true, hops: [hop(50, 20)] }),
    aResult('mtr', { reached: false, hops: [hop(100, null)] }),
  ];
  t.same(probeTypes.mtr.summarise(results), { reached_count: 2, hops_avg: 1.5, loss_pct: 25, rtt_avg_ms: 15 });
});
