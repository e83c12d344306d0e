import t from 'tap';
import { compileSchema } from '../validation.js';
import { type ProbeType, probeTypeNames, probeTypes } from './index.js';

const validators = Object.fromEntries(probeTypeNames.map((type) => [type, compileSchema(probeTypes[type].Spec)]));

function complaints(
  type: ProbeType,
  params: Record<string, unknown>,
  target: unknown = 'example.com',
): Record<string, string[]> {
  const result = validators[type]?.({ target, params });
  if (result === undefined || result.ok) return {};
  return Object.fromEntries(Object.entries(result.details).map(([path, list]) => [path, list.map(({ code }) => code)]));
}

/** Every integer parameter with its smallest and largest value and its default (API specification 2.7). */
const ranges: readonly (readonly [type: ProbeType, name: string, min: number, max: number, fallback?: number])[] = [
  ['http', 'timeout_ms', 1000, 30_000, 10_000],
  ['http', 'max_redirects', 0, 5, 5],
  ['ping', 'count', 1, 50, 4],
  ['ping', 'timeout_ms', 100, 10_000, 5000],
  ['ping', 'interval_ms', 200, 5000, 1000],
  ['ping', 'size', 0, 64, 56],
  ['ping', 'ttl', 1, 255, 64],
  ['ping', 'port', 1, 65_535],
  ['dns', 'port', 1, 65_535],
  ['dns', 'timeout_ms', 100, 30_000, 5000],
  ['tcp', 'port', 1, 65_535],
  ['tcp', 'timeout_ms', 100, 30_000, 5000],
  ['tcp', 'count', 1, 10, 1],
  ['traceroute', 'max_hops', 1, 64, 30],
  ['traceroute', 'port', 1, 65_535],
  ['traceroute', 'queries', 1, 10, 3],
  ['traceroute', 'timeout_ms', 100, 10_000, 2000],
  ['smtp', 'port', 1, 65_535],
  ['smtp', 'timeout_ms', 1000, 30_000, 10_000],
  ['speedtest', 'bytes', 100_000, 25_000_000, 25_000_000],
  ['speedtest', 'duration_ms', 1000, 10_000, 10_000],
  ['speedtest', 'timeout_ms', 1000, 10_000, 5000],
  ['ntp', 'port', 1, 65_535],
  ['ntp', 'count', 1, 8, 4],
  ['ntp', 'interval_ms', 1000, 5000, 2000],
  ['ntp', 'timeout_ms', 100, 10_000, 5000],
  ['ssl', 'port', 1, 65_535],
  ['ssl', 'timeout_ms', 1000, 30_000, 15_000],
  ['traceroute', 'flows', 1, 8, 1],
  ['mtr', 'cycles', 1, 60, 10],
  ['mtr', 'interval_ms', 200, 5000, 1000],
  ['mtr', 'max_hops', 1, 64, 30],
  ['mtr', 'port', 1, 65_535],
  ['mtr', 'timeout_ms', 100, 10_000, 2000],
  ['mtr', 'flows', 1, 8, 1],
];

for (const [type, name, min, max, fallback] of ranges) {
  t.test(`${type} ${name} is an integer from ${min} to ${max}`, async (t) => {
    const path = `params.${name}`;
    t.same(complaints(type, { [name]: min - 1 }), { [path]: ['range'] });
    t.same(complaints(type, { [name]: min }), {});
    t.same(complaints(type, { [name]: max }), {});
    t.same(complaints(type, { [name]: max + 1 }), { [path]: ['range'] });
    for (const wrong of [min + 0.5, String(min), null, true, [min]])
      t.same(complaints(type, { [name]: wrong }), { [path]: ['type'] });
    const spec = { target: 'example.com', params: {} as Record<string, unknown> };
    validators[type]?.(spec);
    t.equal(spec.params[name], fallback, 'default');
  });
}

/** Every parameter with a closed list of values, the first being the default. */
const choices: readonly (readonly [type: ProbeType, name: string, values: readonly string[]])[] = [
  ['http', 'method', ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']],
  ['http', 'ip_version', ['auto', 'v4', 'v6']],
  ['http', 'http_version', ['auto', '1.1', '2']],
  ['ping', 'ip_version', ['auto', 'v4', 'v6']],
  ['ping', 'protocol', ['icmp', 'tcp']],
  [
    'dns',
    'record_type',
    ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS', 'SOA', 'CAA', 'ANY', 'PTR', 'SRV', 'DS', 'DNSKEY', 'HTTPS', 'SVCB'],
  ],
  ['dns', 'transport', ['udp', 'tcp', 'dot', 'doh']],
  ['tcp', 'ip_version', ['auto', 'v4', 'v6']],
  ['ssl', 'ip_version', ['auto', 'v4', 'v6']],
  ['traceroute', 'protocol', ['icmp', 'udp', 'tcp']],
  ['traceroute', 'ip_version', ['auto', 'v4', 'v6']],
  ['smtp', 'starttls', ['auto', 'require', 'never']],
  ['smtp', 'ip_version', ['auto', 'v4', 'v6']],
  ['speedtest', 'ip_version', ['auto', 'v4', 'v6']],
  ['ntp', 'ip_version', ['auto', 'v4', 'v6']],
  ['mtr', 'protocol', ['icmp', 'udp', 'tcp']],
  ['mtr', 'ip_version', ['auto', 'v4', 'v6']],
];

for (const [type, name, values] of choices) {
  t.test(`${type} ${name} is one of ${values.join(', ')}`, async (t) => {
    const path = `params.${name}`;
    for (const value of values) t.same(complaints(type, { [name]: value }), {}, value);
    const [first = ''] = values;
    for (const wrong of [
      '',
      'TRACE',
      'CONNECT',
      first.toLowerCase() === first ? first.toUpperCase() : first.toLowerCase(),
      `${first} `,
    ]) {
      if (!values.includes(wrong))
        t.same(complaints(type, { [name]: wrong }), { [path]: ['enum'] }, JSON.stringify(wrong));
    }
    const spec = { target: 'example.com', params: {} as Record<string, unknown> };
    validators[type]?.(spec);
    t.equal(spec.params[name], first, 'default');
  });
}

t.test('no parameter is missing from these tables', async (t) => {
  const others = new Set([
    'headers',
    'body',
    'keywords',
    'json_paths',
    'reverse_dns',
    'follow_redirects',
    'resolver',
    'verify_tls',
    'server',
    'banner',
    'dnssec',
    'trace',
    'server_name',
    'upload',
  ]);
  for (const type of probeTypeNames) {
    const tested = new Set([...ranges, ...choices].filter(([of]) => of === type).map(([, name]) => name));
    const untested = Object.keys(probeTypes[type].Params.properties).filter(
      (name) => !tested.has(name) && !others.has(name),
    );
    t.same(untested, [], type);
  }
});

t.test('switches are booleans with a default', async (t) => {
  for (const [type, name, fallback] of [
    ['http', 'follow_redirects', true],
    ['http', 'verify_tls', false],
    ['dns', 'dnssec', false],
    ['dns', 'trace', false],
    ['dns', 'verify_tls', false],
    ['tcp', 'banner', false],
    ['smtp', 'verify_tls', false],
    ['speedtest', 'upload', true],
    ['traceroute', 'reverse_dns', true],
    ['mtr', 'reverse_dns', true],
  ] as const) {
    t.same(complaints(type, { [name]: 'true' }), { [`params.${name}`]: ['type'] });
    t.same(complaints(type, { [name]: true }), {});
    const spec = { target: 'example.com', params: {} as Record<string, unknown> };
    validators[type]?.(spec);
    t.equal(spec.params[name], fallback);
  }
});

t.test('texts have their lengths', async (t) => {
  t.same(complaints('http', { body: 'x'.repeat(32_768) }), {});
  t.same(complaints('http', { body: 'x'.repeat(32_769) }), { 'params.body': ['length'] });
  for (const [type, name] of [
    ['http', 'resolver'],
    ['dns', 'server'],
    ['ssl', 'server_name'],
  ] as const) {
    t.same(complaints(type, { [name]: '' }), { [`params.${name}`]: ['length'] });
    t.same(complaints(type, { [name]: 'x'.repeat(253) }), {});
    t.same(complaints(type, { [name]: 'x'.repeat(254) }), { [`params.${name}`]: ['length'] });
  }
  for (const type of probeTypeNames) {
    const longest = type === 'http' || type === 'speedtest' ? 2048 : 259;
    t.same(complaints(type, {}, ''), { target: ['length'] }, type);
    t.same(complaints(type, {}, 'x'.repeat(longest)), {}, type);
    t.same(complaints(type, {}, 'x'.repeat(longest + 1)), { target: ['length'] }, type);
    t.same(complaints(type, {}, 7), { target: ['type'] }, type);
    t.same(complaints(type, {}, null), { target: ['type'] }, type);
  }
});

t.test('lists of what to look for: at most 10 texts of at most 256 characters', async (t) => {
  for (const name of ['keywords', 'json_paths']) {
    t.same(complaints('http', { [name]: [] }), {});
    t.same(complaints('http', { [name]: Array(10).fill('$') }), {});
    t.same(complaints('http', { [name]: Array(11).fill('$') }), { [`params.${name}`]: ['length'] });
    t.same(complaints('http', { [name]: ['x'.repeat(256)] }), {});
    t.same(complaints('http', { [name]: ['x'.repeat(257)] }), { [`params.${name}.0`]: ['length'] });
    t.same(complaints('http', { [name]: [''] }), { [`params.${name}.0`]: ['length'] });
    t.same(complaints('http', { [name]: 'x' }), { [`params.${name}`]: ['type'] });
  }
});

t.test('request headers: at most 32, names are tokens of at most 64, values at most 4096 characters', async (t) => {
  const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${i}`, 'v']));
  t.same(complaints('http', { headers: {} }), {});
  t.same(complaints('http', { headers: headers(32) }), {});
  t.same(complaints('http', { headers: headers(33) }), { 'params.headers': ['length'] });
  t.same(complaints('http', { headers: { ['x'.repeat(64)]: 'v' } }), {});
  t.same(complaints('http', { headers: { ['x'.repeat(65)]: 'v' } }), {
    [`params.headers.${'x'.repeat(65)}`]: ['unknown'],
  });
  t.same(complaints('http', { headers: { 'a b': 'v' } }), { 'params.headers.a b': ['unknown'] });
  t.same(complaints('http', { headers: { 'X-A': 'v'.repeat(4096) } }), {});
  t.same(complaints('http', { headers: { 'X-A': 'v'.repeat(4097) } }), { 'params.headers.X-A': ['length'] });
  t.same(complaints('http', { headers: { 'X-A': 1 } }), { 'params.headers.X-A': ['type'] });
  t.same(complaints('http', { headers: ['X-A'] }), { 'params.headers': ['type'] });
});

t.test('an unknown parameter or member is refused by name', async (t) => {
  for (const type of probeTypeNames) {
    t.same(complaints(type, { colour: 'red' }), { 'params.colour': ['unknown'] }, type);
    const result = validators[type]?.(JSON.parse('{"target":"example.com","params":{"__proto__":{}},"extra":1}'));
    t.same(result?.ok === false && Object.keys(result.details).sort(), ['extra', 'params.__proto__'], type);
  }
});
