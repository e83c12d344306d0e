import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { type MonitorConfigs, monitorTypes } from '@vantage/shared/monitor-types/index.js';
import { measurements, type ProbeResults } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t, { type Test } from 'tap';
import { type DnsHandler, startDnsServer, zone } from '../../../test/_support/dns-server.js';
import { aContext, aPolicy, aResolver, aSpec } from '../../../test/_support/probe-context.js';
import { ProbeFailure } from '../failure.js';
import { RblEngine } from './index.js';

const isResult = compileSchema(measurements.rbl.Result);
const ADDRESS = '203.0.114.9';
const LISTED = '9.114.0.203';

const a = (name: string, data: string) => ({ type: 'A', name, data }) as const;
const txt = (name: string, data: string) => ({ type: 'TXT', name, data }) as const;

/** A check of a target by a node whose resolver is one server of the test. */
async function check(
  t: Test,
  handle: DnsHandler,
  { target = ADDRESS, config = {} as object, zones = ['bl.test'] } = {},
) {
  const server = await startDnsServer(t, handle);
  const engine = new RblEngine({ zones, servers: [server.endpoint] });
  const settings = aConfig(config);
  const resolver = aResolver([server.endpoint]);
  const result = await engine.run(monitorTypes.rbl.toSpec(target, settings), aContext({ resolver }));
  t.strictSame(isResult(structuredClone(result)).ok, true);
  return { result, judgment: monitorTypes.rbl.judge(result, settings), queries: server.queries };
}

function aConfig(more: object = {}): MonitorConfigs['rbl'] {
  const checked = compileSchema(monitorTypes.rbl.Config)({ ...more });
  if (!checked.ok) throw new Error(JSON.stringify(checked.details));
  return checked.value;
}

t.test('rbl fails if a blocklist has the address, and names the lists and their reasons', async (t) => {
  const records = [a(`${LISTED}.bl.test`, '127.0.0.4'), txt(`${LISTED}.bl.test`, 'sent spam, see https://bl.test/9')];
  const { judgment, result } = await check(t, zone(records), { zones: ['bl.test', 'other.test'] });
  t.match(judgment, { outcome: 'failed', error: { code: 'assertion_failed' } });
  t.match(
    judgment.error?.message,
    /203\.0\.114\.9 in bl\.test is .*127\.0\.0\.4: sent spam, see https:\/\/bl\.test\/9/,
  );
  t.notMatch(judgment.error?.message, /other/);
  t.match(result, { success: true, lookups: [{ listed: true, codes: ['127.0.0.4'] }, { listed: false }] });
});

t.test('rbl succeeds if no blocklist has the address', async (t) => {
  const { judgment, queries } = await check(t, () => ({ rcode: 'NXDOMAIN' }), { zones: ['bl.test', 'other.test'] });
  t.match(judgment, { outcome: 'ok', error: null });
  t.type(judgment.responseMs, 'number');
  t.same(queries.map(({ name, type }) => `${name} ${type}`).sort(), [`${LISTED}.bl.test A`, `${LISTED}.other.test A`]);
});

t.test('rbl asks for IPv6 addresses by nibbles, and for those of a name', async (t) => {
  const v6 = '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.d.0.0.a.2';
  const records = [
    { type: 'AAAA', name: 'mail.example.com', data: '2a00:d000::1' } as const,
    a('mail.example.com', ADDRESS),
    a('mail.example.com', '203.0.114.10'),
    a(`${v6}.bl.test`, '127.0.0.2'),
  ];
  const { judgment, queries } = await check(t, zone(records), { target: 'mail.example.com' });
  t.match(judgment, { outcome: 'failed', error: { message: /2a00:d000::1 in bl\.test/ } });
  const asked = queries.filter(({ name }) => name.endsWith('.bl.test')).map(({ name }) => name);
  t.ok(asked.includes(`${LISTED}.bl.test`), 'one address of each family');
  t.notOk(
    asked.some((name) => name.startsWith('10.')),
    'and no more than two',
  );
});

t.test(
  'rbl takes neither a refusal of a list for a listing nor the address of a new owner of its domain',
  async (t) => {
    for (const code of ['127.255.255.252', '127.255.255.254', '127.255.255.255', '127.0.0.1', '93.184.216.34']) {
      const records = [a(`${LISTED}.bl.test`, code), txt(`${LISTED}.bl.test`, 'open resolver')];
      const { judgment, result } = await check(t, zone(records), { zones: ['bl.test', 'other.test'] });
      t.match(judgment, { outcome: 'ok' }, code);
      t.match(result.lookups[0], { listed: null, codes: [], error: new RegExp(code) }, code);
    }
    const both = zone([a(`${LISTED}.bl.test`, '127.255.255.254'), a(`${LISTED}.bl.test`, '127.0.0.9')]);
    t.match((await check(t, both)).judgment, { outcome: 'failed' }, 'a listing beside it is one');
  },
);

t.test('a zone of the caller reveals nothing of the network that the node’s resolver serves', async (t) => {
  const alias = { type: 'CNAME', name: `${LISTED}.bl.test`, data: 'db.corp.internal' } as const;
  const answers = {
    address: () => ({ answers: [a(`${LISTED}.bl.test`, '10.0.0.5')] }),
    listing: () => ({ answers: [alias, a(alias.data, '127.0.0.2'), txt(alias.data, 'inside')] }),
    missing: () => ({ rcode: 'NXDOMAIN', answers: [alias] }),
  };
  for (const [what, answer] of Object.entries(answers)) {
    const { result } = await check(t, answer, { zones: ['bl.test'] });
    t.match(
      result.lookups,
      [{ listed: null, codes: [], reason: null, error: /responded with an address,|resolves to a name/ }],
      what,
    );
    t.notMatch(JSON.stringify(result), /10\.0\.0\.5|corp|inside/, what);
  }
});

t.test('a list that does not answer fails nothing; when none does, the monitor is degraded', async (t) => {
  const servfail: DnsHandler = ({ name }) => ({ rcode: name.endsWith('.bl.test') ? 'SERVFAIL' : 'NXDOMAIN' });
  t.match((await check(t, servfail, { zones: ['bl.test', 'other.test'] })).judgment, { outcome: 'ok' });
  const none = await check(t, () => ({ rcode: 'REFUSED' }));
  t.match(none.judgment, {
    outcome: 'degraded',
    error: { code: 'dns_refused', message: /\(bl\.test: answers REFUSED\)/ },
  });
  t.match(
    (await check(t, () => ({ rcode: 'REFUSED' }), { config: { upside_down: true } })).judgment.outcome,
    'degraded',
  );
  const nameless = await check(t, () => ({ rcode: 'NXDOMAIN' }), { target: 'gone.example.com' });
  t.match(
    nameless.judgment,
    { outcome: 'failed', error: { code: 'dns_nxdomain' } },
    'a target without an address fails',
  );
});

t.test('lists that are silent end by the time-out of the check, and those that answered count', async (t) => {
  const clock = new FakeClock();
  const listed = zone([a(`${LISTED}.bl.test`, '127.0.0.2')]);
  const handle: DnsHandler = (query) => (query.name.endsWith('.silent.test') ? null : listed(query));
  const server = await startDnsServer(t, handle);
  const engine = new RblEngine({ zones: ['silent.test', 'bl.test'], servers: [server.endpoint] });
  const running = engine.run(aSpec('rbl', ADDRESS, { timeout_ms: 3000 }), aContext({ clock }));
  await until('both are asked, one for its reason too', () => server.queries.length === 3);
  let result: ProbeResults['rbl'] | null = null;
  void running.then((answer) => {
    result = answer;
  });
  await until('the time is over', () => {
    clock.advance(100);
    return result !== null;
  });
  t.match(result, {
    success: true,
    lookups: [
      { zone: 'silent.test', listed: null },
      { zone: 'bl.test', listed: true },
    ],
  });
  t.ok(clock.monotonicMs() <= 3100);
  t.equal(clock.pendingTimers, 0);
});

t.test('rbl ends on abort, and queries no list about an address that the policy refuses', async (t) => {
  const server = await startDnsServer(t, () => null);
  const engine = new RblEngine({ zones: ['bl.test'], servers: [server.endpoint] });
  const abort = new AbortController();
  const running = engine.run(aSpec('rbl', ADDRESS), aContext({ signal: abort.signal, clock: new FakeClock() }));
  await until('it has begun', () => server.queries.length > 0);
  abort.abort(new ProbeFailure('cancelled', 'the end'));
  t.match(await running, { success: false, error: { code: 'cancelled' } });
  const asked = server.queries.length;
  const refused = [aSpec('rbl', '10.0.0.1'), aSpec('rbl', ADDRESS, { zones: ['localhost'] })];
  for (const spec of refused) {
    const result = await engine.run(spec, aContext({ policy: aPolicy([]) }));
    t.match(result, { success: false, error: { code: 'target_not_allowed' } });
  }
  t.equal(server.queries.length, asked);
});

t.test('invalid zones and targets of rbl are refused by field', async (t) => {
  const { checkConfig, toSpec } = monitorTypes.rbl;
  t.match(checkConfig(aConfig({ zones: ['ok.test', '127.0.0.1', 'a b'] })), {
    'zones.1': [{ code: 'format' }],
    'zones.2': [{ code: 'format' }],
  });
  for (const zones of [[], Array.from({ length: 9 }, (_, i) => `z${i}.test`), ['a.test', 'a.test']])
    t.notOk(compileSchema(monitorTypes.rbl.Config)({ zones }).ok);
  for (const target of ['https://example.com/', '127.1', 'a/24']) t.throws(() => toSpec(target, aConfig()));
  t.equal(monitorTypes.rbl.defaultIntervalSeconds, 1800);
});
