import { monitorTypes } from '@vantage/shared/monitor-types/index.js';
import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import type { Answer } from 'dns-packet';
import t from 'tap';
import { type DnsHandler, optRecord, startDnsServer, zone } from '../../../test/_support/dns-server.js';
import { aContext, aPolicy, aResolver, aSpec } from '../../../test/_support/probe-context.js';
import { unusedPort } from '../../../test/_support/tcp-server.js';
import { http } from '../http/index.js';
import { ping } from '../ping/index.js';
import { tcp } from '../tcp/index.js';
import { dns } from './index.js';

type Params = Parameters<typeof aSpec<'dns'>>[2];
const isResult = compileSchema(probeTypes.dns.Result);
const NAME = 'db.example.com';

/** HTTPS record data: priority 1, target, then service parameters. */
function httpsData(target: Buffer, ...params: readonly [number, Buffer][]): Buffer {
  const parts = params.flatMap(([key, value]) => {
    const head = Buffer.alloc(4);
    head.writeUInt16BE(key);
    head.writeUInt16BE(value.length, 2);
    return [head, value];
  });
  return Buffer.concat([Buffer.of(0, 1), target, ...parts]);
}

const ROOT = Buffer.of(0);
const PRIVATE_HINTS = httpsData(
  ROOT,
  [1, Buffer.from('\u0002h2')],
  [4, Buffer.of(93, 184, 216, 34, 10, 0, 0, 5)],
  [6, Buffer.from('fd000000000000000000000000000005', 'hex')],
);

/** Answers of a resolver in a private network, and how another user sees them. */
const answers: readonly { readonly record: Answer; readonly asked?: 'HTTPS' | 'ANY'; readonly shown: string }[] = [
  { record: { type: 'A', name: NAME, data: '10.0.0.5' }, shown: 'hidden' },
  { record: { type: 'A', name: NAME, data: '93.184.216.34' }, shown: '93.184.216.34' },
  { record: { type: 'A', name: NAME, data: '127.0.0.1' }, shown: 'hidden' },
  { record: { type: 'AAAA', name: NAME, data: 'fd00::5' }, shown: 'hidden' },
  { record: { type: 'AAAA', name: NAME, data: '::ffff:10.0.0.5' }, shown: 'hidden' },
  { record: { type: 'AAAA', name: NAME, data: '2600::1' }, shown: '2600::1' },
  { record: { type: 'MX', name: NAME, data: { preference: 10, exchange: 'mail.corp.internal' } }, shown: 'hidden' },
  {
    record: { type: 'MX', name: NAME, data: { preference: 10, exchange: 'mx.example.com' } },
    shown: '10 mx.example.com.',
  },
  { record: { type: 'MX', name: NAME, data: { preference: 0, exchange: '.' } }, shown: '0 .' },
  { record: { type: 'MX', name: NAME, data: { preference: 5, exchange: '10.0.0.5' } }, shown: 'hidden' },
  { record: { type: 'NS', name: NAME, data: 'dc1' }, shown: 'hidden' },
  { record: { type: 'NS', name: NAME, data: 'DC1.Corp.LOCAL' }, shown: 'hidden' },
  { record: { type: 'SRV', name: NAME, data: { port: 389, target: 'dc1.corp.lan' } }, shown: 'hidden' },
  { record: { type: 'PTR', name: NAME, data: 'nas.home.arpa' }, shown: 'hidden' },
  { record: { type: 'PTR', name: NAME, data: '5.0.0.10.in-addr.arpa' }, shown: 'hidden' },
  { record: { type: 'SOA', name: NAME, data: { mname: 'dc1.corp.local', rname: 'root.corp.local' } }, shown: 'hidden' },
  { record: { type: 'TXT', name: NAME, data: ['v=spf1 ip4:10.0.0.5 -all'] }, shown: '"v=spf1 ip4:10.0.0.5 -all"' },
  {
    record: { type: 'UNKNOWN_65', name: NAME, data: PRIVATE_HINTS } as never,
    asked: 'HTTPS',
    shown: '1 . alpn="h2" ipv4hint=hidden ipv6hint=hidden',
  },
  {
    record: { type: 'UNKNOWN_65280', name: NAME, data: Buffer.from('dc1.corp') } as never,
    asked: 'ANY',
    shown: 'hidden',
  },
];

function ask(
  server: { readonly address: string; readonly port: number },
  params: Params,
  allow: readonly string[] = [],
) {
  return dns.run(aSpec('dns', NAME, params), aContext({ policy: aPolicy(allow), resolver: aResolver([server]) }));
}

t.test('addresses and names of a private network are hidden in what the node’s own resolver answers', async (t) => {
  for (const { record, asked = record.type, shown } of answers) {
    const server = await startDnsServer(t, () => ({ answers: [record] }));
    const result = await ask(server.endpoint, { record_type: asked as 'A' });
    t.ok(isResult(result).ok);
    t.match(result, { success: true, rcode: 'NOERROR', resolver: 'system' }, `${record.type} ${shown}`);
    t.strictSame(
      result.records.map(({ value }) => value),
      [shown],
      record.type,
    );
    t.equal(result.size === null, shown.includes('hidden'), 'its size would tell how long it is');
    if (record.type !== 'TXT') t.notMatch(JSON.stringify(result), /10\.0\.0\.5|127\.0\.0\.1|fd00|corp|home\.arpa|dc1/i);
  }
});

t.test('what the operator opens is shown, and no more', async (t) => {
  const server = await startDnsServer(
    t,
    zone([
      { type: 'A', name: NAME, data: '10.0.0.5' },
      { type: 'A', name: NAME, data: '192.168.0.5' },
      { type: 'MX', name: NAME, data: { preference: 10, exchange: 'mail.corp.internal' } },
      { type: 'NS', name: NAME, data: '5.0.0.10.in-addr.arpa' },
      { type: 'NS', name: NAME, data: '5.0.168.192.in-addr.arpa' },
    ]),
  );
  const values = async (record_type: 'A' | 'MX' | 'NS', allow: readonly string[]) =>
    (await ask(server.endpoint, { record_type }, allow)).records.map(({ value }) => value);
  t.strictSame(await values('A', ['10.0.0.0/8']), ['10.0.0.5', 'hidden']);
  t.strictSame(await values('NS', ['10.0.0.0/8']), ['5.0.0.10.in-addr.arpa.', 'hidden']);
  t.strictSame(await values('MX', ['10.0.0.0/8']), ['10 mail.corp.internal.'], 'names of an open private network');
  t.strictSame(await values('MX', ['127.0.0.0/8', '1.1.1.1']), ['hidden'], 'loopback is no network, nor is the world');
});

t.test(
  'an alias of the node’s own resolver into a private network does not even reveal whether it exists',
  async (t) => {
    const targets = [
      'db.corp.internal',
      'router',
      '_dns.resolver.arpa',
      'id.server',
      '5.0.0.10.in-addr.arpa',
      '5.0-26.0.0.10.in-addr.arpa',
      'd.f.ip6.arpa',
    ];
    for (const data of targets) {
      const alias = { type: 'CNAME', name: NAME, ttl: 60, data } as const;
      const found = await startDnsServer(t, () => ({
        answers: [alias, { type: 'PTR', name: data, data: 'nas.example.com' }],
      }));
      const missing = await startDnsServer(t, () => ({ rcode: 'NXDOMAIN', answers: [alias] }));
      for (const record_type of ['PTR', 'CNAME', 'TXT', 'ANY'] as const) {
        const results = [await ask(found.endpoint, { record_type }), await ask(missing.endpoint, { record_type })];
        for (const result of results) {
          t.match(result, {
            success: false,
            error: { code: 'target_not_allowed' },
            rcode: null,
            records: [],
            flags: [],
            size: null,
          });
          t.notMatch(JSON.stringify(result), /nas\.example|corp|router|arpa|id\.server/);
        }
      }
      const named = await dns.run(
        aSpec('dns', NAME, { record_type: 'PTR', server: '127.0.0.1', port: found.endpoint.port }),
        aContext({ resolver: aResolver([missing.endpoint]) }),
      );
      t.match(
        named,
        { success: true, records: [{ value: `${data}.` }, {}] },
        'anybody may ask the server that was named',
      );
    }
  },
);

t.test('the node’s own resolver is not revealed, whatever the result of the query', async (t) => {
  const reported = [
    { code: 3, data: Buffer.from('ns1.corp.internal') },
    {
      code: 15,
      data: Buffer.concat([Buffer.of(0, 23), Buffer.from('10.0.0.53:53 rcode=REFUSED for db.corp.internal')]),
    },
  ];
  const handlers: Record<string, DnsHandler> = {
    answers: () => ({
      answers: [{ type: 'A', name: NAME, data: '93.184.216.34' }],
      additionals: [optRecord(reported)],
    }),
    fails: () => ({ rcode: 'SERVFAIL', additionals: [optRecord(reported)] }),
    'has none': () => ({ additionals: [optRecord(reported)] }),
    'is silent': () => null,
  };
  for (const [what, handler] of Object.entries(handlers)) {
    const server = await startDnsServer(t, handler, '127.0.0.9');
    for (const transport of ['udp', 'tcp'] as const) {
      const timeout = what === 'is silent' ? { timeout_ms: 200 } : {};
      const result = await ask(server.endpoint, { transport, ...timeout });
      t.equal(result.resolver, 'system', what);
      t.notMatch(JSON.stringify(result), /127\.0\.0\.9|10\.0\.0\.53|corp/, what);
      t.equal(result.nsid, undefined);
      t.ok(isResult(result).ok);
    }
  }
  const nobody = { address: '127.0.0.9', port: await unusedPort() };
  for (const params of [{}, { transport: 'tcp' }, { transport: 'dot' }, { transport: 'doh' }, { port: 853 }] as const) {
    const result = await ask(nobody, params);
    t.match(result, { success: false, error: { message: /own resolver/ } }, JSON.stringify(params));
    t.notMatch(JSON.stringify(result), /127\.0\.0\.9/);
  }
  const opened = await ask(nobody, { transport: 'dot', port: 853 }, ['127.0.0.9']);
  t.match(opened, { success: false, error: { code: 'tcp_refused' } });
  t.notMatch(JSON.stringify(opened), /127\.0\.0\.9/);
});

t.test('a server that the caller names is shown, with its whole response', async (t) => {
  const server = await startDnsServer(t, () => ({
    answers: [{ type: 'A', name: NAME, data: '10.0.0.5' }],
    additionals: [optRecord([{ code: 3, data: Buffer.from('fra-3') }])],
  }));
  const result = await dns.run(
    aSpec('dns', NAME, { server: '127.0.0.1', port: server.endpoint.port }),
    aContext({ resolver: aResolver([{ address: '127.0.0.9', port: 1 }]) }),
  );
  t.match(result, { resolver: `127.0.0.1:${server.endpoint.port}`, nsid: 'fra-3', records: [{ value: '10.0.0.5' }] });
  t.type(result.size, 'number');
});

t.test('a probe whose name leads into a private network reports this without the address', async (t) => {
  const server = await startDnsServer(
    t,
    zone([
      { type: 'A', name: 'a.example.com', data: '10.0.0.5' },
      { type: 'CNAME', name: 'b.example.com', data: 'db.corp.internal' },
      { type: 'CNAME', name: 'c.example.com', data: 'silent.example.com' },
    ]),
    '127.0.0.9',
  );
  const context = aContext({ policy: aPolicy([]), resolver: aResolver([server.endpoint]) });
  for (const name of ['a.example.com', 'b.example.com', 'c.example.com']) {
    const results = [
      await http.run(aSpec('http', `http://${name}/`), context),
      await tcp.run(aSpec('tcp', `${name}:80`), context),
      await ping.run(aSpec('ping', name, { protocol: 'tcp', port: 80 }), context),
    ];
    for (const { error } of results) {
      t.match(error?.message, new RegExp(`"${name}"`));
      if (name !== 'c.example.com') t.equal(error?.code, 'target_not_allowed');
      t.notMatch(error?.message, /10\.0\.0|corp|private|1918|127\.0\.0\.9|silent/);
    }
  }
});

t.test('an unreachable resolver is not revealed by the probes that needed it', async (t) => {
  const context = aContext({ resolver: aResolver([{ address: '127.0.0.9', port: await unusedPort() }]) });
  const { error } = await tcp.run(aSpec('tcp', `${NAME}:80`), context);
  t.equal(error?.code, 'dns_error');
  t.match(error?.message, /own resolver/);
  t.notMatch(error?.message, /127\.0\.0\.9/);
});

t.test('a dns monitor of a private node sees what its operator opened, any other monitor does not', async (t) => {
  const { Config, toSpec, judge, details } = monitorTypes.dns;
  const server = await startDnsServer(t, zone([{ type: 'A', name: NAME, data: '10.0.0.5' }]));
  const check = async (expected: readonly string[], allow: readonly string[]) => {
    const checked = compileSchema(Config)({ expected });
    if (!checked.ok) throw new Error(JSON.stringify(checked.details));
    const context = aContext({ policy: aPolicy(allow), resolver: aResolver([server.endpoint]) });
    const result = await dns.run(toSpec(NAME, checked.value), context);
    return { judgment: judge(result, checked.value), details: details(result) };
  };
  const own = await check(['10.0.0.5'], ['10.0.0.0/8']);
  t.match(own, { judgment: { outcome: 'ok' }, details: { records: [{ value: '10.0.0.5' }], resolver: 'system' } });
  const other = await check(['10.0.0.5'], []);
  t.match(other, { judgment: { outcome: 'failed' }, details: { records: [{ value: 'hidden' }] } });
  const guessed = await check(['10.0.0.6'], []);
  t.equal(
    JSON.stringify(other.judgment.error).replaceAll('10.0.0.5', ''),
    JSON.stringify(guessed.judgment.error).replaceAll('10.0.0.6', ''),
    'a right guess reads as a wrong one',
  );
  t.match((await check([], [])).judgment, { outcome: 'ok' }, 'that there is a record is shown');
});
