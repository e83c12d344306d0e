import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { failedResult } from '@vantage/shared/probe-types/failed-result.js';
import {
  type MeasurementType,
  measurementOf,
  measurements,
  type ProbeSpecs,
} from '@vantage/shared/probe-types/index.js';
import { MAX_RESULT_BYTES } from '@vantage/shared/protocol/limits.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { parseResult } from './parse-result.js';

const types = Object.keys(measurements) as MeasurementType[];

function specOf(type: MeasurementType) {
  const target = type === 'http' || type === 'browser' || type === 'speedtest' ? 'https://example.com/' : 'example.com';
  const validation = compileSchema(measurementOf(type).Spec)({ target, params: {} });
  if (!validation.ok) throw new Error(JSON.stringify(validation.details));
  return validation.value as ProbeSpecs[MeasurementType];
}

/** A result of a type with other members; what they do not say is as if nothing had been measured. */
function resultOf(type: MeasurementType, members: object = {}): object {
  const run = { started_at: '2026-01-01T00:00:00.000Z', duration_ms: 1, disturbed: false, loop_lag_ms: 0 };
  const blank: object = failedResult(type, specOf(type), { code: 'timeout', message: 'late' });
  return { ...blank, success: true, error: null, ...run, ...members };
}

/** `stored`, or the reason why the result is refused. */
function outcomeOf(type: MeasurementType, result: object): string {
  const resultJson = Buffer.from(JSON.stringify(result));
  const parsed = parseResult({ taskId: newId(idPrefixes.probeTask), probeType: type, resultJson }, Date.now());
  return 'reject' in parsed ? parsed.reject : 'stored';
}

const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
const headersOf = (count: number) => Object.fromEntries(many(count, (index) => [`x-${index}`, 'v'.repeat(110)]));
const record = (name: string) => ({ name, type: 'A', class: 'IN', ttl: 60, value: '192.0.2.1' });
const recordsOf = (count: number, characters: number) => ({
  records: many(count, () => record('n'.repeat(characters))),
});
const reply = { flow: 1, ip: '192.0.2.1', rtt_ms: 1, icmp_type: 'time_exceeded', icmp_code: 0 };
const hopsOf = (count: number, replies: number) => ({
  hops: many(count, (index) => ({ ttl: Math.min(64, index + 1), replies: many(replies, () => reply) })),
});
const valuesOf = (...values: unknown[]) => ({
  json_paths: [{ path: '$', count: 1, values, truncated: false, error: null }],
});
const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
const certificate = {
  subject: 'CN=a',
  issuer: 'CN=b',
  not_before: '2026-01-01T00:00:00.000Z',
  not_after: '2027-01-01T00:00:00.000Z',
  serial_number: '1',
  fingerprint_sha256: 'AA',
};
const tlsOf = (count: number) => ({
  tls: {
    protocol: 'TLSv1.3',
    version: '1.3',
    cipher: 'x',
    authorized: true,
    authorization_error: null,
    not_after: null,
    chain: many(count, () => certificate),
  },
});

t.test('the largest result that an agent measures is stored whole', (t) => {
  for (const type of types) t.equal(outcomeOf(type, resultOf(type)), 'stored', type);
  const body = { status_code: 200, body: 'b'.repeat(64 * 1024), body_truncated: true };
  t.equal(outcomeOf('http', resultOf('http', { ...body, headers: headersOf(512), ...tlsOf(16) })), 'stored');
  t.equal(outcomeOf('http', resultOf('http', valuesOf(nested(16)))), 'stored');
  t.equal(outcomeOf('http', resultOf('http', valuesOf('v'.repeat(2040)))), 'stored');
  t.equal(outcomeOf('dns', resultOf('dns', recordsOf(1000, 88))), 'stored', '96 Ki characters');
  t.equal(outcomeOf('traceroute', resultOf('traceroute', hopsOf(30, 80))), 'stored');
  const pinged = { seq: 1, ttl: 64, rtt_ms: 1.123, duplicate: true, late: false, icmp_error: null };
  t.equal(outcomeOf('ping', resultOf('ping', { replies: many(200, () => pinged) })), 'stored');
  t.end();
});

t.test('a result with more in it than an agent of its type measures is refused', (t) => {
  const oversized: readonly (readonly [string, MeasurementType, object])[] = [
    ['header lines', 'http', { headers: headersOf(513) }],
    ['characters of values', 'http', valuesOf('v'.repeat(2048))],
    ['members of values', 'http', valuesOf(many(2048, () => 1))],
    ['names of values', 'http', valuesOf({ ['n'.repeat(2048)]: 1 })],
    ['levels of values', 'http', valuesOf(nested(17))],
    ['certificates', 'http', tlsOf(17)],
    ['records', 'dns', recordsOf(1001, 1)],
    ['characters of records', 'dns', recordsOf(1000, 130)],
    ['hops', 'traceroute', hopsOf(65, 1)],
    ['replies of a hop', 'traceroute', hopsOf(1, 81)],
    ['names of a certificate', 'ssl', { san_domains: many(1001, String) }],
    [
      'facts',
      'zone_audit',
      { findings: [{ code: 'no_caa', facts: Object.fromEntries(many(17, (i) => [`f${i}`, i])) }] },
    ],
  ];
  for (const [what, type, members] of oversized)
    t.equal(outcomeOf(type, resultOf(type, members)), 'malformed', `${type}: ${what}`);
  t.end();
});

t.test('a result larger than any of its type is refused, whatever its schema allows', (t) => {
  const texts: readonly (readonly [MeasurementType, (text: string) => object])[] = [
    ['ping', (resolved_ip) => ({ resolved_ip })],
    ['tcp', (banner) => ({ banner })],
    ['ntp', (refid) => ({ refid })],
    ['speedtest', (resolved_ip) => ({ resolved_ip })],
    ['icp', (source) => ({ source })],
    ['browser', (title) => ({ title })],
    ['domain', (registrar) => ({ registrar })],
  ];
  for (const [type, membersOf] of texts) {
    const { maxResultBytes } = measurementOf(type);
    t.ok(maxResultBytes <= MAX_RESULT_BYTES / 2, type);
    t.equal(outcomeOf(type, resultOf(type, membersOf('x'.repeat(maxResultBytes / 2)))), 'stored', type);
    t.equal(outcomeOf(type, resultOf(type, membersOf('x'.repeat(maxResultBytes)))), 'malformed', type);
  }
  t.end();
});
