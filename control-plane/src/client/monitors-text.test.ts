import { plain } from '@vantage/shared/terminal/colours.js';
import t from 'tap';
import { type Monitor, monitorsText } from './monitors-text.js';

const backup: Monitor = {
  id: 'm_1ChUJqUmpxSbuvm9tz5jUJ',
  name: 'Nightly backup',
  type: 'heartbeat',
  target: 'hb_lrc96DhC',
  interval_s: 84_600,
  status: 'active',
  current_status: 'up',
  uptime_percent: 100,
};

t.test(
  'a job that follows the clock is listed with its cron expression, any other monitor with its interval',
  async (t) => {
    const byClock = { ...backup, config: { mode: 'cron', cron_expr: '30 2 * * *' } };
    const screen = { width: 80, paint: plain };
    t.match(monitorsText([byClock], screen), /100 % +30 2 \* \* \* +hb_/);
    t.match(monitorsText([{ ...backup, config: { mode: 'interval' } }], screen), /100 % +84600 s +hb_/);
  },
);
