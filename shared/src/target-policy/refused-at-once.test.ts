import t from 'tap';
import { type ProbeSpecs, type ProbeType, probeTypeNames, probeTypes } from '../probe-types/index.js';
import { compileSchema } from '../validation.js';
import { verdictOf } from './_support/verdict.js';
import { TargetPolicy } from './policy.js';
import { checkSpec } from './spec.js';

const policy = new TargetPolicy({ allow: [], own: [], denied: [] });

const takesUrl = (type: ProbeType) => probeTypes[type].exampleTarget.includes('://');

function judge<T extends ProbeType>(type: T, target: string, params: Partial<ProbeSpecs[T]['params']> = {}): string {
  const example = compileSchema(probeTypes[type].Spec)({ target: probeTypes[type].exampleTarget, params: {} });
  const defaults = example.ok ? (example.value as ProbeSpecs[T]).params : {};
  const spec = { target, params: { ...defaults, ...params } } as ProbeSpecs[T];
  return verdictOf(() => checkSpec(type, spec, policy));
}

const nameOf254 = `${'a'.repeat(62)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(59)}.com`;

/** Every host of the specification's list, and what it is: no host at all, or one that may not be probed. */
const hosts: readonly (readonly [host: string, kind: 'malformed' | 'refused'])[] = [
  ['127.0.0.1', 'refused'],
  ['127.1', 'refused'],
  ['0', 'refused'],
  ['2130706433', 'refused'],
  ['0x7f000001', 'refused'],
  ['0177.0.0.1', 'refused'],
  ['[::1]', 'refused'],
  ['[::ffff:127.0.0.1]', 'refused'],
  ['[64:ff9b::a9fe:a9fe]', 'refused'],
  ['[2002:7f00:1::]', 'refused'],
  ['[fe80::1]', 'refused'],
  ['169.254.169.254', 'refused'],
  ['168.63.129.16', 'refused'],
  ['100.64.0.1', 'refused'],
  ['198.18.0.1', 'refused'],
  ['224.0.0.1', 'refused'],
  ['255.255.255.255', 'refused'],
  ['localhost', 'refused'],
  ['foo.localhost', 'refused'],
  ['metadata.google.internal', 'refused'],
  ['router', 'refused'],
  ['a..b', 'malformed'],
  [nameOf254, 'malformed'],
  ['-oProxyCommand=x', 'refused'],
];

t.equal(nameOf254.length, 254);

t.test('no host of the list is probed, by any type, in any part of a request', async (t) => {
  for (const [host, kind] of hosts) {
    const name = host.slice(0, 40);
    for (const type of probeTypeNames) {
      const target = takesUrl(type) ? `http://${host}/` : host;
      t.equal(judge(type, target), `${kind} target`, `${name} as target of ${type}`);
    }
    t.equal(judge('tcp', `${host}:443`, { port: 443 }), `${kind} target`, `${name} as target of tcp with a port`);
    t.equal(judge('http', `https://${host}:8443/a?b#c`), `${kind} target`, `${name} as target of http with a port`);
    t.equal(judge('dns', 'example.com', { server: host }), `${kind} params.server`, `${name} as resolver of dns`);
    t.equal(
      judge('ssl', 'example.com', { server_name: host }),
      `${kind} params.server_name`,
      `${name} as name for ssl`,
    );
    t.equal(judge('http', 'http://example.com', { resolver: host }), `${kind} params.resolver`, `${name} for http`);
  }
});

/** The specification's other cases, each with the field that is wrong. */
const others: readonly (readonly [name: string, verdict: string, run: () => string])[] = [
  ['http://u:p@example.com', 'refused target', () => judge('http', 'http://u:p@example.com')],
  ['http://127.0.0.1\\@example.com', 'malformed target', () => judge('http', 'http://127.0.0.1\\@example.com')],
  ['file:///etc/passwd', 'refused target', () => judge('http', 'file:///etc/passwd')],
  ['gopher://x', 'refused target', () => judge('http', 'gopher://x')],
  ['http://example.com:25', 'refused target', () => judge('http', 'http://example.com:25')],
  ['port 0 of http', 'malformed target', () => judge('http', 'http://example.com:0')],
  ['port 65536 of http', 'malformed target', () => judge('http', 'http://example.com:65536')],
  ['port 25 of ssl', 'refused target', () => judge('ssl', 'example.com:25')],
  ['port 6379 of ssl', 'refused params.port', () => judge('ssl', 'example.com', { port: 6379 })],
  ['two ports of ssl', 'malformed params.port', () => judge('ssl', 'example.com:443', { port: 8443 })],
  ['port 0 of tcp', 'malformed target', () => judge('tcp', 'example.com:0', {})],
  ['port 65536 of tcp', 'malformed target', () => judge('tcp', 'example.com:65536', {})],
  [
    'a header value with CRLF',
    'malformed params.headers.X-A',
    () => judge('http', 'http://example.com', { headers: { 'X-A': 'b\r\nX-C: d' } }),
  ],
  [
    'a Transfer-Encoding header',
    'refused params.headers.Transfer-Encoding',
    () => judge('http', 'http://example.com', { headers: { 'Transfer-Encoding': 'chunked' } }),
  ],
];

t.test('each other case of the list is refused at once, with the field that is wrong', async (t) => {
  for (const [name, verdict, run] of others) t.equal(run(), verdict, name);
});

t.test('valid targets are allowed', async (t) => {
  for (const type of probeTypeNames) t.equal(judge(type, probeTypes[type].exampleTarget), 'allowed', type);
  for (const port of [443, 8443, 465, 636, 853, 993, 995])
    t.equal(judge('ssl', 'example.com', { port }), 'allowed', `ssl on port ${port}`);
  t.equal(judge('ping', '8.8.8.8'), 'allowed');
  t.equal(judge('ping', '2606:4700:4700::1111'), 'allowed');
  t.equal(judge('tcp', '[2606:4700:4700::1111]:443', { port: 443 }), 'allowed');
  t.equal(judge('http', 'http://[2606:4700:4700::1111]:8080/'), 'allowed');
  t.equal(judge('dns', 'example.com', { server: '9.9.9.9', port: 53 }), 'allowed');
});
