import { FLAP_RESULTS } from '@vantage/shared/monitor-state/flapping.js';
import t from 'tap';
import { queueFlapping } from '../src/modules/monitors/judging/state-store.js';
import { LateMonitor } from './_support/late-monitor.js';

t.test(
  'a flapping monitor is announced once, then stays quiet while events are still recorded, and is announced again when it settles',
  async (t) => {
    const one = await LateMonitor.create(t, 150);
    // two failed checks, one good one: the fastest changes that the rule allows
    const isDown = (minute: number) => minute >= 10 && minute < 40 && minute % 3 !== 0;
    await one.inTime(one.checks(0, 75, isDown));
    await one.passUntil(75);
    const notified = await one.notified();
    const begins = notified.findIndex((title) => title.startsWith('flapping'));
    t.ok(begins > 4 && begins < FLAP_RESULTS, `${begins} mails before`);
    t.match(notified.slice(begins), [/^flapping /, /^settled up$/], 'one mail, then quiet until it settles');
    t.equal(notified.length, begins + 2);
    t.equal((await one.events()).length, 10, 'every event');
    const outbox = await one.db('outbox').whereNot({ kind: 'monitor.flapping' }).orderBy('id');
    t.equal(outbox.length, 20, 'webhooks receive each event');
    t.equal(outbox.filter(({ payload }) => payload.is_flapping).length, 20 - begins, 'and that it flaps');
    t.match(await one.db('monitor_states'), [{ is_flapping: false, health: 'up' }]);
  },
);

t.test('a flapping monitor is judged until it has settled, even if it stays down', async (t) => {
  const one = await LateMonitor.create(t, 150);
  const isDown = (minute: number) => minute >= 10 && (minute % 3 !== 0 || minute >= 35);
  await one.inTime(one.checks(0, 45, isDown));
  t.match((await one.notified()).at(-1), /^flapping /);
  // no check changes anything any more: it is judged because it flaps
  const notifiedAt = async (minute: number) => {
    await one.db('node_progress').update({ complete_through: new Date(one.slotMs(0, minute)) });
    await queueFlapping(one.db);
    await one.passUntil(minute);
    return (await one.notified()).at(-1);
  };
  await one.db('monitor_due').delete();
  t.match(await notifiedAt(45), /^flapping /);
  t.match(await notifiedAt(36 + FLAP_RESULTS), /^settled not up$/);
  await one.db('monitor_due').delete();
  await queueFlapping(one.db);
  t.same(await one.db('monitor_due'), [], 'a monitor that does not flap is left alone');
});
