import t from 'tap';
import { openTimedAlerts } from './_support/timed-alerts.js';

// When channels are notified of alerts and of their ends: recoveries, channels for ends alone, time windows of rules, flapping.

const timed = await openTimedAlerts(t);
t.beforeEach(() => timed.begin());

const suppression = {
  after_sec: 0,
  quiet_hours: [],
  flapping: 'notice',
  depends_on: [],
  no_data_after_sec: 0,
} as const;

t.test('channels for recoveries alone get no recovery of an alert that was never sent', async (t) => {
  const { world, receiver, monitor, choice, to, said } = timed;
  const shop = await monitor('Shop', { on_recovery: { notify: true, delay_sec: 0, channels: [choice('c')] } });
  receiver.reply = () => ({ status: 500 });
  await world.happens('down', [shop]);
  await to(30);
  await world.happens('up', [shop]);
  await to(40);
  t.ok(said().every((message) => message.endsWith('firing a')));
  receiver.reply = () => ({ status: 200 });
  await to(120);
  t.same(said(), []);
});

t.test('channels for recoveries alone get those of a storm, each once', async (t) => {
  const { world, receiver, monitor, choice, to } = timed;
  const on_recovery = { notify: true, delay_sec: 0, channels: [choice('c')] };
  const monitors: string[] = [];
  for (let index = 0; index < 8; index += 1) monitors.push(await monitor(`Shop ${index}`, { on_recovery }));
  await world.happens('down', monitors);
  await to(40);
  await world.happens('up', monitors);
  await to(80);
  const bodies = receiver.requests.filter(({ path }) => path === '/c').map(({ body }) => body);
  t.same(bodies, [...Array.from({ length: 5 }, () => 'resolved'), 'digest']);
  const [digest] = await world.db('alert_deliveries').where({ kind: 'digest', channel_id: choice('c').channel_id });
  t.match(digest, { status: 'sent', alert_count: 3 });
});

t.test(
  'a monitor that is still down when the time window of a rule begins is reported then, after the delays of other rules',
  async (t) => {
    const { world, monitor, rule, choice, to, said } = timed;
    const beginMs = Math.ceil((world.clock.now() + 300_000) / 60_000) * 60_000;
    const timeAt = (ms: number) => new Date(ms).toISOString().slice(11, 16);
    const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
    const time_window = { days, start: timeAt(beginMs), end: timeAt(beginMs + 3_600_000), timezone: 'UTC' };
    const second = (beginMs - world.clock.now()) / 1_000;
    const shop = await monitor('Shop', {
      rules: [
        rule({ delay_sec: 120 }),
        rule({ match: { severity: [], tags_any: [], time_window }, channels: [choice('b')] }),
      ],
    });
    await world.happens('down', [shop]);
    await to(second);
    t.same(said(), ['120 firing a', `${second} firing b`]);
  },
);

t.test('with flapping `all` every event is sent, with `none` no event is; neither sends a notice', async (t) => {
  const { world, monitor, rule, choice, to, said } = timed;
  const every = await monitor('Every', { suppression: { ...suppression, flapping: 'all' } });
  const never = await monitor('Never', {
    rules: [rule({ channels: [choice('b')] })],
    suppression: { ...suppression, flapping: 'none' },
  });
  await world.happens('flapping', [every, never]);
  for (const second of [10, 20]) {
    await world.happens('down', [every, never]);
    await to(second);
    await world.happens('up', [every, never]);
    await to(second);
  }
  await world.happens('settled', [every, never]);
  await to(30);
  t.same(said(), ['0 firing a', '10 firing a', '10 resolved a', '20 resolved a']);
});
