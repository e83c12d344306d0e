import t from 'tap';
import { parse } from 'yaml';
import { testdata } from '../../../../../test/_support/testdata.js';
import { type Entry, EntryError } from '../entry/entry.js';
import { readConditions } from './gatus-conditions.js';
import { gatusFormat } from './gatus-format.js';
import { parseGoDuration } from './go-duration.js';

const { entries, notes } = gatusFormat.parse(parse(testdata('monitors/gatus.yaml').toString(), { merge: true }));
const named = (name: string) => entries.find((entry) => entry.name === name) as Entry;
const refusal = ({ draft }: Entry) => (draft instanceof EntryError ? [draft.field, draft.code] : null);
const said = ({ notes }: Entry) => notes.map(({ field, message }) => `${field} ${message}`);
const down = (assertion: object) => ({ ...assertion, severity: 'down' });

t.test('an endpoint of Gatus keeps its conditions as assertions, and what cannot be one is named', async (t) => {
  t.strictSame(named('front-end').draft, {
    body: {
      name: 'front-end',
      type: 'https',
      target: 'https://www.example.org/health',
      config: {
        method: 'GET',
        headers: { Authorization: 'Bearer abc$def' },
        timeout_ms: 10_000,
        assertions: [
          { type: 'status_code', op: 'in', value: [200, 204] },
          { type: 'json_path', path: '$.status', op: 'in', value: ['UP'] },
          { type: 'json_path', path: '$.items[0].price', op: 'lt', value: 100 },
          { type: 'json_path', path: '$.name', op: 'regex', value: '(?s)^john.*$' },
          { type: 'body_contains', op: 'contains', value: '<h1>Example</h1>' },
          { type: 'response_time', op: 'lt', value: 300 },
          { type: 'ssl_days_remaining', op: 'gte', value: 2 },
        ].map(down),
      },
      trigger_rule: { consecutive_fail: 4, consecutive_ok: 3 },
    },
    intervalSeconds: 300,
    isPaused: false,
    leftOut: [],
    group: 'core',
  });
  t.strictSame(said(named('front-end')), [
    'alerts the alert by "slack" was not imported: create an alert channel',
    'conditions "[IP] == 192.0.2.1" was not imported: it is not supported',
    'conditions "len([BODY].items) > 3" was not imported: it is not supported',
    'conditions "[DOMAIN_EXPIRATION] > 720h" was not imported: it is not supported',
    'headers.Host was not imported: nodes set it themselves',
    'headers.Connection was not imported: nodes set it themselves',
  ]);
});

t.test('every kind of endpoint of Gatus is a monitor of that kind, or named', async (t) => {
  t.match(named('back-end'), {
    draft: {
      isPaused: true,
      body: {
        config: {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: '{"query":"{ user(name: \\"back-end\\") { id } }\\n"}',
          verify_tls: false,
          follow_redirects: false,
          ip_version: 'v6',
          resolver: '8.8.8.8',
          expected_status: '100-999',
        },
      },
    },
  });
  t.strictSame(said(named('back-end')), ['client.proxy-url was not imported: it is not supported']);
  t.match(named('dns').draft, {
    intervalSeconds: 90,
    body: {
      type: 'dns',
      target: 'example.org',
      config: { record_type: 'A', server: '8.8.8.8', expected: ['93.184.216.34'] },
    },
  });
  t.match(named('ping').draft, { body: { type: 'ping', target: 'example.org', config: {} } });
  t.match(named('closed').draft, { body: { type: 'tcp', target: 'example.org:23', config: { upside_down: true } } });
  t.match(named('bastion').draft, { body: { type: 'tcp', target: 'bastion.example.org:22' } });
  t.match(named('certificate').draft, {
    intervalSeconds: 5_400,
    body: { type: 'ssl_expiry', target: 'mail.example.org:993', config: { warn_days: 6, critical_days: 6 } },
  });
  t.match(named('staging / api').draft, { group: 'staging' }, 'names are unique here');
  t.match(named('production / api').draft, { group: 'production' });
  t.match(named('nightly').draft, { body: { type: 'heartbeat', config: { interval_s: 86_400 } } });
  t.strictSame(refusal(named('socket')), ['url', 'not_supported']);
  t.strictSame(refusal(named('secret')), ['url', 'not_supported']);
  t.strictSame(refusal(named('bad interval')), ['interval', 'format']);
  t.strictSame(refusal(named('pushed')), ['heartbeat.interval', 'required']);
  t.strictSame(
    notes.map(({ field }) => field),
    ['alerting', 'suites'],
  );
});

t.test('conditions of Gatus by kind: what they come to, or nothing', async (t) => {
  const cases: readonly [text: string, assertion: object | null][] = [
    ['[STATUS] == 200', { type: 'status_code', op: 'eq', value: 200 }],
    ['[STATUS] != any(500, 502)', { type: 'status_code', op: 'not_in', value: [500, 502] }],
    ['[STATUS] <= 299', { type: 'status_code', op: 'lte', value: 299 }],
    ['[STATUS] == pat(*4)', null],
    ['[STATUS] == OK', null],
    ['[RESPONSE_TIME] >= 5', { type: 'response_time', op: 'gte', value: 5 }],
    ['[RESPONSE_TIME] < 1.5s', { type: 'response_time', op: 'lt', value: 1_500 }],
    ['[RESPONSE_TIME] == 5', null],
    ['[BODY].a-b[1].c == 5', { type: 'json_path', path: '$["a-b"][1].c', op: 'in', value: ['5', 5] }],
    ['[BODY].a != 5', null],
    ['[BODY].a == pat([ab]*)', null],
    ['[BODY] == pat(*[ab]*)', null],
    ['[BODY].ok == true', { type: 'json_path', path: '$.ok', op: 'in', value: ['true', true] }],
    ['[BODY].id == any(1, x)', { type: 'json_path', path: '$.id', op: 'in', value: ['1', 1, 'x'] }],
    ['[BODY].n > 18014398509481985', { type: 'json_path', path: '$.n', op: 'gt', value: '18014398509481985' }],
    ['[BODY].n == 18014398509481985', { type: 'json_path', path: '$.n', op: 'in', value: ['18014398509481985'] }],
    ['[BODY].age > old', null],
    ['[BODY] == pong', { type: 'body_regex', op: 'regex', value: '(?s)^\\s*(?:pong)\\s*$' }],
    ['[BODY] == any(a.b, c)', { type: 'body_regex', op: 'regex', value: '(?s)^\\s*(?:a\\.b|c)\\s*$' }],
    ['[BODY] != pat(*error*)', { type: 'body_contains', op: 'ne', value: 'error' }],
    ['[BODY] == pat(v?.*)', { type: 'body_regex', op: 'regex', value: '(?s)^\\s*v.\\..*\\s*$' }],
    ['[CERTIFICATE_EXPIRATION] > 36h', { type: 'ssl_days_remaining', op: 'gte', value: 1 }],
    ['[CERTIFICATE_EXPIRATION] < 1h', null],
    ['has([BODY].errors) == false', null],
    ['200 == [STATUS]', null],
    ['nonsense', null],
  ];
  for (const [text, assertion] of cases) {
    const notes: string[] = [];
    const { assertions } = readConditions([text], 'http', (_, message) => notes.push(message));
    t.strictSame(assertions, assertion === null ? [] : [assertion], text);
    t.equal(
      notes.some((note) => note.startsWith(JSON.stringify(text).slice(0, -1))),
      assertion === null,
      text,
    );
  }
});

/** Endpoint parsed from the given fields, with an optional list of external ones. */
function one(fields: object): Entry {
  const [entry] = gatusFormat.parse({ endpoints: [{ name: 'One', ...fields }] }).entries;
  return entry as Entry;
}

t.test('a DNS query of Gatus is up where it was up there, or is named', async (t) => {
  const query = (type: string, ...conditions: readonly string[]) =>
    one({ url: '192.0.2.1', dns: { 'query-name': 'example.com', 'query-type': type }, conditions });
  const expected = (type: string, body: string) => query(type, `[BODY] == ${body}`).draft;
  t.match(expected('MX', 'mail.example.com.'), { body: { config: { expected: ['mail.example.com.'] } } });
  t.match(expected('SRV', 'sip.example.com.:5060'), { body: { config: { expected: ['sip.example.com.:5060'] } } });
  t.strictSame(said(query('SRV', '[BODY] == sip.example.com.')), [
    'conditions "[BODY] == sip.example.com." was not imported: a record of type SRV is compared as host:port',
    'conditions the monitor is also down if the response has no record of type SRV',
  ]);
  t.strictSame(said(query('A', '[DNS_RCODE] == any(NOERROR, NXDOMAIN)')), [
    'conditions the monitor is also down if the response has no record of type A',
  ]);
  for (const condition of [
    '[DNS_RCODE] == NXDOMAIN',
    '[DNS_RCODE] != NOERROR',
    '[DNS_RCODE] == any(NXDOMAIN, REFUSED)',
  ])
    t.strictSame(refusal(query('A', condition)), ['conditions', 'not_supported'], condition);
});

t.test('headers that nodes set themselves are left out of an endpoint of Gatus, or it is named', async (t) => {
  const withHeaders = (headers: object) => one({ url: 'https://example.org:8443/a', headers });
  const own = {
    Connection: 'close',
    'transfer-encoding': 'chunked',
    TE: 'trailers',
    Host: 'EXAMPLE.org:8443',
    Accept: 'a/b',
  };
  t.match(withHeaders(own).draft, { body: { config: { headers: { Accept: 'a/b' } } } });
  t.equal(said(withHeaders(own)).length, 4);
  for (const [name, value] of Object.entries({ Host: 'example.org', host: 'other.example', Upgrade: 'websocket' }))
    t.strictSame(refusal(withHeaders({ [name]: value })), [`headers.${name}`, 'not_supported'], `${name}: ${value}`);
});

t.test('what would keep a monitor down that was up in Gatus is named instead', async (t) => {
  const odd = { url: 'https://example.org/', client: { 'dns-resolver': 'udp://192.0.2.1:5353' } };
  t.strictSame(refusal(one(odd)), ['client.dns-resolver', 'not_supported']);
  const pushed = { name: 'pushed', token: 'x', heartbeat: { interval: '10s' } };
  const [entry] = gatusFormat.parse({ 'external-endpoints': [pushed] }).entries;
  t.match(entry?.draft, { body: { config: { mode: 'interval', interval_s: 30, grace_s: 10 } } });
  t.match(said(entry as Entry)[1], /^heartbeat\.interval 10 s was changed to 30 s/);
  t.match(said(one({ url: 'tls://example.org:443', conditions: ['[CONNECTED] == true'] })), [/last day of the cert/]);
});

t.test('durations of Go are milliseconds', async (t) => {
  const cases: readonly [string, number | null][] = [
    ['60s', 60_000],
    ['1h30m', 5_400_000],
    ['1.5s', 1_500],
    ['250ms', 250],
    ['0', 0],
    ['60', null],
    ['5 minutes', null],
    ['-1s', null],
    ['', null],
  ];
  for (const [text, ms] of cases) t.equal(parseGoDuration(text), ms, text);
});
