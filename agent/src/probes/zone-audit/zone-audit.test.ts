import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { measurements, type ProbeResults } from '@vantage/shared/probe-types/index.js';
import { type ZoneFindingCode, zoneFindingCodes } from '@vantage/shared/probe-types/zone-audit.js';
import { compileSchema } from '@vantage/shared/validation.js';
import { type Answer, AUTHORITATIVE_ANSWER } from 'dns-packet';
import t, { type Test } from 'tap';
import { type DnsHandler, startDnsServer } from '../../../test/_support/dns-server.js';
import { aContext, aPolicy, aResolver, aSpec } from '../../../test/_support/probe-context.js';
import { ProbeFailure } from '../failure.js';
import { ZoneAuditEngine } from './index.js';

const isResult = compileSchema(measurements.zone_audit.Result);
const ZONE = 'example.com';
const AD = 0x20;
const CD = 0x10;

const ns = (server: string, of = ZONE) => ({ type: 'NS', name: of, ttl: 60, data: server }) as Answer;
const a = (name: string, data: string) => ({ type: 'A', name, ttl: 60, data }) as Answer;
const txt = (name: string, data: string) => ({ type: 'TXT', name, ttl: 60, data }) as Answer;
const mx = (exchange: string) => ({ type: 'MX', name: ZONE, ttl: 60, data: { preference: 10, exchange } }) as Answer;
const cname = (name: string, data: string) => ({ type: 'CNAME', name, ttl: 60, data }) as Answer;
const goodTimers = { serial: 7, refresh: 7200, retry: 900, expire: 1_209_600, minimum: 3600 };
const soa = (numbers: object = {}) =>
  ({
    type: 'SOA',
    name: ZONE,
    ttl: 60,
    data: { mname: 'a.example.com', rname: 'x.example.com', ...goodTimers, ...numbers },
  }) as Answer;
// RFC 4034 section 5.4
const key = {
  type: 'DNSKEY',
  name: ZONE,
  ttl: 60,
  data: {
    flags: 256,
    algorithm: 5,
    key: Buffer.from(
      'AQOeiiR0GOMYkDshWoSKz9XzfwJr1AYtsmx3TGkJaNXVbfi/2pHm822aJ5iI9BMzNXxeYCmZDRD99WYwYqUSdjMmmAphXdvxegXd/M5+X7OrzKBaMbCVdFLUUh6DhweJBjEVv5f2wwjM9XzcnOf+EPbtG9DMBmADjFDc2w/rljwvFw==',
      'base64',
    ),
  },
} as Answer;
const ds = (keyTag: number) =>
  ({
    type: 'DS',
    name: ZONE,
    ttl: 60,
    data: { keyTag, algorithm: 5, digestType: 2, digest: Buffer.alloc(32) },
  }) as Answer;

type Reply = ReturnType<DnsHandler>;

/** An internet in which nothing is wrong with the zone, and what a test breaks in it. */
interface Internet {
  /** Referral by the servers of the zone above. */
  delegation: { authorities: Answer[]; additionals: Answer[] };
  /** Handlers of name servers by address. */
  servers: Record<string, DnsHandler>;
  /** Records that the resolver has. */
  resolved: Answer[];
  /** Responses of the resolver in place of its records. */
  override: (query: Parameters<DnsHandler>[0]) => Reply | undefined;
  flags: number;
}

const A = '127.0.3.1';
const B = '127.0.4.1';
const served = [soa(), ns('a.example.com'), ns('b.example.com'), a(ZONE, '203.0.114.1'), key];

/** An authoritative server: records of the type, and aliases. */
const serving =
  (records: readonly Answer[]): DnsHandler =>
  ({ type, name }) => ({
    flags: AUTHORITATIVE_ANSWER,
    answers: records.filter((one) => one.name === name && (one.type === type || one.type === 'CNAME')),
  });

function goodInternet(): Internet {
  return {
    delegation: {
      authorities: [ns('a.example.com'), ns('b.example.com')],
      additionals: [a('a.example.com', A), a('b.example.com', B)],
    },
    servers: { [A]: serving(served), [B]: serving(served) },
    resolved: [
      soa(),
      ds(60_485),
      txt(ZONE, 'v=spf1 mx -all'),
      txt(ZONE, 'another text'),
      txt(`_dmarc.${ZONE}`, 'v=DMARC1; p=reject'),
      { type: 'CAA', name: ZONE, ttl: 60, data: { flags: 0, tag: 'issue', value: 'ca.example' } } as Answer,
      mx('mail.example.com'),
      a('mail.example.com', '203.0.114.2'),
    ],
    override: () => undefined,
    flags: AD,
  };
}

async function start(t: Test, internet: Internet) {
  const resolver = await startDnsServer(t, (query) => {
    const reply = internet.override(query);
    if (reply !== undefined) return reply;
    const ofName = internet.resolved.filter(({ name }) => name === query.name);
    if (ofName.length === 0) return { rcode: 'NXDOMAIN', flags: internet.flags };
    return { flags: internet.flags, answers: ofName.filter(({ type }) => type === query.type || type === 'CNAME') };
  });
  const root = await startDnsServer(t, () => ({
    authorities: [ns('ns.com', 'com')],
    additionals: [a('ns.com', '127.0.0.2')],
  }));
  const { port } = root.endpoint;
  const parent = await startDnsServer(t, () => internet.delegation, '127.0.0.2', port);
  const servers: Record<string, Awaited<ReturnType<typeof startDnsServer>>> = {};
  for (const [address, handle] of Object.entries(internet.servers))
    servers[address] = await startDnsServer(t, handle, address, port);
  const parts = {
    resolver: aResolver([resolver.endpoint]),
    rootServers: [{ name: 'root.example', addresses: ['127.0.0.1'] }],
  };
  return { engine: new ZoneAuditEngine(port), parts, resolver, root, parent, servers };
}

async function audit(
  t: Test,
  change: (internet: Internet) => void = () => {},
  { target = `www.${ZONE}`, ...more }: Parameters<typeof aContext>[0] & { target?: string } = {},
): Promise<ProbeResults['zone_audit']> {
  const internet = goodInternet();
  change(internet);
  const { engine, parts, resolver, root, parent, servers } = await start(t, internet);
  const result = await engine.run(aSpec('zone_audit', target), aContext({ ...parts, ...more }));
  const checked = isResult(structuredClone(result));
  if (!checked.ok) throw new Error(JSON.stringify(checked.details));
  const seen = [resolver, root, parent, ...Object.values(servers)].reduce(
    (sum, { queries }) => sum + queries.length,
    0,
  );
  t.ok(seen <= 32, `${seen} queries`);
  // one to an address at which nothing listens is seen by no server
  t.ok(result.queries >= seen && result.queries <= 32, `${result.queries} queries`);
  return result;
}

t.test('a zone without a fault has no finding, and every code is judged', async (t) => {
  const result = await audit(t);
  t.strictSame(result.findings, []);
  t.strictSame(result.unjudged, []);
  t.match(result, {
    success: true,
    error: null,
    domain: ZONE,
    parent_name_servers: ['a.example.com', 'b.example.com'],
    name_servers: ['a.example.com', 'b.example.com'],
    servers: [
      { name: 'a.example.com', address: A, outcome: 'answer', serial: 7 },
      { name: 'b.example.com', address: B, outcome: 'answer', serial: 7 },
    ],
    soa: goodTimers,
    signed: true,
  });
});

/** A broken zone for each code: the change that breaks it, and the facts of the finding. */
const broken: Record<ZoneFindingCode, [change: (internet: Internet) => void, facts: object]> = {
  single_ns: [
    (net) => {
      net.delegation = { authorities: [ns('a.example.com')], additionals: [a('a.example.com', A)] };
      net.servers = { [A]: serving(served.filter((one) => !(one.type === 'NS' && one.data === 'b.example.com'))) };
    },
    { name_servers: ['a.example.com'] },
  ],
  ns_one_network: [
    (net) => {
      net.delegation.additionals = [a('a.example.com', A), a('b.example.com', '127.0.3.2')];
      net.servers = { [A]: serving(served), '127.0.3.2': serving(served) };
    },
    { addresses: [A, '127.0.3.2'] },
  ],
  ns_lame: [
    (net) => {
      net.servers[B] = () => ({ rcode: 'REFUSED' });
    },
    { servers: ['b.example.com'], reasons: ['REFUSED'] },
  ],
  ns_unreachable: [
    (net) => {
      net.delegation.additionals = [a('a.example.com', A), a('b.example.com', '127.0.9.9')];
    },
    { servers: ['b.example.com'], reasons: ['unreachable'] },
  ],
  parent_child_differ: [
    (net) => {
      net.servers[A] = serving([...served, ns('c.example.com')]);
    },
    { parent: ['a.example.com', 'b.example.com'], child: ['a.example.com', 'b.example.com', 'c.example.com'] },
  ],
  glue_missing: [
    (net) => {
      net.delegation.additionals = [a('a.example.com', A)];
      net.resolved.push(a('b.example.com', B));
    },
    { servers: ['b.example.com'] },
  ],
  serials_differ: [
    (net) => {
      net.servers[B] = serving([soa({ serial: 6 }), ...served.slice(1)]);
    },
    { servers: ['a.example.com', 'b.example.com'], serials: [7, 6] },
  ],
  soa_timers: [
    (net) => {
      const timers = soa({ refresh: 600, retry: 600, expire: 1000, minimum: 100_000 });
      net.servers = { [A]: serving([timers, ...served.slice(1)]), [B]: serving([timers, ...served.slice(1)]) };
    },
    {
      rules: [
        'refresh_below_20_minutes',
        'retry_not_below_refresh',
        'expire_below_week',
        'expire_not_above_refresh_and_retry',
        'minimum_above_day',
      ],
      refresh: 600,
      retry: 600,
      expire: 1000,
      minimum: 100_000,
    },
  ],
  cname_at_apex: [
    (net) => {
      const server = serving(served);
      net.servers[A] = (query) =>
        query.type === 'A' ? { flags: AUTHORITATIVE_ANSWER, answers: [cname(ZONE, 'x.example.net')] } : server(query);
    },
    { name: ZONE },
  ],
  mx_is_cname: [
    (net) => {
      net.resolved = net.resolved.filter(({ name }) => name !== 'mail.example.com');
      const answers = [cname('mail.example.com', 'host.example.net'), a('host.example.net', '203.0.114.3')];
      net.override = ({ name, type }) => (name === 'mail.example.com' && type === 'A' ? { answers } : undefined);
    },
    { servers: ['mail.example.com'] },
  ],
  mx_missing_address: [
    (net) => {
      net.resolved = net.resolved.filter(({ name }) => name !== 'mail.example.com');
    },
    { servers: ['mail.example.com'] },
  ],
  dnssec_bogus: [
    (net) => {
      net.override = ({ type, flags, name }) => {
        if (type !== 'SOA' || name !== ZONE) return undefined;
        return (flags & CD) === 0 ? { rcode: 'SERVFAIL' } : { answers: [soa()] };
      };
    },
    { rcode: 'SERVFAIL', rcode_without_validation: 'NOERROR' },
  ],
  ds_without_dnskey: [
    (net) => {
      net.resolved = [...net.resolved.filter(({ type }) => type !== 'DS'), ds(4711)];
    },
    { ds_key_tags: [4711], dnskey_key_tags: [60_485] },
  ],
  no_caa: [
    (net) => {
      net.resolved = net.resolved.filter(({ type }) => type !== 'CAA');
    },
    { name: ZONE },
  ],
  no_spf: [
    (net) => {
      net.resolved = net.resolved.map((one) => (one.type === 'TXT' && one.name === ZONE ? txt(ZONE, 'v=spf10') : one));
    },
    { name: ZONE },
  ],
  several_spf: [
    (net) => {
      net.resolved.push(txt(ZONE, 'V=SPF1 a -all'));
    },
    { records: ['v=spf1 mx -all', 'V=SPF1 a -all'] },
  ],
  no_dmarc: [
    (net) => {
      net.resolved = net.resolved.filter(({ name }) => name !== `_dmarc.${ZONE}`);
    },
    { name: `_dmarc.${ZONE}` },
  ],
  wildcard: [
    (net) => {
      net.override = ({ name, type }) =>
        /^[0-9a-f]{16}\.example\.com$/.test(name) && type === 'A'
          ? { answers: [a(name, '45.0.0.9'), a(name, '10.0.0.1')] }
          : undefined;
    },
    { name: `*.${ZONE}`, values: ['45.0.0.9', 'hidden'] },
  ],
};

for (const code of zoneFindingCodes)
  t.test(`a zone with the fault ${code} has that finding alone, with the data that it rests on`, async (t) => {
    const [change, facts] = broken[code];
    const result = await audit(t, change, { policy: aPolicy(['127.0.0.0/8']) });
    t.strictSame(result.findings, [{ code, facts }]);
    t.equal(result.success, true);
    t.notOk(result.unjudged.includes(code));
  });

t.test('a zone that no server serves has findings about its servers, and the rest is judged or named', async (t) => {
  const result = await audit(t, (net) => {
    net.servers = { [A]: () => ({ rcode: 'SERVFAIL' }), [B]: () => ({}) };
  });
  t.match(result.findings, [
    {
      code: 'ns_lame',
      facts: { servers: ['a.example.com', 'b.example.com'], reasons: ['SERVFAIL', 'not_authoritative'] },
    },
  ]);
  t.strictSame(result.unjudged, [
    'parent_child_differ',
    'serials_differ',
    'soa_timers',
    'cname_at_apex',
    'ds_without_dnskey',
  ]);
  t.match(result, { soa: null, name_servers: [] });
});

t.test(
  'a resolver that does not validate leaves DNSSEC unjudged, and an unsigned zone has no fault of it',
  async (t) => {
    const blind = await audit(t, (net) => {
      net.flags = 0;
    });
    t.strictSame([blind.findings, blind.unjudged], [[], ['dnssec_bogus']]);
    const unsigned = await audit(t, (net) => {
      net.flags = 0;
      net.resolved = net.resolved.filter(({ type }) => type !== 'DS');
    });
    t.strictSame([unsigned.findings, unsigned.unjudged, unsigned.signed], [[], [], false]);
  },
);

t.test('a parent that serves the zone as well shows no delegation, and the rest is judged', async (t) => {
  const result = await audit(t, (net) => {
    net.delegation = {
      flags: AUTHORITATIVE_ANSWER,
      answers: [ns('a.example.com'), ns('b.example.com')],
      additionals: [a('a.example.com', A), a('b.example.com', B)],
    } as never;
  });
  t.strictSame(result.findings, []);
  t.strictSame(result.unjudged, ['parent_child_differ', 'glue_missing']);
});

t.test('a domain that does not exist, or is no zone, is an error', async (t) => {
  const gone = await audit(t, (net) => {
    net.delegation = { flags: AUTHORITATIVE_ANSWER, rcode: 'NXDOMAIN', authorities: [] } as never;
  });
  t.match(gone, { success: false, domain: ZONE, error: { code: 'dns_nxdomain' }, findings: [], unjudged: [] });
  const inside = await audit(t, (net) => {
    net.delegation = { flags: AUTHORITATIVE_ANSWER, answers: [] } as never;
  });
  t.match(inside, { success: false, error: { code: 'dns_nodata', message: /is not a zone of its own/ } });
});

t.test(
  'name servers at addresses that the policy refuses are not queried, nor are names of private networks',
  async (t) => {
    const internet = goodInternet();
    internet.delegation = {
      authorities: [ns('a.example.com'), ns('b.example.com'), ns('ns.corp.internal')],
      additionals: [a('a.example.com', A), a('b.example.com', B)],
    };
    internet.resolved = [...internet.resolved.filter(({ type }) => type !== 'MX'), mx('mail.corp.internal')];
    const { engine, parts, servers, resolver } = await start(t, internet);
    const policy = aPolicy(['127.0.0.0/24', '127.0.3.0/24']);
    const result = await engine.run(aSpec('zone_audit', ZONE), aContext({ ...parts, policy }));
    t.equal(servers[B]?.queries.length, 0);
    t.ok((servers[A]?.queries.length ?? 0) > 0);
    t.match(
      result.servers.map(({ outcome, address }) => [outcome, address]),
      [
        ['answer', A],
        ['not_allowed', null],
        ['not_allowed', null],
      ],
    );
    const finding = result.findings.find(({ code }) => code === 'ns_unreachable');
    t.match(finding?.facts, { reasons: ['not_allowed', 'not_allowed'] });
    t.notOk(resolver.queries.some(({ name }) => name.endsWith('.internal')));
  },
);

t.test(
  'a zone with many servers is audited within 32 queries, and what they did not suffice for is named',
  async (t) => {
    const many = Array.from({ length: 13 }, (_, i) => `ns${i}.example.net`);
    const result = await audit(t, (net) => {
      net.delegation = { authorities: many.map((name) => ns(name)), additionals: [] };
      net.resolved.push(...many.map((name) => a(name, A)));
      net.resolved.push(...['m1', 'm2', 'm3', 'm4', 'm5'].map((name) => mx(`${name}.example.net`)));
      net.servers = { [A]: serving([soa(), ...many.map((name) => ns(name))]) };
      net.override = ({ type }) => (type === 'CAA' || type === 'TXT' ? { rcode: 'SERVFAIL' } : undefined);
    });
    t.equal(result.success, true);
    t.equal(result.servers.filter(({ outcome }) => outcome === 'untried').length, 7);
    t.ok(result.unjudged.includes('no_spf'));
    t.notOk(
      result.findings.some(({ code }) => code === 'glue_missing'),
      'servers outside the zone need none',
    );
  },
);

t.test('an audit ends with its time, and judges what it knows, or with its abort', async (t) => {
  const internet = goodInternet();
  internet.servers = { [A]: serving(served), [B]: () => null };
  const clock = new FakeClock();
  const { engine, parts, servers } = await start(t, internet);
  const running = engine.run(aSpec('zone_audit', ZONE), aContext({ ...parts, clock }));
  await until('both servers are asked', () => Object.values(servers).every(({ queries }) => queries.length > 0));
  await until('only the silent server and the time of the audit are waited for', () => clock.pendingTimers === 3);
  clock.advance(2500);
  const result = await running;
  t.match(result, { success: true, findings: [{ code: 'ns_unreachable', facts: { reasons: ['timeout'] } }] });
  t.equal(clock.pendingTimers, 0);

  internet.servers = { [A]: () => null };
  const abort = new AbortController();
  const silent = await start(t, { ...internet, override: () => null });
  const aborted = silent.engine.run(
    aSpec('zone_audit', ZONE),
    aContext({ ...silent.parts, clock, signal: abort.signal }),
  );
  await until('the server is asked', () => (silent.servers[A]?.queries.length ?? 0) > 0);
  abort.abort(new ProbeFailure('cancelled', 'the end'));
  t.match(await aborted, { success: false, error: { code: 'cancelled' }, findings: [] });
  t.equal(clock.pendingTimers, 0);
});
