import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import { AUTHORITATIVE_ANSWER, RECURSION_AVAILABLE, RECURSION_DESIRED, TRUNCATED_RESPONSE } from 'dns-packet';
import t from 'tap';
import { dnsMessage, startDnsServer, zone } from '../../../test/_support/dns-server.js';
import { openSockets } from '../../../test/_support/open-resources.js';
import { aContext, aPolicy, aResolver, aSpec } from '../../../test/_support/probe-context.js';
import { startTcpServer, unusedPort } from '../../../test/_support/tcp-server.js';
import { ProbeFailure } from '../failure.js';
import { dns } from './index.js';

const isResult = compileSchema(probeTypes.dns.Result);
const SITE = { type: 'A', name: 'site.example.com', ttl: 300, data: '93.184.216.34' } as const;

t.test('dns queries the node’s own resolver and reports every part of the response', async (t) => {
  const server = await startDnsServer(t, () => ({
    flags: AUTHORITATIVE_ANSWER | RECURSION_DESIRED | RECURSION_AVAILABLE,
    answers: [{ type: 'CNAME', name: 'www.example.com', ttl: 60, data: 'site.example.com' }, SITE],
  }));
  // its own resolver may well be a private address: the policy here allows none
  const context = aContext({ policy: aPolicy([]), resolver: aResolver([server.endpoint]) });
  const result = await dns.run(aSpec('dns', 'www.example.com'), context);
  t.match(result, {
    success: true,
    error: null,
    rcode: 'NOERROR',
    flags: ['aa', 'rd', 'ra'],
    resolver: 'system',
    transport: 'udp',
    records: [
      { name: 'www.example.com', type: 'CNAME', class: 'IN', ttl: 60, value: 'site.example.com.' },
      { name: 'site.example.com', type: 'A', class: 'IN', ttl: 300, value: '93.184.216.34' },
    ],
  });
  t.ok((result.query_ms ?? 0) > 0);
  t.ok((result.size ?? 0) > 12);
  t.ok(isResult(result).ok);
  t.equal(server.queries.length, 1);
});

t.test('dns keeps rcode and records of a response that is not a success', async (t) => {
  const cases = [
    { reply: { rcode: 'NXDOMAIN' }, code: 'dns_nxdomain' },
    { reply: { rcode: 'SERVFAIL' }, code: 'dns_servfail' },
    { reply: { rcode: 'REFUSED' }, code: 'dns_refused' },
    { reply: { rcode: 'NOTIMP' }, code: 'dns_error' },
    { reply: { rcode: 'NOERROR' }, code: 'dns_nodata' },
    {
      reply: {
        rcode: 'NOERROR',
        answers: [{ type: 'CNAME' as const, name: 'site.example.com', data: 'b.example.com' }],
      },
      code: 'dns_nodata',
    },
  ];
  for (const { reply, code } of cases) {
    const server = await startDnsServer(t, () => reply);
    const result = await dns.run(
      aSpec('dns', 'site.example.com'),
      aContext({ resolver: aResolver([server.endpoint]) }),
    );
    t.match(result, { success: false, error: { code }, rcode: reply.rcode, transport: 'udp' }, code);
    t.equal(result.records.length, 'answers' in reply ? 1 : 0);
    t.type(result.query_ms, 'number');
    t.ok(isResult(result).ok);
  }
});

t.test('dns queries the requested server, by the policy', async (t) => {
  const custom = await startDnsServer(t, zone([SITE]));
  const own = await startDnsServer(
    t,
    zone([
      { type: 'A', name: 'ns.example.com', data: '127.0.0.1' },
      { type: 'A', name: 'hidden.example.com', data: '10.0.0.53' },
    ]),
  );
  const resolver = aResolver([own.endpoint]);
  const { port } = custom.endpoint;
  const ask = (server: string, policy = aPolicy()) =>
    dns.run(aSpec('dns', 'site.example.com', { server, port }), aContext({ resolver, policy }));
  t.match(await ask('127.0.0.1'), { success: true, resolver: `127.0.0.1:${port}` });
  t.match(await ask('ns.example.com'), { success: true, resolver: `127.0.0.1:${port}` }, 'a server by name');
  for (const server of ['hidden.example.com', '10.0.0.53', 'localhost', '127.1']) {
    const refused = await ask(server);
    t.match(refused, { success: false, error: { code: 'target_not_allowed' }, resolver: null, query_ms: null }, server);
    t.ok(isResult(refused).ok);
  }
  t.match(
    await ask('127.0.0.1', aPolicy([])),
    { error: { code: 'target_not_allowed' } },
    'a custom server has no exemption',
  );
  const before = custom.queries.length;
  const otherPort = await dns.run(
    aSpec('dns', 'site.example.com', { port }),
    aContext({ resolver, policy: aPolicy([]) }),
  );
  t.match(otherPort, { error: { code: 'target_not_allowed' } }, 'nor has another port of the own resolver');
  t.equal(custom.queries.length, before);
});

t.test('dns falls back to tcp on truncation, and queries by tcp at once on request', async (t) => {
  const many = [...Array(1000).keys()].map((i) => ({ ...SITE, data: `93.184.${i >> 8}.${i & 255}` }));
  const server = await startDnsServer(t, ({ transport }) =>
    transport === 'tcp' ? { answers: many } : { flags: TRUNCATED_RESPONSE },
  );
  const context = aContext({ resolver: aResolver([server.endpoint]) });
  const fallback = await dns.run(aSpec('dns', 'site.example.com'), context);
  t.match(fallback, { success: true, transport: 'tcp', flags: [] });
  t.equal(fallback.records.length, 1000);
  t.ok(isResult(fallback).ok);
  t.strictSame(
    server.queries.map(({ transport }) => transport),
    ['udp', 'tcp'],
  );
  const direct = await dns.run(aSpec('dns', 'site.example.com', { transport: 'tcp' }), context);
  t.match(direct, { success: true, transport: 'tcp' });
  t.equal(server.queries.length, 3);
  await until('the connections are closed', () => server.openConnections === 0);
});

t.test('dns waits for the answer to its own question', async (t) => {
  const server = await startDnsServer(t, ({ id, asked: name }) => [
    dnsMessage({ id: id ^ 0xffff, questions: [{ name, type: 'A' }], answers: [{ ...SITE, data: '6.6.6.6' }] }),
    dnsMessage({ id, questions: [{ name: 'other.example.com', type: 'A' }], answers: [{ ...SITE, data: '6.6.6.6' }] }),
    Buffer.alloc(3),
    dnsMessage({ id, questions: [{ name, type: 'A' }], answers: [SITE] }),
  ]);
  const result = await dns.run(aSpec('dns', 'site.example.com'), aContext({ resolver: aResolver([server.endpoint]) }));
  t.match(result, { success: true, records: [{ value: '93.184.216.34' }] });
});

t.test('dns sends one question again and then gives up', async (t) => {
  const silent = await startDnsServer(t, () => null);
  const clock = new FakeClock();
  const before = openSockets();
  const running = dns.run(
    aSpec('dns', 'site.example.com', { timeout_ms: 4000 }),
    aContext({ clock, resolver: aResolver([silent.endpoint]) }),
  );
  await until('it is asked', () => silent.queries.length === 1);
  clock.advance(2000);
  await until('it is asked again', () => silent.queries.length === 2);
  clock.advance(2000);
  const result = await running;
  t.match(result, { success: false, error: { code: 'dns_timeout' }, rcode: null, query_ms: null, size: null });
  t.not(silent.queries[0]?.id, silent.queries[1]?.id);
  t.equal(silent.queries.length, 2);
  t.equal(clock.pendingTimers, 0);
  t.ok(isResult(result).ok);
  await until('no socket is left', () => openSockets() <= before);
});

t.test('dns times a late answer against the question it answers', async (t) => {
  const clock = new FakeClock();
  // the first question is answered, but only once the second one is there
  const firsts: number[] = [];
  const server = await startDnsServer(t, ({ id, asked: name }) => {
    firsts.push(id);
    return firsts.length < 2
      ? null
      : [dnsMessage({ id: firsts[0] ?? 0, questions: [{ name, type: 'A' }], answers: [SITE] })];
  });
  const running = dns.run(
    aSpec('dns', 'site.example.com', { timeout_ms: 4000 }),
    aContext({ clock, resolver: aResolver([server.endpoint]) }),
  );
  await until('it is asked', () => server.queries.length === 1);
  clock.advance(2000);
  t.match(await running, { success: true, query_ms: 2000 });
});

t.test('dns survives what hostile servers answer', async (t) => {
  const garbage = await startDnsServer(t, ({ id }) => [
    Buffer.concat([numberBytes(id), Buffer.from('818000010005000000000361c0', 'hex')]),
  ]);
  const resolver = aResolver([garbage.endpoint]);
  t.match(
    await dns.run(aSpec('dns', 'site.example.com'), aContext({ resolver })),
    { success: false, error: { code: 'dns_error' } },
    'garbage',
  );

  const nobody = aContext({ resolver: aResolver([{ address: '127.0.0.1', port: await unusedPort() }]) });
  t.match(await dns.run(aSpec('dns', 'site.example.com'), nobody), { error: { code: 'dns_error' } }, 'nobody listens');
  t.match(
    await dns.run(aSpec('dns', 'site.example.com', { transport: 'tcp' }), nobody),
    { error: { code: 'tcp_refused' } },
    'nor by tcp',
  );

  const cases = [
    { what: 'a server that closes', server: await startTcpServer(t, (socket) => socket.end()), code: 'dns_error' },
    {
      what: 'a server that resets',
      server: await startTcpServer(t, (socket) => socket.once('data', () => socket.resetAndDestroy())),
      code: 'tcp_reset',
    },
    {
      what: 'another message',
      server: await startTcpServer(t, (socket) => socket.end(Buffer.alloc(200))),
      code: 'dns_error',
    },
  ];
  for (const { what, server, code } of cases) {
    const context = aContext({ resolver: aResolver([{ address: '127.0.0.1', port: server.port }]) });
    const result = await dns.run(aSpec('dns', 'site.example.com', { transport: 'tcp' }), context);
    t.match(result, { success: false, error: { code } }, what);
    t.ok(isResult(result).ok);
    await until('the connection is closed', () => server.open === 0);
  }
});

t.test('dns keeps a result small, whatever the records hold', async (t) => {
  const wide = [...Array(60).keys()].map(() => ({
    type: 'TXT' as const,
    name: 'site.example.com',
    data: [Buffer.alloc(255, 0xff), Buffer.alloc(255, 0)],
  }));
  const server = await startDnsServer(t, ({ transport }) =>
    transport === 'tcp' ? { answers: wide } : { flags: TRUNCATED_RESPONSE },
  );
  const result = await dns.run(
    aSpec('dns', 'site.example.com', { record_type: 'TXT' }),
    aContext({ resolver: aResolver([server.endpoint]) }),
  );
  t.match(result, { success: true });
  t.ok(JSON.stringify(result).length < 256 * 1024);
});

t.test('dns looks an address up by its reverse name', async (t) => {
  const server = await startDnsServer(t, ({ name }) => ({
    answers: [{ type: 'PTR', name, data: 'host.example.com' }],
  }));
  const context = aContext({ resolver: aResolver([server.endpoint]) });
  const result = await dns.run(aSpec('dns', '93.184.216.34', { record_type: 'PTR' }), context);
  t.match(result, {
    success: true,
    records: [{ name: '34.216.184.93.in-addr.arpa', type: 'PTR', value: 'host.example.com.' }],
  });
});

t.test('dns ends at once when it is cancelled, over either transport', async (t) => {
  const silent = await startDnsServer(t, () => null);
  for (const transport of ['udp', 'tcp'] as const) {
    const abort = new AbortController();
    const before = openSockets();
    const seen = silent.queries.length;
    const context = aContext({ signal: abort.signal, resolver: aResolver([silent.endpoint]) });
    const running = dns.run(aSpec('dns', 'site.example.com', { transport }), context);
    await until('it is asked', () => silent.queries.length > seen);
    abort.abort(new ProbeFailure('cancelled', 'called off'));
    t.match(await running, { success: false, error: { code: 'cancelled' }, transport, resolver: 'system' });
    await until('no socket is left', () => openSockets() <= before && silent.openConnections === 0);
  }
});

function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
