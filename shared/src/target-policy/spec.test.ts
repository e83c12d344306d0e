import t from 'tap';
import type { ProbeSpecs } from '../probe-types/index.js';
import { verdictOf } from './_support/verdict.js';
import { TargetPolicy } from './policy.js';
import { checkSpec, targetHost, touchedHosts } from './spec.js';

const closed = new TargetPolicy({ allow: [], own: [], denied: [] });
const open = new TargetPolicy({ allow: ['127.0.1.0/24', 'fd00:1::/64'], own: [], denied: ['evil.example'] });

function tcpSpec(target: string, port?: number): ProbeSpecs['tcp'] {
  return {
    target,
    params: { ...(port === undefined ? {} : { port }), timeout_ms: 5000, ip_version: 'auto', count: 1, banner: false },
  };
}

function dnsSpec(target: string, params: Partial<ProbeSpecs['dns']['params']> = {}): ProbeSpecs['dns'] {
  const switches = { dnssec: false, trace: false, verify_tls: false };
  return { target, params: { record_type: 'A', transport: 'udp', ...switches, timeout_ms: 5000, ...params } };
}

function pingSpec(target: string, params: Partial<ProbeSpecs['ping']['params']> = {}): ProbeSpecs['ping'] {
  return {
    target,
    params: {
      count: 4,
      timeout_ms: 5000,
      interval_ms: 1000,
      size: 56,
      ttl: 64,
      ip_version: 'auto',
      protocol: 'icmp',
      ...params,
    },
  };
}

function tracerouteSpec(protocol: 'icmp' | 'udp' | 'tcp', port?: number): ProbeSpecs['traceroute'] {
  return {
    target: 'example.com',
    params: {
      max_hops: 30,
      protocol,
      queries: 3,
      timeout_ms: 2000,
      flows: 1,
      reverse_dns: true,
      ip_version: 'auto',
      ...(port === undefined ? {} : { port }),
    },
  };
}

function httpSpec(target: string, params: Partial<ProbeSpecs['http']['params']> = {}): ProbeSpecs['http'] {
  return {
    target,
    params: {
      method: 'GET',
      headers: {},
      follow_redirects: true,
      max_redirects: 5,
      ip_version: 'auto',
      http_version: 'auto',
      verify_tls: false,
      timeout_ms: 10_000,
      ...params,
    },
  };
}

t.test('a tcp spec names its port exactly once, or twice the same', async (t) => {
  const cases: readonly (readonly [ProbeSpecs['tcp'], string])[] = [
    [tcpSpec('example.com:443'), 'allowed'],
    [tcpSpec('example.com', 443), 'allowed'],
    [tcpSpec('example.com:443', 443), 'allowed'],
    [tcpSpec('example.com:443', 444), 'malformed params.port'],
    [tcpSpec('example.com'), 'malformed params.port'],
    [tcpSpec('[2606:4700::1]:443'), 'allowed'],
    [tcpSpec('2606:4700::1'), 'malformed params.port'],
    [tcpSpec('2606:4700::1', 443), 'allowed'],
    [tcpSpec('example.com:'), 'malformed target'],
    [tcpSpec('example.com:http'), 'malformed target'],
    [tcpSpec('example.com:0443'), 'malformed target'],
    [tcpSpec('http://example.com:443'), 'malformed target'],
  ];
  for (const [spec, verdict] of cases)
    t.equal(
      verdictOf(() => checkSpec('tcp', spec, closed)),
      verdict,
      JSON.stringify(spec),
    );
});

t.test('an invalid JSONPath, or one with functions, is refused by its place', async (t) => {
  const verdict = (...paths: string[]) => {
    const spec = httpSpec('https://example.com/', { json_paths: paths });
    return verdictOf(() => checkSpec('http', spec, closed));
  };
  t.equal(verdict('$.a[?@.b == 1]', "$['c']"), 'allowed');
  t.equal(verdict('$.a', 'a.b'), 'malformed params.json_paths.1');
  t.equal(verdict('$[?match(@, "a")]'), 'malformed params.json_paths.0');
});

t.test('tcp reaches any port, ping by tcp too', async (t) => {
  for (const port of [1, 22, 25, 3306, 65535]) {
    t.equal(
      verdictOf(() => checkSpec('tcp', tcpSpec(`example.com:${port}`), closed)),
      'allowed',
      `tcp ${port}`,
    );
    t.equal(
      verdictOf(() => checkSpec('ping', pingSpec('example.com', { protocol: 'tcp', port }), closed)),
      'allowed',
      `ping ${port}`,
    );
  }
});

t.test(
  'dns asks on 53, 443 and 853 only, but on any port of a literal resolver inside the allowed ranges',
  async (t) => {
    const cases: readonly (readonly [ProbeSpecs['dns'], string])[] = [
      [dnsSpec('example.com', { server: '9.9.9.9', port: 53 }), 'allowed'],
      [dnsSpec('example.com', { server: '9.9.9.9', port: 443 }), 'allowed'],
      [dnsSpec('example.com', { server: '9.9.9.9', port: 853 }), 'allowed'],
      [dnsSpec('example.com', { server: '9.9.9.9', port: 5353 }), 'refused params.port'],
      [dnsSpec('example.com', { server: 'dns.example.net', port: 5353 }), 'refused params.port'],
      [dnsSpec('example.com', { port: 5353 }), 'refused params.port'],
      [dnsSpec('example.com', { port: 52 }), 'refused params.port'],
      [dnsSpec('example.com', { port: 80 }), 'refused params.port'],
      [dnsSpec('example.com', { port: 53 }), 'allowed'],
      [dnsSpec('example.com', { server: '127.0.1.1', port: 5353 }), 'allowed'],
      [dnsSpec('example.com', { server: '::ffff:127.0.1.1', port: 5353 }), 'allowed'],
      [dnsSpec('example.com', { server: 'fd00:1::53', port: 5353 }), 'allowed'],
      [dnsSpec('example.com', { server: '127.0.0.1', port: 5353 }), 'refused params.server'],
    ];
    for (const [spec, verdict] of cases)
      t.equal(
        verdictOf(() => checkSpec('dns', spec, open)),
        verdict,
        JSON.stringify(spec),
      );
  },
);

t.test(
  'smtp goes to the ports of mail only, but to any port of a literal address inside the allowed ranges',
  async (t) => {
    const verdict = (target: string, port?: number) => {
      const params = { starttls: 'auto', verify_tls: false, ip_version: 'auto', timeout_ms: 10_000 } as const;
      return verdictOf(() => checkSpec('smtp', { target, params: { ...params, ...(port && { port }) } }, open));
    };
    for (const port of [25, 465, 587, 2525]) t.equal(verdict('mail.example.com', port), 'allowed', String(port));
    t.equal(verdict('mail.example.com'), 'allowed');
    t.equal(verdict('mail.example.com:587'), 'allowed');
    for (const port of [22, 80, 110, 6379])
      t.equal(verdict('mail.example.com', port), 'refused params.port', String(port));
    t.equal(verdict('8.8.8.8:6379'), 'refused params.port');
    t.equal(verdict('mail.example.com:25', 587), 'malformed params.port');
    t.equal(verdict('127.0.1.1:2500'), 'allowed');
    t.equal(verdict('127.0.0.1:25'), 'refused target');
  },
);

t.test('ntp goes to port 123 only, but to any port of a literal address inside the allowed ranges', async (t) => {
  const verdict = (target: string, port?: number) => {
    const params = { count: 4, interval_ms: 2000, timeout_ms: 5000, ip_version: 'auto' } as const;
    return verdictOf(() => checkSpec('ntp', { target, params: { ...params, ...(port && { port }) } }, open));
  };
  t.equal(verdict('time.example.com'), 'allowed');
  t.equal(verdict('time.example.com', 123), 'allowed');
  for (const port of [53, 124, 1900, 11211]) t.equal(verdict('time.example.com', port), 'refused params.port');
  t.equal(verdict('[2606:4700::1]:53'), 'refused params.port');
  t.equal(verdict('[fd00:1::5]:1123'), 'allowed');
  t.equal(verdict('127.0.0.1'), 'refused target');
});

t.test('dns takes an address for PTR only, and judges it', async (t) => {
  const verdict = (target: string, record_type: ProbeSpecs['dns']['params']['record_type']) =>
    verdictOf(() => checkSpec('dns', dnsSpec(target, { record_type }), closed));
  t.equal(verdict('8.8.8.8', 'PTR'), 'allowed');
  t.equal(verdict('2001:4860:4860::8888', 'PTR'), 'allowed');
  t.equal(verdict('10.0.0.1', 'PTR'), 'refused target');
  t.equal(verdict('8.8.8.8', 'A'), 'malformed target');
  t.equal(verdict('10.0.0.1', 'A'), 'refused target');
  t.equal(verdict('8.8.8.8.in-addr.arpa', 'PTR'), 'allowed');
  t.equal(verdict('_sip._tcp.example.com', 'SRV'), 'allowed');
});

t.test('udp traceroute sends to 33434..33690 only', async (t) => {
  const verdict = (protocol: 'icmp' | 'udp' | 'tcp', port?: number) =>
    verdictOf(() => checkSpec('traceroute', tracerouteSpec(protocol, port), closed));
  t.equal(verdict('udp'), 'allowed');
  t.equal(verdict('udp', 33433), 'refused params.port');
  t.equal(verdict('udp', 33434), 'allowed');
  t.equal(verdict('udp', 33690), 'allowed');
  t.equal(verdict('udp', 33691), 'refused params.port');
  t.equal(verdict('tcp', 443), 'allowed');
});

t.test('http judges its URL, its headers and its resolver', async (t) => {
  const verdict = (spec: ProbeSpecs['http']) => verdictOf(() => checkSpec('http', spec, open));
  t.equal(verdict(httpSpec('http://127.0.1.7:40123/')), 'allowed', 'allowed range, any unblocked port');
  t.equal(verdict(httpSpec('http://127.0.1.7:6379/')), 'refused target', 'the port rule stays in an allowed range');
  t.equal(verdict(httpSpec('http://127.1.7/')), 'refused target', 'the form of a number stays in an allowed range');
  t.equal(verdict(httpSpec('http://www.evil.example/')), 'refused target', 'deny list');
  t.equal(verdict(httpSpec('http://localhost/')), 'refused target', 'the name rules stay');
  t.equal(
    verdict(httpSpec('http://127.0.1.7/', { headers: { host: 'x' } })),
    'refused params.headers.host',
    'the header rules stay',
  );
  t.equal(verdict(httpSpec('http://example.com/', { resolver: '10.0.0.1' })), 'refused params.resolver');
  t.equal(verdict(httpSpec('http://example.com/', { resolver: 'dns.evil.example' })), 'refused params.resolver');
  t.equal(verdict(httpSpec('http://example.com/', { resolver: '9.9.9.9' })), 'allowed');
});

t.test('every type says which host it aims at', async (t) => {
  const name = { kind: 'name', name: 'example.com' };
  t.same(targetHost('http', httpSpec('https://example.com:8443/a')), name);
  t.same(targetHost('tcp', tcpSpec('example.com:443')), name);
  t.same(targetHost('ping', pingSpec('EXAMPLE.com.')), name);
  t.same(targetHost('dns', dnsSpec('example.com', { server: '9.9.9.9' })), name);
  t.same(targetHost('traceroute', tracerouteSpec('icmp')), name);
  t.same(targetHost('tcp', tcpSpec('[2606:4700::1]:443')), { kind: 'address', address: '2606:4700::1', family: 6 });
});

t.test('the hosts a spec touches are its target and the resolver its caller chose', async (t) => {
  const name = { kind: 'name', name: 'example.com' };
  const resolver = { kind: 'address', address: '9.9.9.9', family: 4 };
  t.same(touchedHosts('dns', dnsSpec('example.com', { server: '9.9.9.9' })), [name, resolver]);
  t.same(touchedHosts('http', httpSpec('http://example.com/', { resolver: '9.9.9.9' })), [name, resolver]);
  t.same(touchedHosts('dns', dnsSpec('example.com')), [name], 'the node’s own resolver is its own business');
  t.same(touchedHosts('http', httpSpec('http://example.com/')), [name]);
  t.same(touchedHosts('tcp', tcpSpec('example.com:443')), [name]);
  t.same(touchedHosts('ping', pingSpec('example.com')), [name]);
  t.same(touchedHosts('traceroute', tracerouteSpec('icmp')), [name]);
});
