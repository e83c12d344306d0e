import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import { AUTHORITATIVE_ANSWER } from 'dns-packet';
import t, { type Test } from 'tap';
import { type DnsHandler, startDnsServer, type TestDnsServer, zone } from '../../../test/_support/dns-server.js';
import { aContext, aPolicy, aResolver, aSpec } from '../../../test/_support/probe-context.js';
import { DnsEngine } from './index.js';

const isResult = compileSchema(probeTypes.dns.Result);
const NAME = 'www.example.com';
const ROOT = '127.0.0.1';

const ns = (of: string, server: string) => ({ type: 'NS', name: of, data: server }) as const;
const glue = (server: string, address: string) => ({ type: 'A', name: server, data: address }) as const;
const site: Exclude<ReturnType<DnsHandler>, null | readonly Buffer[]> = {
  flags: AUTHORITATIVE_ANSWER,
  answers: [{ type: 'A', name: NAME, ttl: 60, data: '93.184.216.34' }],
};
/** example.com is served by two hosts of its own. */
const toExample = {
  authorities: [ns('example.com', 'a.example.com'), ns('example.com', 'b.example.com')],
  additionals: [glue('a.example.com', '127.0.0.3'), glue('b.example.com', '127.0.0.4')],
};
const toCom = { authorities: [ns('com', 'ns.com')], additionals: [glue('ns.com', '127.0.0.2')] };

interface Internet {
  readonly servers: Readonly<Record<string, TestDnsServer>>;
  readonly engine: DnsEngine;
}

/** Servers on addresses of loopback that share one port. */
async function internet(t: Test, handlers: Readonly<Record<string, DnsHandler>>): Promise<Internet> {
  const servers: Record<string, TestDnsServer> = {};
  let port = 0;
  for (const [address, handle] of Object.entries(handlers)) {
    const server = await startDnsServer(t, handle, address, port);
    port = server.endpoint.port;
    servers[address] = server;
  }
  return { servers, engine: new DnsEngine({ tracePort: port }) };
}

async function trace(t: Test, { engine }: Internet, parts: Parameters<typeof aContext>[0] = {}) {
  const context = aContext({ rootServers: [{ name: 'root.example', addresses: [ROOT] }], ...parts });
  const result = await engine.run(aSpec('dns', NAME, { trace: true }), context);
  t.ok(isResult(result).ok, 'the result is of its schema');
  return result;
}

t.test('a trace walks from the root to the answer and reports every step', async (t) => {
  const net = await internet(t, { [ROOT]: () => toCom, '127.0.0.2': () => toExample, '127.0.0.3': () => site });
  const result = await trace(t, net);
  t.match(result, { success: true, rcode: 'NOERROR', records: [{ value: '93.184.216.34' }], flags: ['aa'] });
  t.match(result.resolver, /^127\.0\.0\.3:/);
  t.match(result.trace, [
    { zone: '.', server: 'root.example', outcome: 'referral', delegated_zone: 'com', delegated_servers: ['ns.com'] },
    { zone: 'com', server: 'ns.com', outcome: 'referral', delegated_servers: ['a.example.com', 'b.example.com'] },
    { zone: 'example.com', server: 'a.example.com', address: /^127\.0\.0\.3:/, rcode: 'NOERROR', outcome: 'answer' },
  ]);
  t.equal(result.trace?.length, 3);
  t.ok(Object.values(net.servers).every(({ queries }) => queries.length === 1));
});

t.test('a trace names the servers that do not help, and asks the next one', async (t) => {
  const cases = [
    { what: { rcode: 'REFUSED' }, outcome: 'lame', message: /REFUSED/ },
    { what: { rcode: 'SERVFAIL' }, outcome: 'lame', message: /SERVFAIL/ },
    { what: { answers: site.answers ?? [] }, outcome: 'lame', message: /not authoritative/ },
    { what: { authorities: [ns('.', 'root.example')] }, outcome: 'lame', message: /upward/ },
    { what: [Buffer.from('short')], outcome: 'timeout', message: /no response/ },
  ];
  for (const { what, outcome, message } of cases) {
    const clock = new FakeClock();
    const answer = () => {
      // after the reply has been read, and not taken for one
      if (outcome === 'timeout') setTimeout(() => clock.advance(1500), 200);
      return what as ReturnType<DnsHandler>;
    };
    const net = await internet(t, { [ROOT]: () => toExample, '127.0.0.3': answer, '127.0.0.4': () => site });
    const result = await trace(t, net, { clock });
    t.match(result.trace?.[1], { server: 'a.example.com', outcome, message }, outcome);
    t.match(result, { success: true, trace: [{}, {}, { server: 'b.example.com', outcome: 'answer' }] });
  }
  const unreachable = await internet(t, { [ROOT]: () => toExample, '127.0.0.4': () => site });
  t.match((await trace(t, unreachable)).trace?.[1], { server: 'a.example.com', outcome: 'unreachable' });
});

t.test('a trace in which no server helps says so, with the steps', async (t) => {
  const lame = await internet(t, { [ROOT]: () => toCom, '127.0.0.2': () => toCom });
  t.match(await trace(t, lame), {
    success: false,
    error: { code: 'dns_error', message: /no server of "com" gave a useful response \(lame\)/ },
    trace: [{ outcome: 'referral' }, { outcome: 'lame', message: /its own zone/ }],
  });
  const nothing = await internet(t, { [ROOT]: () => ({ flags: AUTHORITATIVE_ANSWER, rcode: 'NXDOMAIN' }) });
  t.match(await trace(t, nothing), {
    error: { code: 'dns_nxdomain' },
    rcode: 'NXDOMAIN',
    trace: [{ outcome: 'nxdomain' }],
  });
});

t.test('a trace asks no server that the policy refuses', async (t) => {
  const net = await internet(t, { [ROOT]: () => toExample, '127.0.0.3': () => site, '127.0.0.4': () => site });
  const result = await trace(t, net, { policy: aPolicy(['127.0.0.1/32', '127.0.0.4/32']) });
  t.match(result, { success: true, trace: [{}, { outcome: 'not_allowed', address: null }, { outcome: 'answer' }] });
  t.equal(net.servers['127.0.0.3']?.queries.length, 0);
  const root = await trace(t, net, { policy: aPolicy([]) });
  t.match(root, { error: { code: 'target_not_allowed' }, trace: [{ outcome: 'not_allowed' }] });
});

t.test('a trace reveals nothing of a network whose servers answer the node differently', async (t) => {
  const referral = {
    authorities: [ns('example.com', 'dc1.corp.local'), ns('example.com', 'a.example.com')],
    additionals: [glue('dc1.corp.local', '10.0.0.53'), glue('a.example.com', '127.0.0.3')],
  };
  const alias = { type: 'CNAME', name: NAME, data: 'db.corp.internal' } as const;
  const answers: Record<string, ReturnType<DnsHandler>> = {
    'an address': { ...site, answers: [{ type: 'A', name: NAME, data: '10.0.0.5' }] },
    'an alias': { ...site, answers: [alias] },
    'an alias to nothing': { ...site, rcode: 'NXDOMAIN', answers: [alias] },
  };
  const results = [];
  for (const [what, answer] of Object.entries(answers)) {
    const own = await startDnsServer(t, zone([{ type: 'A', name: 'dc1.corp.local', data: '10.0.0.53' }]));
    const net = await internet(t, { [ROOT]: () => referral, '127.0.0.3': () => answer });
    const result = await trace(t, net, { resolver: aResolver([own.endpoint]) });
    t.notMatch(JSON.stringify(result), /10\.0\.0|corp|private/, what);
    t.match(result.trace?.[1], { server: 'hidden', address: null, outcome: 'not_allowed' });
    results.push(result);
  }
  const [address, ...aliases] = results;
  t.match(address, {
    success: true,
    records: [{ value: 'hidden' }],
    reserved_address: true,
    resolver: /^127\.0\.0\.3:/,
  });
  for (const result of aliases)
    t.match(result, { error: { code: 'target_not_allowed' }, rcode: null, records: [], trace: [{}, {}] });
});

t.test('a trace believes no glue of names outside of the zone that gave it, and asks the resolver', async (t) => {
  const own = await startDnsServer(t, zone([{ type: 'A', name: 'ns.other.net', data: '127.0.0.4' }]));
  const outside = {
    authorities: [ns('example.com', 'ns.other.net')],
    additionals: [glue('ns.other.net', '127.0.0.3')],
  };
  const net = await internet(t, {
    [ROOT]: () => toCom,
    '127.0.0.2': () => outside,
    '127.0.0.3': () => site,
    '127.0.0.4': () => site,
  });
  const result = await trace(t, net, { resolver: aResolver([own.endpoint]) });
  t.match(result, { success: true, trace: [{}, {}, { server: 'ns.other.net', address: /^127\.0\.0\.4:/ }] });
  t.equal(net.servers['127.0.0.3']?.queries.length, 0);
});

t.test('a trace asks six servers of a zone, at two addresses each', async (t) => {
  const addresses = ['127.0.0.3', '127.0.0.4', '127.0.0.5'];
  const own = await startDnsServer(t, ({ name }) => ({
    answers: addresses.map((data) => ({ type: 'A', name, data })),
  }));
  const many = [...Array(13).keys()].map((i) => ns('com', `n${i}.elsewhere.net`));
  const refusing = Object.fromEntries(addresses.map((address) => [address, () => ({ rcode: 'REFUSED' as const })]));
  const net = await internet(t, { [ROOT]: () => ({ authorities: many }), ...refusing });
  const result = await trace(t, net, { resolver: aResolver([own.endpoint]) });
  t.match(result, { success: false, error: { code: 'dns_error' } });
  t.equal(
    Object.values(net.servers).reduce((sum, { queries }) => sum + queries.length, 0),
    1 + 6 * 2,
  );
});

t.test('a trace sends at most 32 queries, whatever the zones contain', async (t) => {
  // every label is a zone of its own, and each has five servers that refuse before one that helps
  const helpers: Record<string, string> = { c: '127.0.0.4', e: '127.0.0.5', w: '127.0.0.6' };
  const own = await startDnsServer(t, ({ name }) => ({
    answers: [{ type: 'A', name, data: (name[1] === '5' && helpers[name[0] ?? '']) || '127.0.0.3' }],
  }));
  const six = (of: string, letter: string) => ({
    authorities: [...Array(6).keys()].map((i) => ns(of, `${letter}${i}.elsewhere.net`)),
  });
  const net = await internet(t, {
    [ROOT]: () => six('com', 'c'),
    '127.0.0.3': () => ({ rcode: 'REFUSED' }),
    '127.0.0.4': () => six('example.com', 'e'),
    '127.0.0.5': () => six(NAME, 'w'),
    '127.0.0.6': () => site,
  });
  const result = await trace(t, net, { resolver: aResolver([own.endpoint]) });
  t.match(result, { success: false, error: { code: 'dns_error' } });
  const asked = [...Object.values(net.servers), own].reduce((sum, { queries }) => sum + queries.length, 0);
  t.equal(asked, 32);
});
