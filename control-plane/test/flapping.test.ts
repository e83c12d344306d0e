import { FLAP_RESULTS } from '@vantage/shared/monitor-state/flapping.js';
import t from 'tap';
import { queueFlapping } from '../src/modules/monitors/state-store.js';
import { LateMonitor } from './_support/late-monitor.js';

t.test(
  'what flaps is told once and then quiet, with its events written as ever, and told again when it has settled',
  async (t) => {
    const one = await LateMonitor.create(t, 150);
    // two checks that fail, one that does not: as fast as the rule lets a monitor change
    const isDown = (minute: number) => minute >= 10 && minute < 70 && minute % 3 !== 0;
    for (let minute = 0; minute < 120; minute += 1)
      for (const node of [0, 1, 2]) await one.arrive([one.make(node, minute, isDown(minute) ? 'failed' : 'ok')]);
    await one.passUntil(120);
    const begins = one.notified.indexOf(one.notified.find((told) => told.startsWith('flapping')) ?? '');
    t.ok(begins > 4 && begins < FLAP_RESULTS, `${begins} mails before`);
    t.match(one.notified.slice(begins), [/^flapping /, /^settled up$/], 'one notice, then quiet until it has settled');
    t.equal(one.notified.length, begins + 2);
    t.equal((await one.events()).length, 20, 'every event');
    const outbox = await one.db('outbox').orderBy('id');
    t.equal(outbox.length, 40, 'webhooks hear of each');
    t.equal(outbox.filter(({ payload }) => payload.is_flapping).length, 40 - begins, 'and that it flaps');
    t.match(await one.db('monitor_states'), [{ is_flapping: false, health: 'up' }]);
  },
);

t.test('what flaps is looked at until it has settled, also where it stays down', async (t) => {
  const one = await LateMonitor.create(t, 150);
  const isDown = (minute: number) => minute >= 10 && (minute % 3 !== 0 || minute >= 50);
  for (let minute = 0; minute < 60; minute += 1)
    for (const node of [0, 1, 2]) await one.arrive([one.make(node, minute, isDown(minute) ? 'failed' : 'ok')]);
  t.match(one.notified.at(-1), /^flapping /);
  // no check changes anything any more: it is looked at for that it flaps
  const toldAt = async (minute: number) => {
    await one.db('node_progress').update({ complete_through: new Date(one.slotMs(0, minute)) });
    await queueFlapping(one.db);
    await one.passUntil(minute);
    return one.notified.at(-1);
  };
  await one.db('monitor_due').delete();
  t.match(await toldAt(60), /^flapping /);
  t.match(await toldAt(51 + FLAP_RESULTS), /^settled not up$/);
  await one.db('monitor_due').delete();
  await queueFlapping(one.db);
  t.same(await one.db('monitor_due'), [], 'what does not flap is left alone');
});
