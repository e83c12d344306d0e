import fc from 'fast-check';
import t from 'tap';
import { rounds } from '../_support/rounds.js';
import { measurements, type ProbeResults } from '../probe-types/index.js';
import { findUnstorableText } from '../text.js';
import { compileSchema } from '../validation.js';
import { arbitraryOf } from './_support/arbitrary-of.js';
import { MAX_DETAILS_BYTES, writeDetails } from './check-details.js';
import { type MonitorType, monitorTypeNames, monitorTypeOf } from './index.js';

function aConfig(type: MonitorType, more: object = {}): never {
  const { Config, exampleConfig } = monitorTypeOf(type);
  const validation = compileSchema(Config)(structuredClone({ ...exampleConfig, ...more }));
  if (!validation.ok) throw new Error(JSON.stringify(validation.details));
  return validation.value as never;
}

t.test('details of whatever was measured are an object of 4096 bytes at most that can be stored', async (t) => {
  for (const type of monitorTypeNames) {
    const definition = monitorTypeOf(type);
    const config = aConfig(type);
    fc.assert(
      fc.property(arbitraryOf(measurements[definition.probeType].Result), (result) => {
        const json = writeDetails(definition.details(result as never, config)) ?? '{}';
        return Buffer.byteLength(json) <= MAX_DETAILS_BYTES && findUnstorableText(JSON.parse(json)) === null;
      }),
      { numRuns: rounds(200), interruptAfterTimeLimit: 3000 },
    );
    t.pass(type);
  }
});

t.test('a value without room is left out as a whole, and later ones are kept', async (t) => {
  const json = writeDetails({ first: 1, large: Array(500).fill('ä'.repeat(10)), none: null, last: 'x' });
  t.same(JSON.parse(json ?? ''), { first: 1, last: 'x' });
  t.equal(writeDetails({ large: Array(500).fill('0123456789'), none: null }), null);
  const long = JSON.parse(writeDetails({ long: 'y'.repeat(5000) }) ?? '');
  t.equal(long.long.length, 300, 'a text is cut');
  const full = (length: number) => writeDetails({ a: Array(13).fill('z'.repeat(300)), b: 'z'.repeat(length) }) ?? '';
  t.equal(Buffer.byteLength(full(143)), MAX_DETAILS_BYTES);
  t.notMatch(full(144), '"b"');
});

t.test('secrets of a request appear in no details, whatever the server repeats of it', async (t) => {
  const token = 'tok-3f9d8e7c6b5a';
  const hop = { url: `https://a.example/?k=${token}`, status_code: 302, ms: 1 };
  const certificate = {
    subject: token,
    issuer: token,
    not_before: '2026-01-01T00:00:00Z',
    not_after: '2026-02-01T00:00:00Z',
    serial_number: token,
    fingerprint_sha256: token,
  };
  const answer: ProbeResults['http'] = {
    success: false,
    error: { code: 'http_protocol', message: token },
    status_code: 500,
    response_ms: 42,
    response_size: 5,
    final_url: hop.url,
    headers: { 'x-echo': token, 'set-cookie': token },
    resolved_ip: '192.0.2.1',
    ip_version: 4,
    http_version: '1.1',
    redirects: [hop, hop],
    body: token,
    body_truncated: false,
    keywords: [{ keyword: token, count: 1, count_any_case: 1, error: null }],
    json_paths: [{ path: '$.k', count: 1, values: [token], truncated: false, error: null }],
    timing: { dns_ms: 1, tcp_ms: 2, tls_ms: 3, ttfb_ms: 4, download_ms: 5 },
    tls: {
      protocol: 'TLSv1.3',
      version: '1.3',
      cipher: 'x',
      authorized: false,
      authorization_error: `the certificate is of ${token}`,
      not_after: '2026-02-01T00:00:00Z',
      chain: [certificate],
    },
  };
  const config = { headers: { 'X-Api-Key': token } };
  for (const type of ['http', 'https', 'keyword', 'json'] as const) {
    const json = writeDetails(monitorTypeOf(type).details(answer, aConfig(type, config))) ?? '';
    t.notMatch(json, token, type);
    t.match(JSON.parse(json), {
      timing: answer.timing,
      resolved_ip: '192.0.2.1',
      redirects: 2,
      tls: { authorized: false, authorization_error: 'the certificate is of [secret]' },
    });
  }
});
