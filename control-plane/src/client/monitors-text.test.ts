import { plain } from '@vantage/shared/terminal/colours.js';
import t from 'tap';
import { type Monitor, monitorsText, reasonText } from './monitors-text.js';

const backup: Monitor = {
  id: 'm_1ChUJqUmpxSbuvm9tz5jUJ',
  name: 'Nightly backup',
  type: 'heartbeat',
  target: 'hb_lrc96DhC',
  interval_s: 84_600,
  status: 'active',
  current_status: 'up',
  uptime_percent: 100,
  reason: null,
};
const shop: Monitor = {
  ...backup,
  name: 'Shop',
  type: 'https',
  target: 'https://shop.example.com/',
  current_status: 'down',
  reason: '2 of 3 nodes: tls_expired: the certificate of the server expired on 2026-11-29 at 10:00 UTC',
};
const screen = { width: 80, paint: plain };

t.test(
  'a job that follows the clock is listed with its cron expression, any other monitor with its interval, and no job with its token',
  async (t) => {
    const byClock = { ...backup, config: { mode: 'cron', cron_expr: '30 2 * * *' } };
    t.match(monitorsText([byClock], screen), /100 % +30 2 \* \* \* +-$/m);
    t.match(monitorsText([{ ...backup, config: { mode: 'interval' } }], screen), /100 % +23 h 30 min +-$/m);
  },
);

t.test('a list has the reasons of its monitors within the width of the terminal', async (t) => {
  const lines = monitorsText([shop, backup], screen).split('\n');
  t.ok(
    lines.every((line) => line.length <= 80),
    lines.join('\n'),
  );
  t.match(lines[0], /^NAME +STATUS +TYPE +UPTIME +REASON$/);
  t.match(lines[1], /^Shop +down +https +100 % +2 of 3 nodes report: the/);
  t.match(monitorsText([shop, backup], { ...screen, width: 220 }), /ID +TARGET +REASON\n/);
  t.notMatch(monitorsText([backup], screen), /REASON/, 'no column without reasons');
});

t.test('a reason is worded as in alert messages', async (t) => {
  t.equal(reasonText('2 of 3 nodes: tcp_refused: connection refused'), '2 of 3 nodes report: connection refused');
  t.equal(reasonText('it ended with exit code 3'), 'it ended with exit code 3');
  t.equal(
    reasonText('no ping came that was expected at 2026-11-30T19:28:49.025Z'),
    'no ping came that was expected at 2026-11-30 19:28:49 UTC',
  );
});
