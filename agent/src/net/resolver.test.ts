import { createSocket } from 'node:dgram';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import type { Host } from '@vantage/shared/target-policy/host.js';
import { type Answer, RECURSION_DESIRED, TRUNCATED_RESPONSE } from 'dns-packet';
import t from 'tap';
import { dnsMessage, startDnsServer, zone } from '../../test/_support/dns-server.js';
import { openSockets } from '../../test/_support/open-resources.js';
import { aPolicy, aResolver } from '../../test/_support/probe-context.js';
import { ProbeFailure } from '../probes/failure.js';
import { HEADER_BYTES } from './dns/message.js';
import { QueryBudget } from './query-budget.js';
import type { ResolveRequest } from './resolver.js';

const name = (text: string): Host => ({ kind: 'name', name: text });
const SITE = name('site.example.com');

function aRequest(parts: Partial<ResolveRequest> = {}): ResolveRequest {
  return { host: SITE, ipVersion: 'auto', policy: aPolicy(), signal: new AbortController().signal, ...parts };
}

t.test('resolver gives the addresses of both families, IPv6 first', async (t) => {
  const server = await startDnsServer(
    t,
    zone([
      { type: 'A', name: 'site.example.com', data: '127.0.0.1' },
      { type: 'AAAA', name: 'site.example.com', data: '::1' },
    ]),
  );
  const resolver = aResolver([server.endpoint]);
  const both = await resolver.resolve(aRequest());
  t.strictSame(both.addresses, [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ]);
  const v4 = await resolver.resolve(aRequest({ ipVersion: 'v4' }));
  t.strictSame(v4.addresses, [{ address: '127.0.0.1', family: 4 }]);
  t.equal(server.queries.length, 3, 'one question per family and resolution');
  t.ok(both.ms > 0);
});

t.test('resolver leaves out IPv6 addresses that this machine has no route to', async (t) => {
  const server = await startDnsServer(
    t,
    zone([
      { type: 'A', name: 'site.example.com', data: '127.0.0.1' },
      // a link-local address without its link: nowhere routable, and allowed by this test's policy
      { type: 'AAAA', name: 'site.example.com', data: 'fe80::1' },
    ]),
  );
  const { addresses } = await aResolver([server.endpoint]).resolve(
    aRequest({ policy: aPolicy(['127.0.0.0/8', 'fe80::/10']) }),
  );
  t.strictSame(addresses, [{ address: '127.0.0.1', family: 4 }]);
});

t.test('resolver takes a literal at once, after the policy', async (t) => {
  const resolver = aResolver([{ address: '127.0.0.1', port: 1 }]);
  const resolution = await resolver.resolve(aRequest({ host: { kind: 'address', address: '127.0.0.7', family: 4 } }));
  t.strictSame(resolution, { addresses: [{ address: '127.0.0.7', family: 4 }], ms: 0 });
  const refused = resolver.resolve(aRequest({ host: { kind: 'address', address: '10.0.0.1', family: 4 } }));
  await t.rejects(refused, { code: 'target_not_allowed' });
  const otherFamily = resolver.resolve(
    aRequest({ host: { kind: 'address', address: '::1', family: 6 }, ipVersion: 'v4' }),
  );
  await t.rejects(otherFamily, { code: 'dns_nodata' });
});

t.test('resolver refuses a target when any answer is refused', async (t) => {
  const cases = [
    { what: 'A=10.0.0.1', answers: [{ type: 'A', name: 'site.example.com', data: '10.0.0.1' }] },
    {
      what: 'A={public, 127.0.0.1}',
      answers: [
        { type: 'A', name: 'site.example.com', data: '93.184.216.34' },
        { type: 'A', name: 'site.example.com', data: '127.0.0.1' },
      ],
    },
    {
      what: 'AAAA=::ffff:10.0.0.1 beside a public A',
      answers: [
        { type: 'A', name: 'site.example.com', data: '93.184.216.34' },
        { type: 'AAAA', name: 'site.example.com', data: '::ffff:10.0.0.1' },
      ],
    },
    {
      what: 'a CNAME to localhost',
      answers: [
        { type: 'CNAME', name: 'site.example.com', data: 'localhost' },
        { type: 'A', name: 'localhost', data: '93.184.216.34' },
      ],
    },
    {
      what: 'a CNAME to localhost that has no address',
      answers: [{ type: 'CNAME', name: 'site.example.com', data: 'localhost' }],
    },
    {
      what: 'a private address of an unrelated name in the answer',
      answers: [
        { type: 'A', name: 'site.example.com', data: '93.184.216.34' },
        { type: 'A', name: 'other.example.com', data: '192.168.0.1' },
      ],
    },
  ] as const;
  for (const { what, answers } of cases) {
    const server = await startDnsServer(t, ({ type }) => ({
      answers: answers.filter((answer) => answer.type === type || answer.type === 'CNAME'),
    }));
    const resolved = aResolver([server.endpoint]).resolve(aRequest({ policy: aPolicy([]) }));
    await t.rejects(resolved, { code: 'target_not_allowed' }, what);
  }
});

t.test('resolver judges the addresses of a family that was not asked for', async (t) => {
  const server = await startDnsServer(t, () => ({
    answers: [
      { type: 'A', name: 'site.example.com', data: '93.184.216.34' },
      { type: 'AAAA', name: 'site.example.com', data: '::1' },
    ],
  }));
  const resolved = aResolver([server.endpoint]).resolve(aRequest({ ipVersion: 'v4', policy: aPolicy([]) }));
  await t.rejects(resolved, { code: 'target_not_allowed' });
});

t.test('resolver asks the server a caller names, by the policy', async (t) => {
  const own = await startDnsServer(
    t,
    zone([
      { type: 'A', name: 'public.dns.example.com', data: '127.0.0.1' },
      { type: 'A', name: 'private.dns.example.com', data: '10.0.0.53' },
    ]),
  );
  const custom = await startDnsServer(t, zone([{ type: 'A', name: 'site.example.com', data: '127.0.0.9' }]));
  const resolver = aResolver([own.endpoint], { customServerPort: custom.endpoint.port });

  const byAddress = await resolver.resolve(aRequest({ server: '127.0.0.1', ipVersion: 'v4' }));
  const byName = await resolver.resolve(aRequest({ server: 'public.dns.example.com', ipVersion: 'v4' }));
  t.strictSame(byAddress.addresses, [{ address: '127.0.0.9', family: 4 }]);
  t.strictSame(byName.addresses, byAddress.addresses);
  t.ok(
    own.queries.every((query) => query.name === 'public.dns.example.com'),
    'the target is asked of the custom server only',
  );

  for (const server of ['private.dns.example.com', '10.0.0.53', 'localhost', '127.1']) {
    await t.rejects(resolver.resolve(aRequest({ server, ipVersion: 'v4' })), { code: 'target_not_allowed' }, server);
  }
});

t.test('resolver follows at most 8 aliases, over several answers', async (t) => {
  const link = (i: number) => ({ type: 'CNAME', name: `a${i}.example.com`, data: `a${i + 1}.example.com` }) as const;
  const chain = [...Array(9).keys()].map(link);
  // an authoritative server: one link per answer
  const server = await startDnsServer(t, ({ name: asked, type }) => {
    const alias = chain.find((record) => record.name === asked);
    if (alias !== undefined) return { answers: [alias] };
    return { answers: type === 'A' ? [{ type: 'A', name: 'a9.example.com', data: '127.0.0.1' }] : [] };
  });
  const resolver = aResolver([server.endpoint]);
  const eight = await resolver.resolve(aRequest({ host: name('a1.example.com'), ipVersion: 'v4' }));
  t.strictSame(eight.addresses, [{ address: '127.0.0.1', family: 4 }]);
  const nine = resolver.resolve(aRequest({ host: name('a0.example.com'), ipVersion: 'v4' }));
  await t.rejects(nine, { code: 'dns_error' });

  const whole = await startDnsServer(t, () => ({
    answers: [...chain, { type: 'A', name: 'a9.example.com', data: '127.0.0.1' }],
  }));
  const atOnce = aResolver([whole.endpoint]).resolve(aRequest({ host: name('a0.example.com'), ipVersion: 'v4' }));
  await t.rejects(atOnce, { code: 'dns_error' }, 'nine in one answer are as many');
});

t.test('resolver asks at most 32 questions, however servers play for more', async (t) => {
  // every link of the longest chain is asked for twice and for both families: 36
  const refusing = await startDnsServer(t, () => ({ rcode: 'REFUSED' }));
  const linking = await startDnsServer(t, ({ name: asked, type }) => {
    const i = Number(asked.slice(1, 2));
    if (i < 8) return { answers: [{ type: 'CNAME', name: asked, data: `a${i + 1}.example.com` }] };
    return { answers: type === 'A' ? [{ type: 'A', name: asked, data: '127.0.0.1' }] : [] };
  });
  const resolver = aResolver([refusing.endpoint, linking.endpoint]);
  await resolver.resolve(aRequest({ host: name('a0.example.com') })).catch(() => {});
  t.equal(refusing.queries.length + linking.queries.length, 32);

  const budget = new QueryBudget();
  const site = await startDnsServer(t, zone([{ type: 'A', name: 'site.example.com', data: '127.0.0.1' }]));
  const again = () => aResolver([site.endpoint]).resolve(aRequest({ ipVersion: 'v4', budget }));
  for (let i = 0; i < 32; i += 1) await again();
  await t.rejects(again(), { code: 'dns_error' }, 'over all resolutions of a run');
});

t.test('resolver follows an alias of bytes that are no text as those very bytes', async (t) => {
  const label = 'q'.repeat(60);
  const alias = `${label}.${label}.${label}.com`;
  const server = await startDnsServer(t, ({ id, asked, type }) => {
    const question = { name: asked.replaceAll('\ufffd', 'q'), type: type === 'A' ? 'A' : 'AAAA' } as const;
    const { name } = question;
    const answers: Answer[] = name.startsWith('q')
      ? [{ type: 'A', name, data: '127.0.0.1' }]
      : [{ type: 'CNAME', name, data: alias }];
    const message = dnsMessage({ id, questions: [question], answers });
    // every q goes out as a byte that is no UTF-8, and comes back as the mark for one; the header has no name
    return [Buffer.from(message.map((byte, at) => (at >= HEADER_BYTES && byte === 0x71 ? 0xff : byte)))];
  });
  const { addresses } = await aResolver([server.endpoint]).resolve(aRequest({ ipVersion: 'v4' }));
  t.strictSame(addresses, [{ address: '127.0.0.1', family: 4 }]);
  t.equal(server.queries.at(-1)?.name, alias.replaceAll('q', '\ufffd'));
});

t.test('resolver reports why there is no address', async (t) => {
  const codes = {
    NXDOMAIN: 'dns_nxdomain',
    SERVFAIL: 'dns_servfail',
    REFUSED: 'dns_refused',
    NOTIMP: 'dns_error',
    NOERROR: 'dns_nodata',
  };
  for (const [rcode, code] of Object.entries(codes)) {
    const server = await startDnsServer(t, () => ({ rcode }));
    await t.rejects(aResolver([server.endpoint]).resolve(aRequest()), { code }, rcode);
  }
  const malformed = await startDnsServer(t, ({ id }) => [
    Buffer.concat([idBytes(id), Buffer.from('8180000100ff00000000ff', 'hex')]),
  ]);
  await t.rejects(aResolver([malformed.endpoint]).resolve(aRequest()), { code: 'dns_error' }, 'malformed');
  await t.rejects(
    aResolver([{ address: '127.0.0.1', port: 1 }]).resolve(aRequest()),
    { code: 'dns_error' },
    'nobody listens',
  );
});

t.test('resolver uses the family that answered when the other one fails', async (t) => {
  const server = await startDnsServer(t, ({ type }) =>
    type === 'A' ? { answers: [{ type: 'A', name: 'site.example.com', data: '127.0.0.1' }] } : { rcode: 'SERVFAIL' },
  );
  const { addresses } = await aResolver([server.endpoint]).resolve(aRequest());
  t.strictSame(addresses, [{ address: '127.0.0.1', family: 4 }]);
});

t.test('resolver asks the next server when the first is silent or in trouble', async (t) => {
  const good = await startDnsServer(t, zone([{ type: 'A', name: 'site.example.com', data: '127.0.0.1' }]));
  const failing = await startDnsServer(t, () => ({ rcode: 'SERVFAIL' }));
  const silent = await startDnsServer(t, () => null);
  const request = aRequest({ ipVersion: 'v4' });

  t.strictSame((await aResolver([failing.endpoint, good.endpoint]).resolve(request)).addresses, [
    { address: '127.0.0.1', family: 4 },
  ]);

  const clock = new FakeClock();
  const resolving = aResolver([silent.endpoint, good.endpoint], { clock }).resolve(request);
  await until('the silent server is asked', () => silent.queries.length === 1);
  clock.advance(2500);
  t.strictSame((await resolving).addresses, [{ address: '127.0.0.1', family: 4 }]);
  t.equal(clock.pendingTimers, 0);
});

t.test('resolver reports what the first server replied if the next one is silent', async (t) => {
  const failing = await startDnsServer(t, () => ({ rcode: 'SERVFAIL' }));
  const silent = await startDnsServer(t, () => null);
  const clock = new FakeClock();
  const resolving = aResolver([failing.endpoint, silent.endpoint], { clock }).resolve(aRequest({ ipVersion: 'v4' }));
  resolving.catch(() => {});
  await until('the silent server is asked', () => silent.queries.length === 1);
  clock.advance(2500);
  await t.rejects(resolving, { code: 'dns_servfail' });
});

t.test('resolver gives up on a silent server after two tries', async (t) => {
  const silent = await startDnsServer(t, () => null);
  const clock = new FakeClock();
  const before = openSockets();
  const resolving = aResolver([silent.endpoint], { clock }).resolve(aRequest({ ipVersion: 'v4' }));
  resolving.catch(() => {});
  await until('the first try', () => silent.queries.length === 1);
  clock.advance(2500);
  await until('the second try', () => silent.queries.length === 2);
  clock.advance(2500);
  await t.rejects(resolving, { code: 'dns_timeout' });
  t.equal(silent.queries.length, 2);
  await until('the sockets are closed', () => openSockets() <= before);
});

t.test('resolver ignores answers with another id, another question or from elsewhere', async (t) => {
  const evil = (parts: { id: number; name: string; type?: 'A' | 'TXT' }) =>
    dnsMessage({
      id: parts.id,
      questions: [{ name: parts.name, type: parts.type ?? 'A', class: 'IN' }],
      answers: [{ type: 'A', name: parts.name, data: '127.0.0.66' }],
    });
  const spoofer = createSocket('udp4');
  t.teardown(() => spoofer.close());
  const server = await startDnsServer(t, ({ id, asked, sourcePort }) => {
    // from another port than the one that was asked, with the right id: the connected socket must not see it
    spoofer.send(evil({ id, name: asked }), sourcePort, '127.0.0.1');
    return [
      evil({ id: id ^ 1, name: asked }),
      evil({ id, name: 'evil.example.com' }),
      evil({ id, name: asked, type: 'TXT' }),
      Buffer.from('too short'),
      dnsMessage({
        id,
        questions: [{ name: asked, type: 'A' }],
        answers: [{ type: 'A', name: asked, data: '127.0.0.1' }],
      }),
    ];
  });
  const { addresses } = await aResolver([server.endpoint]).resolve(aRequest({ ipVersion: 'v4' }));
  t.strictSame(addresses, [{ address: '127.0.0.1', family: 4 }]);
});

t.test('resolver sends small queries with ids and ports that vary', async (t) => {
  const server = await startDnsServer(t, zone([{ type: 'A', name: 'site.example.com', data: '127.0.0.1' }]));
  const resolver = aResolver([server.endpoint]);
  const long = name(`${'x'.repeat(63)}.${'y'.repeat(63)}.${'z'.repeat(63)}.example.com`);
  await t.rejects(resolver.resolve(aRequest({ host: long, ipVersion: 'v4' })), { code: 'dns_nxdomain' });
  for (let i = 0; i < 15; i += 1) await resolver.resolve(aRequest({ ipVersion: 'v4' }));
  t.ok(new Set(server.queries.map(({ id }) => id)).size > 10);
  t.ok(new Set(server.queries.map(({ sourcePort }) => sourcePort)).size > 5);
  t.ok(server.queries.every(({ bytes }) => bytes <= 512));
});

t.test('resolver asks again by TCP when the answer was cut, and keeps 64 of 1 000 addresses', async (t) => {
  const many = [...Array(1000).keys()].map((i) => ({
    type: 'A' as const,
    name: 'site.example.com',
    data: `127.0.${i >> 8}.${i & 255}`,
  }));
  const server = await startDnsServer(t, ({ transport, id, asked }) => {
    if (transport === 'tcp') return { answers: many };
    // cut in the middle of a record, as servers of old do
    const cut = dnsMessage({
      id,
      flags: TRUNCATED_RESPONSE | RECURSION_DESIRED,
      questions: [{ name: asked, type: 'A' }],
      answers: many,
    });
    return [cut.subarray(0, 500)];
  });
  const { addresses } = await aResolver([server.endpoint]).resolve(aRequest({ ipVersion: 'v4' }));
  t.equal(addresses.length, 64);
  await until('the connection is closed', () => server.openConnections === 0);
});

t.test('resolver ends at once when it is aborted', async (t) => {
  const silent = await startDnsServer(t, () => null);
  const before = openSockets();
  const abort = new AbortController();
  const resolving = aResolver([silent.endpoint]).resolve(aRequest({ signal: abort.signal }));
  resolving.catch(() => {});
  await until('both families are asked', () => silent.queries.length === 2);
  abort.abort(new ProbeFailure('cancelled', 'called off'));
  await t.rejects(resolving, { code: 'cancelled' });
  await until('the sockets are closed', () => openSockets() <= before);
});

function idBytes(id: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(id);
  return bytes;
}
