import { plain } from '@vantage/shared/terminal/colours.js';
import t from 'tap';
import { eventsText, pingsText } from './monitor-log-text.js';

const screen = { width: 80, paint: plain };

t.test('events show how long they lasted or last, and why', async (t) => {
  const open = {
    monitor_id: 'm_1',
    type: 'down',
    started_at: '2026-11-30T14:02:00.000Z',
    ended_at: null,
    duration_sec: null,
    reason: '2 of 3 nodes: tcp_refused: connection refused',
  };
  const over = { ...open, type: 'degraded', ended_at: '2026-11-30T15:00:00.000Z', duration_sec: 3_480, reason: null };
  const nowMs = Date.parse('2026-11-30T14:06:00.000Z');
  t.strictSame(eventsText([open, over], { nameOf: null, nowMs }, screen).split('\n'), [
    'STATE     SINCE (UTC)          DURATION      REASON',
    'down      2026-11-30 14:02:00  4 min, lasts  2 of 3 nodes report: connection',
    '                                             refused',
    'degraded  2026-11-30 14:02:00  58 min',
  ]);
  t.match(eventsText([over], { nameOf: () => 'Shop', nowMs }, screen), /^MONITOR .*\nShop +degraded/);
  t.equal(eventsText([], { nameOf: null, nowMs }, screen), 'no events');
});

t.test('pings show what the job reported, and the first line of what it sent', async (t) => {
  const ping = {
    at: '2026-11-30T02:30:04.000Z',
    kind: 'exit',
    exit_code: 3,
    lacks_text: false,
    duration_ms: 4_200,
    ip: '192.0.2.1',
    via: 'POST',
    body: '\ndisk full\nmore',
  };
  t.strictSame(
    pingsText([ping, { ...ping, kind: 'start', exit_code: null, duration_ms: null, body: null }], screen).split('\n'),
    [
      'TIME (UTC)           KIND      TOOK  FROM              BODY',
      '2026-11-30 02:30:04  exit 3  4.20 s  192.0.2.1 (POST)  disk full',
      '2026-11-30 02:30:04  start        -  192.0.2.1 (POST)',
    ],
  );
  t.equal(pingsText([], screen), 'no pings');
});
