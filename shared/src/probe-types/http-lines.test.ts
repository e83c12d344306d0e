import t from 'tap';
import { detailLines } from './detail-lines.js';
import { probeTypes } from './index.js';

const timing = { dns_ms: 10, tcp_ms: 20, tls_ms: 40, ttfb_ms: 25, download_ms: 5 };
const certificate = {
  subject: 'CN=www.example.com',
  issuer: 'CN=Example CA',
  not_before: '2026-01-01T00:00:00.000Z',
  not_after: '2026-12-31T00:00:00.000Z',
  serial_number: '01',
  fingerprint_sha256: 'AB',
};
const answered = {
  ...probeTypes.http.blank(),
  success: true,
  error: null,
  status_code: 200,
  final_url: 'https://www.example.com/',
  http_version: '2',
  response_ms: 142.5,
  redirects: [{ url: 'http://example.com/', status_code: 301, ms: 41.25 }],
  timing,
  tls: {
    protocol: 'TLSv1.3',
    version: '1.3',
    cipher: 'TLS_AES_128_GCM_SHA256',
    authorized: false,
    authorization_error: 'CERT_HAS_EXPIRED',
    not_after: certificate.not_after,
    chain: [certificate],
  },
};

t.test('an http result reads as its hops, a waterfall of its phases and its certificates', async (t) => {
  t.strictSame(detailLines('http', answered), [
    '301  41.3 ms  http://example.com/',
    '200   HTTP/2  https://www.example.com/',
    '',
    'DNS         10.0 ms  ===',
    'TCP         20.0 ms     =======',
    'TLS         40.0 ms            ==============',
    'First byte  25.0 ms                          ========',
    'Download    5.00 ms                                  ==',
    'Total        143 ms',
    '',
    'TLSv1.3 TLS_AES_128_GCM_SHA256, not trusted: CERT_HAS_EXPIRED',
    'CN=www.example.com, by CN=Example CA, 2026-01-01 to 2026-12-31',
  ]);
});

t.test('an http result without an answer shows the phases that ended', async (t) => {
  const failed = { ...probeTypes.http.blank(), success: false, error: { code: 'tcp_timeout', message: '' } };
  t.strictSame(detailLines('http', { ...failed, timing: { ...failed.timing, dns_ms: 3 } }), [
    `DNS  3.00 ms  ${'='.repeat(34)}`,
  ]);
  t.strictSame(detailLines('http', failed), []);
});
