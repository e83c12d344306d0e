import t from 'tap';
import { aDigest, anAlert as alertFacts, messagesAtMs } from '../../../../../test/_support/alert-messages.js';
import { instantText, localInstant } from '../../../../http/instant-text.js';
import { locales } from '../../../../http/locale.js';
import { alertMessage } from './alert-message.js';
import { digestMessage } from './digest-message.js';
import type { AlertFacts, DigestEntry, Notice } from './facts.js';
import { clockText, durationText } from './instants.js';
import { noticeMessage } from './notice-message.js';
import { type TestKind, testMessage, verificationMessage } from './service-messages.js';

const nowMs = messagesAtMs;
const MINUTE_MS = 60_000;
const envelope = { id: 'ad_01', thread: 'ae_01', payload: {} };
const shanghai = { locale: 'en', timezone: 'Asia/Shanghai' } as const;

const anAlert = (parts: Partial<AlertFacts> = {}) => alertFacts({ startedAtMs: nowMs - 64 * MINUTE_MS, ...parts });

function entries(count: number, parts: (index: number) => Partial<DigestEntry>): Partial<DigestEntry>[] {
  return Array.from({ length: count }, (_, index) => ({
    monitor: { name: `Host ${index}`, type: 'ping', target: '' },
    severity: 'warning',
    startedAtMs: nowMs - index * MINUTE_MS,
    ...parts(index),
  }));
}

t.test('an instant is shown in words by the clocks of its readers, also where clocks change', async (t) => {
  const shown = locales.map((locale) => instantText(nowMs, { locale, timezone: 'Asia/Shanghai' }));
  t.strictSame(shown, [
    'November 21, 2026, 17:20 (Asia/Shanghai)',
    '2026年11月21日 17:20（Asia/Shanghai）',
    '2026年11月21日 17:20（Asia/Shanghai）',
  ]);
  t.equal(clockText(nowMs, nowMs - 23 * 60 * MINUTE_MS, shanghai), '17:20 (Asia/Shanghai)');
  t.equal(clockText(nowMs, nowMs - 24 * 60 * MINUTE_MS, shanghai), shown[0]);
  t.equal(localInstant(Date.UTC(2026, 2, 29, 0, 59), 'Europe/Berlin'), '2026-03-29 01:59');
  t.equal(localInstant(Date.UTC(2026, 2, 29, 1, 0), 'Europe/Berlin'), '2026-03-29 03:00');
  t.equal(localInstant(Date.UTC(2026, 0, 1, 0, 0), 'Europe/London'), '2026-01-01 00:00');
  t.equal(localInstant(nowMs, 'Asia/Kathmandu'), '2026-11-21 15:05');
});

t.test('a duration is shown in its two greatest units', async (t) => {
  const cases = [
    [0, '0 s'],
    [-5, '0 s'],
    [59_400, '59 s'],
    [64 * MINUTE_MS, '1 h 4 min'],
    [60 * MINUTE_MS, '1 h'],
    [86_400_000 + MINUTE_MS, '1 day'],
    [2 * 86_400_000, '2 days'],
    [90_061_000, '1 day 1 h'],
  ] as const;
  for (const [ms, expected] of cases) t.equal(durationText(ms, 'en'), expected);
  t.equal(durationText(64 * MINUTE_MS, 'zh-CN'), '1 小时 4 分钟');
  t.equal(durationText(64 * MINUTE_MS, 'zh-TW'), '1 小時 4 分鐘');
});

t.test(
  'a firing alert states what, since when, why and from where, each once, and how to acknowledge it',
  async (t) => {
    const message = alertMessage(anAlert({ nextStepAtMs: nowMs + 15 * MINUTE_MS }), shanghai);
    t.match(message, {
      title: 'Down: Shop',
      headline: 'Shop has been down for 1 h 4 min: tcp_refused',
      kind: 'firing',
      severity: 'critical',
      isOver: false,
      source: 'https://shop.example/',
      note: 'Unless it is acknowledged, the next step of the escalation follows at 17:35 (Asia/Shanghai).',
    });
    t.strictSame(
      message.facts.map(({ label, value }) => `${label}: ${value}`),
      [
        'Severity: critical',
        'Target: https://shop.example/',
        'Since: November 21, 2026, 16:16 (Asia/Shanghai)',
        'Seen by: Berlin 1, Tokyo 2',
      ],
    );
    t.strictSame(
      message.links.map(({ role }) => role),
      ['acknowledge', 'monitor'],
    );
  },
);

t.test('each kind and each end has a title of its own, in each language', async (t) => {
  const kinds = ['firing', 'severity', 'reminder', 'escalation', 'acknowledged'] as const;
  const resolutions = ['recovered', 'person', 'paused', 'archived', 'deleted', 'policy_removed'] as const;
  const types = ['down', 'degraded', 'no_data'] as const;
  for (const locale of locales) {
    const titles = [
      ...kinds.map((kind) => alertMessage(anAlert({ kind }), { locale, timezone: 'UTC' })),
      ...types.map((type) => alertMessage(anAlert({ type, isTest: true }), { locale, timezone: 'UTC' })),
      ...resolutions.map((resolution) =>
        alertMessage(anAlert({ kind: 'resolved', resolution, resolvedAtMs: nowMs }), { locale, timezone: 'UTC' }),
      ),
    ].map(({ title }) => title);
    t.equal(new Set(titles).size, titles.length, titles.join(' | '));
    t.ok(titles.every((title) => title.includes('Shop')));
  }
});

t.test('the end of an alert states its duration, and has no acknowledgement', async (t) => {
  const message = alertMessage(
    anAlert({
      kind: 'resolved',
      resolution: 'paused',
      resolvedAtMs: nowMs,
      nextStepAtMs: nowMs,
      nextReminderAtMs: nowMs,
    }),
    shanghai,
  );
  t.match(message, { title: 'Monitor paused: Shop', isOver: true, note: null, atMs: nowMs });
  t.strictSame(
    message.links.map(({ role }) => role),
    ['monitor'],
  );
  const shown = message.facts.map(({ label, value }) => `${label}: ${value}`);
  t.ok(shown.includes('Duration: 1 h 4 min') && shown.includes('Until: November 21, 2026, 17:20 (Asia/Shanghai)'));
  t.notOk(shown.some((line) => line.startsWith('Severity')));
});

t.test('a headline describes an alert without a title, in each language', async (t) => {
  const reason = '2 of 3 nodes: assertion_failed: status is 503, expected 200-299';
  const job = { name: 'Backup', type: 'heartbeat', target: 'hb_1CdGnXNd' };
  const over = { kind: 'resolved', resolution: 'recovered', resolvedAtMs: nowMs } as const;
  const headline = (parts: Partial<AlertFacts>, locale: (typeof locales)[number] = 'en') =>
    alertMessage(anAlert(parts), { locale, timezone: 'UTC' }).headline;
  t.strictSame(
    locales.map((locale) => headline({ reason }, locale)),
    [
      'Shop has been down for 1 h 4 min: status is 503, expected 200-299 (2 of 3 nodes)',
      'Shop 已故障 1 小时 4 分钟：状态码为 503，应为 200-299（3 个节点中有 2 个）',
      'Shop 已故障 1 小時 4 分鐘：狀態碼為 503，應為 200-299（3 個節點中有 2 個）',
    ],
  );
  t.strictSame(
    locales.map((locale) => headline(over, locale)),
    [
      'Shop is up again; it was down for 1 h 4 min',
      'Shop 已恢复正常，故障持续 1 小时 4 分钟',
      'Shop 已恢復正常，故障持續 1 小時 4 分鐘',
    ],
  );
  const inFirstMinute = { startedAtMs: nowMs - 59_000 };
  t.equal(headline({ ...inFirstMinute, type: 'no_data', reason: null }), 'Shop is without data');
  t.equal(headline({ kind: 'escalation', reason: null }), 'Not acknowledged yet: Shop has been down for 1 h 4 min');
  t.equal(
    headline({ kind: 'acknowledged', acknowledgedBy: 'Ada' }),
    'Ada acknowledged: Shop has been down for 1 h 4 min: tcp_refused',
  );
  const failed = { monitor: job, reason: 'it ended with exit code 3' };
  t.equal(headline(failed), 'Job Backup failed 1 h 4 min ago: it ended with exit code 3');
  t.equal(headline({ ...failed, ...inFirstMinute }), 'Job Backup failed: it ended with exit code 3');
  t.equal(
    headline({ monitor: job, reason: 'no ping came that was expected at 2026-11-21T08:16:00.000Z' }),
    'Job Backup did not report; it was due at 08:16 (UTC)',
  );
  t.equal(headline({ monitor: job, reason: 'it reported a failure' }), 'Job Backup failed 1 h 4 min ago', 'said once');
  t.equal(headline({ monitor: job, ...over }), 'Job Backup is OK again after 1 h 4 min');
  t.equal(headline({ ...over, resolution: 'paused' }), undefined);
});

t.test('a heartbeat is shown by its name, never by its token', async (t) => {
  const monitor = { name: 'Backup', type: 'heartbeat', target: 'hb_1CdGnXNd' };
  for (const kind of ['firing', 'resolved'] as const) {
    const { payload: _, ...shown } = alertMessage(anAlert({ kind, monitor, resolvedAtMs: nowMs }), shanghai);
    t.equal(shown.source, 'Backup');
    t.notMatch(JSON.stringify(shown), 'hb_');
  }
});

t.test('a message in place of failed channels names them and their errors', async (t) => {
  const failedChannels = [
    { name: 'Ops', error: 'HTTP 404: no_service' },
    { name: 'Night', error: 'timeout' },
  ];
  const { note } = alertMessage(anAlert({ failedChannels }), shanghai);
  t.equal(
    note,
    'You receive this e-mail because no channel accepted the message: Ops (HTTP 404: no_service), Night (timeout).',
  );
});

t.test('names and reasons are on one line and not endless, and many nodes are counted', async (t) => {
  const message = alertMessage(
    anAlert({
      monitor: { name: `Shop\r\nBcc: x ${'y'.repeat(500)}`, type: 'https', target: '\u202ehttps://a.example/' },
      reason: 'x'.repeat(100_000),
      nodes: Array.from({ length: 12 }, (_, index) => `N${index}`),
    }),
    shanghai,
  );
  t.match(message.title, /^Down: Shop Bcc: x y{180,}…$/);
  t.equal(message.source, 'https://a.example/');
  t.ok(message.facts.every(({ value }) => value.length <= 1_000 && !/[\n\u202e]/.test(value)));
  t.ok(message.facts.some(({ value }) => value.endsWith('N9, and 2 more')));
});

t.test('a digest names the twenty most severe, firing ones first, and counts the rest', async (t) => {
  const list = entries(50, (index) => ({
    severity: index >= 45 ? 'critical' : 'warning',
    type: index >= 45 ? 'down' : 'degraded',
    isOver: index < 10,
  }));
  const message = digestMessage(aDigest(list, { groupName: 'EU' }), shanghai);
  t.equal(message.title, 'EU: 40 alerts firing (5 down, 35 degraded), 10 alerts resolved');
  t.equal(message.items.length, 20);
  t.equal(message.items[0], 'Host 49: down for 49 min', 'of equals the oldest first');
  t.match(message.items[5], /^Host 44: degraded for/);
  t.equal(message.note, 'And 30 more (20 warning, 10 alerts resolved).');
  t.match(message, { severity: 'critical', isOver: false });
});

t.test('a digest of ended alerts states this, and one alert is in the singular', async (t) => {
  t.match(digestMessage(aDigest(entries(3, () => ({ isOver: true }))), shanghai), {
    title: '3 alerts resolved',
    severity: 'info',
    isOver: true,
    facts: [],
  });
  t.equal(digestMessage(aDigest(entries(1, () => ({}))), shanghai).title, '1 alert firing (1 down)');
  t.equal(
    digestMessage(
      aDigest(
        entries(1, () => ({})),
        { isTest: true },
      ),
      { locale: 'zh-TW', timezone: 'UTC' },
    ).title,
    '【測試】1 個告警（故障 1）',
  );
});

t.test('a digest of ten thousand alerts is as short as one of thirty', async (t) => {
  const message = digestMessage(aDigest(entries(10_000, () => ({}))), shanghai);
  t.equal(message.items.length, 20);
  t.equal(message.note, 'And 9980 more (9980 warning).');
});

const notices: readonly Notice[] = [
  { kind: 'node_unhealthy', nodes: ['Berlin 1'], reason: 'clock' },
  { kind: 'node_unhealthy', nodes: ['Berlin 1', 'Tokyo 2'], reason: null },
  { kind: 'node_offline', nodes: ['Berlin 1'] },
  { kind: 'node_offline', nodes: ['Berlin 1', 'Tokyo 2'] },
  { kind: 'flapping', monitor: { name: 'Shop', type: 'https', target: '' }, isOver: false, isUp: true },
  { kind: 'flapping', monitor: { name: 'Shop', type: 'https', target: '' }, isOver: true, isUp: false },
  { kind: 'channel_failing', channel: 'Ops', error: 'HTTP 404: no_service' },
  { kind: 'webhook_failing', url: 'https://a.example/', error: 'timeout' },
  { kind: 'webhook_disabled', url: 'https://a.example/', reason: 'failing' },
];

t.test('each notice has its own title and states what to expect, in each language', async (t) => {
  for (const locale of locales) {
    const messages = notices.map((notice) =>
      noticeMessage(
        { ...envelope, notice, sinceMs: nowMs, url: 'https://vantage.example/x' },
        { locale, timezone: 'UTC' },
      ),
    );
    t.equal(new Set(messages.map(({ title }) => title)).size, notices.length);
    for (const { note, severity, kind, links, facts } of messages) {
      t.match({ severity, kind, links }, { severity: 'warning', kind: 'notice', links: [{ label: String }] });
      t.ok(note !== null && note !== '' && facts.length > 0);
    }
  }
});

t.test('texts in Chinese have no English words but names', async (t) => {
  for (const locale of ['zh-CN', 'zh-TW'] as const) {
    const audience = { locale, timezone: 'UTC' };
    const facts = anAlert({
      monitor: { name: '商店', type: 'https', target: '' },
      reason: null,
      nodes: ['柏林'],
      kind: 'reminder',
      nextStepAtMs: nowMs,
      nextReminderAtMs: nowMs,
      acknowledgedBy: '王',
    });
    const messages = [
      alertMessage(facts, audience),
      alertMessage({ ...facts, kind: 'resolved', resolution: 'policy_removed', resolvedAtMs: nowMs }, audience),
      digestMessage(aDigest(entries(30, () => ({ monitor: { name: '商店', type: 'ping', target: '' } }))), audience),
      ...notices
        .slice(0, 6)
        .map((notice) => noticeMessage({ ...envelope, notice, sinceMs: nowMs, url: null }, audience)),
      testMessage(
        { ...envelope, kind: 'firing', channelName: '值班', isUsed: false, nowMs, url: 'https://vantage.example/' },
        audience,
      ),
      verificationMessage({ ...envelope, code: '123456', validMs: 600_000, nowMs, url: null }, audience),
    ];
    for (const { title, headline = '', facts: lines, items, note, links } of messages) {
      const text = [
        title,
        headline,
        ...lines.flatMap(({ label, value }) => [label, value]),
        ...items,
        note ?? '',
        ...links.map(({ label }) => label),
      ];
      const words = text.join(' ').match(/[A-Za-z]{2,}/g) ?? [];
      t.strictSame(
        words.filter((word) => !/^(?:UTC|Vantage|Berlin|Tokyo|Shop|clock)$/.test(word)),
        [],
        title,
      );
    }
  }
});

t.test('the message of a verification has the code and its validity', async (t) => {
  const message = verificationMessage(
    { ...envelope, code: '482913', validMs: 600_000, nowMs, url: 'https://vantage.example/v' },
    shanghai,
  );
  t.match(message.note, /482913.*10 min/);
  t.match(message, { kind: 'verification', severity: 'info', links: [{ label: 'Receive alerts' }] });
});

t.test('a test imitates the requested kind, and one of an end ends the incident of an earlier test', async (t) => {
  const write = (kind: TestKind, isUsed = true) =>
    testMessage({ ...envelope, kind, channelName: 'Ops', isUsed, nowMs, url: 'https://vantage.example/' }, shanghai);
  t.match(write('firing'), { kind: 'test', title: 'Test: alert', isOver: false, items: [], note: /Ops/ });
  t.match(write('resolved'), { title: 'Test: resolved', isOver: true });
  t.match(write('digest'), { title: 'Test: several alerts', items: ['example-1', 'example-2'] });
  t.match(write('firing', false).note, /^The alert channel Ops works\. .*: add it to a policy\.$/, 'of no use yet');
});
