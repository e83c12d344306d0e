import t from 'tap';
import { testdata } from '../../../../../test/_support/testdata.js';
import { type Entry, EntryError } from '../entry/entry.js';
import { kumaFormat } from './kuma-format.js';

const { entries, notes } = kumaFormat.parse(JSON.parse(testdata('monitors/uptime-kuma-1.23.json').toString()));
const byIndex = (index: number) => entries.find((entry) => entry.index === index) as Entry;
const draftOf = (index: number) => byIndex(index).draft;
const notesOf = (index: number) => byIndex(index).notes.map(({ field, message }) => `${field} ${message}`);

/** Entry parsed from a monitor with the given fields. */
function one(fields: object): Entry {
  const [entry] = kumaFormat.parse({ monitorList: [{ name: 'One', ...fields }] }).entries;
  return entry as Entry;
}

t.test(
  'a request of Uptime Kuma keeps its method, headers, body, credentials, statuses, tags, group and retries',
  async (t) => {
    t.strictSame(draftOf(1), {
      body: {
        name: 'Shop',
        type: 'https',
        target: 'https://shop.example.com/health',
        config: {
          method: 'POST',
          headers: { 'X-Api-Key': 'k-123', 'Content-Type': 'application/json' },
          body: '{"ping":true}',
          expected_status: ['200-299', '401'],
          max_redirects: 5,
          auth: { type: 'basic', username: 'ada', password: 'lovelace' },
          timeout_ms: 30_000,
          assertions: [{ type: 'ssl_days_remaining', op: 'gt', value: 14, severity: 'degraded' }],
        },
        tags: ['Region:EU', 'critical'],
        trigger_rule: { consecutive_fail: 3 },
      },
      intervalSeconds: 60,
      group: 'Production',
      isPaused: false,
      leftOut: [],
    });
    t.strictSame(notesOf(1), [
      'retryInterval was not imported: retries after a failed check use the usual interval',
      'maxredirects 10 was changed to 5, the most redirects that are followed',
      'timeout 48 s was changed to 30 s, the longest duration of a check',
      'expiryNotification the monitor is degraded if its certificate expires within 14 days',
      'notificationIDList the notification "Ops Telegram" was not imported: create an alert channel',
      'proxyId was not imported: nodes check without a proxy',
      'resendInterval was not imported: repetition is a setting of alert policies',
      'description was not imported: monitors do not have it',
    ]);
  },
);

t.test('other settings of a monitor of Uptime Kuma have the same meaning here', async (t) => {
  t.match(draftOf(2), {
    isPaused: true,
    body: {
      type: 'keyword',
      config: {
        keyword: 'Not Found',
        mode: 'absent',
        upside_down: true,
        verify_tls: false,
        follow_redirects: false,
        expected_status: ['404'],
      },
    },
  });
  t.match(draftOf(3), {
    body: {
      type: 'json',
      target: 'https://api.example.com/v',
      config: { path: '$.build.number', op: 'in', value: ['42', 42], auth: { username: 'user', password: 'p@ss' } },
      trigger_rule: { consecutive_fail: 2 },
    },
  });
  t.match(draftOf(4), {
    body: { type: 'tcp', target: '[2606:4700:4700::1111]:5432', trigger_rule: { consecutive_fail: 1 } },
  });
  t.match(draftOf(5), { body: { type: 'ping', config: { size: 64 }, trigger_rule: { consecutive_fail: 20 } } });
  t.match(draftOf(6), {
    body: { type: 'dns', config: { record_type: 'MX', server: '1.1.1.1' } },
    intervalSeconds: 86_400,
  });
  t.strictSame(draftOf(7), {
    body: {
      name: 'Backup job',
      type: 'heartbeat',
      config: { mode: 'interval', interval_s: 3_600, grace_s: 1_200 },
      tags: [],
    },
    intervalSeconds: null,
    group: null,
    isPaused: false,
    leftOut: [],
  });
});

t.test('settings of Uptime Kuma without an equivalent are named', async (t) => {
  const refused = (index: number) => {
    const draft = draftOf(index);
    return draft instanceof EntryError ? [draft.field, draft.code] : null;
  };
  for (const index of [8, 9, 10]) t.strictSame(refused(index), ['type', 'not_supported'], byIndex(index).name ?? '');
  t.strictSame(refused(11), ['authMethod', 'not_supported']);
  t.strictSame(refused(12), ['jsonPath', 'not_supported']);
  t.strictSame(
    notes.map(({ field, message }) => `${field} ${message}`),
    [
      'notificationList notifications were not imported: 2',
      'proxyList proxies were not imported: 1',
      'null the group "Empty" was skipped: it has no monitors',
    ],
  );
  t.strictSame(one({ type: 'ping', hostname: 'a', snmpOid: '1.3' }).notes, [
    { field: 'snmpOid', message: 'was not imported: it is not supported' },
  ]);
});

t.test('what would keep a monitor down that was up in Uptime Kuma is changed or named', async (t) => {
  const push = { type: 'push', interval: 20, pushToken: 'x' };
  t.match(one(push).draft, { body: { config: { mode: 'interval', interval_s: 30, grace_s: 10 } } });
  t.match(one(push).notes[1], { field: 'interval', message: /^20 s was changed to 30 s/ });
  t.match(one({ ...push, upsideDown: true }).draft, { field: 'upsideDown', code: 'not_supported' });
  const http = { type: 'http', url: 'https://a.example/' };
  const own = one({ ...http, headers: '{"Connection":"close","X-A":"b","Host":"a.example"}' });
  t.match(own.draft, { body: { config: { headers: { 'X-A': 'b' } } } });
  t.same(
    own.notes.map(({ field }) => field),
    ['headers.Connection', 'headers.Host'],
  );
  t.match(one({ ...http, headers: '{"Host":"b.example"}' }).draft, { field: 'headers.Host', code: 'not_supported' });
});

t.test('wrong types in a monitor of Uptime Kuma are its own failure, with the field', async (t) => {
  const cases: readonly [object, string, string][] = [
    [{ type: 'http', url: 7 }, '', ''],
    [{ type: 'http', url: {} }, 'url', 'type'],
    [{ type: 'http' }, 'url', 'required'],
    [{ type: 'http', url: 'https://a/', headers: '{' }, 'headers', 'format'],
    [{ type: 'http', url: 'https://a/', headers: '[]' }, 'headers', 'type'],
    [{ type: 'http', url: 'https://a/', accepted_statuscodes: 200 }, 'accepted_statuscodes', 'type'],
    [{ type: 'http', url: 'https://a/', interval: 'soon' }, 'interval', 'type'],
    [{ type: 'http', url: 'https://a/', upsideDown: 'maybe' }, 'upsideDown', 'type'],
    [{ type: 'http', url: 'https://a/', tags: [{ name: [] }] }, 'tags.0.name', 'type'],
    [{ type: 'http', url: 'https://%zz@a/' }, 'url', 'format'],
    [{ type: 'port', hostname: 'a' }, 'port', 'required'],
    [{ type: '__proto__' }, 'type', 'not_supported'],
    [{}, 'type', 'not_supported'],
  ];
  for (const [fields, field, code] of cases) {
    const { draft } = one(fields);
    const found = draft instanceof EntryError ? [draft.field, draft.code] : ['', ''];
    t.strictSame(found, [field, code], JSON.stringify(fields));
  }
  const odd = kumaFormat.parse({ monitorList: [null, 'x', []] }).entries.map(({ draft }) => draft);
  t.ok(odd.every((draft) => draft instanceof EntryError));
});

t.test('nested groups of Uptime Kuma, and those within themselves, have one name', async (t) => {
  const group = (id: number, parent: number | null) => ({ id, name: `G${id}`, type: 'group', parent });
  const ping = (parent: number) => ({ type: 'ping', name: 'p', hostname: 'a', parent });
  const groupOf = (...monitorList: object[]) => {
    const draft = kumaFormat.parse({ monitorList }).entries[0]?.draft;
    return draft instanceof EntryError ? null : draft?.group;
  };
  t.equal(groupOf(group(1, null), group(2, 1), ping(2)), 'G1 / G2');
  t.equal(groupOf(ping(9)), null);
  t.match(groupOf(group(1, 2), group(2, 1), ping(2)), /^G[12] \/ /);
});
