import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { measurements } from '@vantage/shared/probe-types/index.js';
import { lookedUpRecordTypes } from '@vantage/shared/probe-types/records.js';
import { compileSchema } from '@vantage/shared/validation.js';
import type { Answer } from 'dns-packet';
import t, { type Test } from 'tap';
import { type DnsHandler, startDnsServer } from '../../../test/_support/dns-server.js';
import { aContext, aPolicy, aResolver, aSpec } from '../../../test/_support/probe-context.js';
import { ProbeFailure } from '../failure.js';
import { RecordsEngine } from './index.js';

const isResult = compileSchema(measurements.records.Result);
const AD = 0x20;

type Parts = Parameters<typeof aContext>[0] & { readonly params?: object };

async function look(t: Test, handle: DnsHandler, target = 'example.com', { params = {}, ...parts }: Parts = {}) {
  const server = await startDnsServer(t, handle);
  const context = aContext({ resolver: aResolver([server.endpoint]), policy: aPolicy([]), ...parts });
  const result = await new RecordsEngine().run(aSpec('records', target, params), context);
  const checked = isResult(structuredClone(result));
  if (!checked.ok) throw new Error(JSON.stringify(checked.details));
  return { result, server };
}

const soa = (more: object = {}) =>
  ({
    type: 'SOA',
    name: 'example.com',
    ttl: 900,
    data: {
      mname: 'ns1.example.com',
      rname: 'x.example.com',
      serial: 7,
      refresh: 7200,
      retry: 900,
      expire: 1209600,
      minimum: 120,
      ...more,
    },
  }) as Answer;

const records: Answer[] = [
  { type: 'A', name: 'example.com', ttl: 60, data: '203.0.114.20' },
  { type: 'A', name: 'example.com', ttl: 60, data: '203.0.114.10' },
  { type: 'AAAA', name: 'example.com', ttl: 61, data: '2a01:4f8::9' },
  { type: 'MX', name: 'example.com', ttl: 62, data: { preference: 10, exchange: 'mx.example.com' } },
  { type: 'NS', name: 'example.com', ttl: 63, data: 'ns1.example.com' },
  soa(),
  { type: 'TXT', name: 'example.com', ttl: 64, data: 'v=spf1 -all' },
  { type: 'CAA', name: 'example.com', ttl: 65, data: { flags: 0, tag: 'issue', value: 'ca.example' } } as Answer,
  {
    type: 'DS',
    name: 'example.com',
    ttl: 66,
    data: { keyTag: 1, algorithm: 13, digestType: 2, digest: Buffer.alloc(32) },
  } as Answer,
];

const answering =
  (list: readonly Answer[], flags = 0): DnsHandler =>
  ({ type }) => {
    const answers = list.filter((record) => record.type === type);
    return answers.length > 0 ? { answers: [...answers], flags } : { authorities: [soa()], flags };
  };

t.test('all types are queried at once, and their records come by type and value', async (t) => {
  const seen: string[] = [];
  const { result, server } = await look(t, (query) => {
    // the library knows HTTPS by its number alone
    seen.push(query.type.replace('UNKNOWN_65', 'HTTPS'));
    return answering(records, AD)(query);
  });
  t.match(result, {
    success: true,
    domain: 'example.com',
    rcode: 'NOERROR',
    authenticated_data: true,
    negative_ttl_s: 120,
    errors: [],
  });
  t.strictSame(
    result.records.map(({ type, value, ttl }) => [type, value, ttl]),
    [
      ['A', '203.0.114.10', 60],
      ['A', '203.0.114.20', 60],
      ['AAAA', '2a01:4f8::9', 61],
      ['MX', '10 mx.example.com.', 62],
      ['NS', 'ns1.example.com.', 63],
      ['SOA', 'ns1.example.com. x.example.com. 7 7200 900 1209600 120', 900],
      ['TXT', '"v=spf1 -all"', 64],
      ['CAA', '0 issue "ca.example"', 65],
      ['DS', `1 13 2 ${'00'.repeat(32)}`.toUpperCase(), 66],
    ],
  );
  t.strictSame(seen.toSorted(), [...lookedUpRecordTypes].toSorted(), 'each type once, and never ANY');
  t.equal(server.queries.length, lookedUpRecordTypes.length);
});

t.test('no query waits for the response to another', async (t) => {
  const waiting = new Set<string>();
  const clock = new FakeClock();
  const server = await startDnsServer(t, ({ type }) => {
    waiting.add(type);
    return null;
  });
  const abort = new AbortController();
  const context = aContext({
    resolver: aResolver([server.endpoint]),
    policy: aPolicy([]),
    clock,
    signal: abort.signal,
  });
  const running = new RecordsEngine().run(aSpec('records', 'example.com'), context);
  await until('every type has been asked', () => waiting.size === lookedUpRecordTypes.length);
  abort.abort(new ProbeFailure('cancelled', 'the end'));
  t.match(await running, { success: false, error: { code: 'cancelled' } });
  t.equal(clock.pendingTimers, 0);
});

t.test('one type alone is queried where it is named', async (t) => {
  const { result, server } = await look(t, answering(records), 'example.com', { params: { type: 'MX' } });
  t.strictSame(
    result.records.map(({ type }) => type),
    ['MX'],
  );
  t.equal(server.queries.length, 1);
  t.equal(result.authenticated_data, false);
});

t.test('a name that does not exist is a result, with the time for which that is true', async (t) => {
  const { result } = await look(t, () => ({ rcode: 'NXDOMAIN', authorities: [soa({ minimum: 86_400 })] }));
  t.match(result, { success: true, error: null, rcode: 'NXDOMAIN', records: [], negative_ttl_s: 900, errors: [] });
  const mixed = await look(t, ({ type }) => ({ rcode: type === 'A' ? 'NXDOMAIN' : 'NOERROR' }));
  t.equal(mixed.result.rcode, 'NXDOMAIN', 'although some servers deny it for other types');
  const bare = await look(t, () => ({ rcode: 'NXDOMAIN' }));
  t.match(bare.result, { success: true, rcode: 'NXDOMAIN', negative_ttl_s: null });
});

t.test('an alias is listed once, with the records at its end', async (t) => {
  const { result } = await look(
    t,
    ({ type }) => ({
      answers: [
        { type: 'CNAME', name: 'www.example.com', ttl: 30, data: 'host.example.net' },
        ...(type === 'A' ? [{ type: 'A', name: 'host.example.net', ttl: 40, data: '203.0.114.10' } as Answer] : []),
      ],
    }),
    'WWW.Example.com',
  );
  t.strictSame(result.records, [
    { name: 'host.example.net', type: 'A', value: '203.0.114.10', ttl: 40 },
    { name: 'www.example.com', type: 'CNAME', value: 'host.example.net.', ttl: 30 },
  ]);
  t.equal(result.authenticated_data, false);
});

t.test('a type without a response is an error of its own, and the lookup fails only without any', async (t) => {
  const { result } = await look(t, (query) => {
    if (query.type === 'CAA') return { rcode: 'SERVFAIL' };
    return query.type === 'DS' ? { rcode: 'REFUSED' } : answering(records, AD)(query);
  });
  t.match(result, { success: true, rcode: 'NOERROR', authenticated_data: true });
  t.strictSame(result.errors, [
    { type: 'CAA', code: 'dns_servfail' },
    { type: 'DS', code: 'dns_refused' },
  ]);
  const none = await look(t, () => ({ rcode: 'SERVFAIL' }));
  t.match(none.result, { success: false, error: { code: 'dns_servfail' }, rcode: null, authenticated_data: null });
  t.equal(none.result.errors.length, lookedUpRecordTypes.length);
  t.ok(none.server.queries.length <= 32, 'within one budget');
});

t.test('addresses and names of the private network of a node are hidden', async (t) => {
  const list: Answer[] = [
    { type: 'A', name: 'example.com', ttl: 60, data: '10.1.2.3' },
    { type: 'MX', name: 'example.com', ttl: 60, data: { preference: 10, exchange: 'mail.corp.internal' } },
    { type: 'TXT', name: 'example.com', ttl: 60, data: '10.1.2.3' },
  ];
  const { result } = await look(t, answering(list));
  t.strictSame(
    result.records.map(({ type, value }) => [type, value]),
    [
      ['A', 'hidden'],
      ['MX', 'hidden'],
      ['TXT', '"10.1.2.3"'],
    ],
  );
  const alias = await look(t, () => ({
    rcode: 'NXDOMAIN',
    answers: [{ type: 'CNAME', name: 'example.com', ttl: 1, data: 'secret.corp.internal' }],
  }));
  t.match(alias.result, { success: false, error: { code: 'target_not_allowed' }, rcode: null, records: [] });
  t.notMatch(JSON.stringify(alias.result), /secret/);
});

t.test('a name that the policy refuses is not queried', async (t) => {
  for (const target of ['localhost', 'x.internal', '5.0.0.10.in-addr.arpa', '203.0.114.9']) {
    const { result, server } = await look(t, answering(records), target);
    t.match(result, { success: false, error: { code: 'target_not_allowed' } }, target);
    t.equal(server.queries.length, 0, target);
  }
});

t.test('a flood of records is cut', async (t) => {
  const many = Array.from({ length: 700 }, (_, i) => ({
    type: 'A',
    name: 'example.com',
    ttl: 1,
    data: `45.0.${i % 200}.${i % 251}`,
  }));
  const six = Array.from({ length: 700 }, (_, i) => ({
    type: 'AAAA',
    name: 'example.com',
    ttl: 1,
    data: `2a01::${i}`,
  }));
  const list = [...many, ...six] as Answer[];
  const { result } = await look(t, (query) => {
    const reply = answering(list)(query);
    return query.transport === 'udp' && (query.type === 'A' || query.type === 'AAAA') ? { flags: 0x200 } : reply;
  });
  t.equal(result.success, true);
  t.equal(result.records.length, 1000);
});
