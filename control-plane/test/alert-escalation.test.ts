import t from 'tap';
import { program } from '../src/audit-log/actor.js';
import { accountOf } from './_support/owners.js';
import { openTimedAlerts, type TimedAlerts } from './_support/timed-alerts.js';

// Steps of the escalation, time-outs of acknowledgements and reminders, from the event of a monitor to the receivers.

const timed = await openTimedAlerts(t);
t.beforeEach(() => timed.begin());

/** An escalation to channel `b` after five minutes and to `b` and `c` after ten. */
function twoSteps({ choice }: TimedAlerts, more: { repeat?: number; ack_timeout_sec?: number } = {}) {
  const steps = [
    { after_sec: 300, channels: [choice('b')], schedule_id: null },
    { after_sec: 600, channels: [choice('b'), choice('c')], schedule_id: null },
  ];
  return { escalation: { steps, repeat: 0, ack_timeout_sec: 0, ...more } };
}

async function acknowledge({ world, alertOf }: TimedAlerts, monitor: string): Promise<void> {
  const { id } = await alertOf(monitor);
  await world.acts.acknowledge(id, null, { account: accountOf(world.userId), actor: program });
}

t.test(
  'steps are taken at their times, repeated as often as the policy says, and every recipient is notified of the end',
  async (t) => {
    const { world, to, said, alertOf } = timed;
    const monitor = await timed.monitor('Shop', twoSteps(timed, { repeat: 1 }));
    await world.happens('down', [monitor]);
    await to(0);
    const opened = world.clock.now();
    t.equal(((await alertOf(monitor)).next_step_at as Date).getTime(), opened + 300_000, 'the next step is shown');
    await to(1_800);
    t.same(said(), [
      '0 firing a',
      '300 escalation b',
      '600 escalation b',
      '600 escalation c',
      '900 escalation b',
      '1200 escalation b',
      '1200 escalation c',
    ]);
    t.equal((await alertOf(monitor)).next_step_at, null);
    const steps = await world.db('alert_timeline').where({ what: 'escalated' }).orderBy('id').pluck('details');
    t.match(steps, [
      { step: 0, round: 0 },
      { step: 1, round: 0 },
      { step: 0, round: 1 },
      { step: 1, round: 1 },
    ]);
    await world.happens('up', [monitor]);
    await to(1_810);
    t.same(said(), ['1800 resolved a', '1800 resolved b', '1800 resolved c']);
  },
);

t.test('steps stand still while the alert is acknowledged, and go on after the time-out where they were', async (t) => {
  const { world, to, said, alertOf } = timed;
  const monitor = await timed.monitor('Shop', twoSteps(timed, { ack_timeout_sec: 600 }));
  await world.happens('down', [monitor]);
  await to(200);
  await acknowledge(timed, monitor);
  await to(790);
  t.same(said(), ['0 firing a', '200 acknowledged a']);
  t.match(await alertOf(monitor), { status: 'acknowledged' });
  await to(800);
  t.match(await alertOf(monitor), { status: 'firing', state: { acknowledgedBy: null } });
  t.same(said(), ['800 reminder a'], 'channels that know of the acknowledgement are notified that it is over');
  await to(1_500);
  t.same(said(), ['900 escalation b', '1200 escalation b', '1200 escalation c']);
  const history = await world.db('alert_timeline').orderBy('id').pluck('what');
  t.same(history.slice(0, 5), ['opened', 'notified', 'acknowledged', 'notified', 'ack_timed_out']);
});

t.test('steps stand still while a silence holds, from its begin on, and its time does not count', async (t) => {
  const { world, to, said, alertOf } = timed;
  const monitor = await timed.monitor('Shop', twoSteps(timed));
  // known before the alert opens
  await world.addSilence(600_000, { inMs: 100_000 });
  await world.happens('down', [monitor]);
  await to(690);
  t.same(said(), ['0 firing a']);
  t.match(await alertOf(monitor), { state: { heldBy: ['silence'] }, next_step_at: null });
  await to(1_300);
  t.same(said(), ['900 escalation b', '1200 escalation b', '1200 escalation c']);
});

t.test('a step asks the policy as it is then', async (t) => {
  const { world, choice, to, said } = timed;
  const monitor = await timed.monitor('Shop', twoSteps(timed));
  await world.happens('down', [monitor]);
  await to(100);
  const steps = [{ after_sec: 400, channels: [choice('c')], schedule_id: null }];
  await world
    .db('alert_policies')
    .where({ owner_id: world.userId, is_default: false })
    .update({ escalation: JSON.stringify({ steps, repeat: 0, ack_timeout_sec: 0 }) });
  await to(1_000);
  t.same(said(), ['0 firing a', '400 escalation c']);
});
