import { until } from '@vantage/shared/_support/until.js';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { program } from '../src/audit-log/actor.js';
import { maintenanceWindows } from '../src/modules/monitors/maintenance/maintenance-windows.js';
import { windowTurns } from '../src/modules/monitors/maintenance/window-turns.js';
import { accountOf } from './_support/owners.js';
import { openTimedAlerts } from './_support/timed-alerts.js';

// Maintenance windows and alerts: what was open before, what begins inside, and who is notified of its end.

const timed = await openTimedAlerts(t);

/** A world of alerts in which windows begin and end; `window` creates one for all monitors, from and to a second. */
async function withWindows(t: Test) {
  await timed.begin();
  const { world, rule, choice } = timed;
  const { db, clock, userId } = world;
  const startMs = clock.now();
  const act = { account: accountOf(userId), actor: program };
  const turns = windowTurns({
    db,
    mail: { enqueue: async () => {} },
    onDue: () => {},
    clock,
    log: pino({ level: 'silent' }),
  });
  t.teardown(() => turns.stop());
  turns.start();
  const instant = (second: number) => new Date(startMs + second * 1_000).toISOString();
  return {
    ...timed,
    window: (from: number, to: number) => {
      const body = { scope_type: 'all', starts_at: instant(from), ends_at: instant(to) } as const;
      return db.transaction((trx) => maintenanceWindows.create(trx, body, act, clock.now()));
    },
    remove: (id: string) => db.transaction((trx) => maintenanceWindows.delete(trx, id, act)),
    /** Waits until the begin or end of a window at a second has been noticed. */
    turned: async (second: number) => {
      await timed.to(second);
      // once: every further second would let the alert notice the window later
      clock.advance(1_000);
      await until('the turn of the window', async () => {
        const { turned_at: at } = await db('maintenance_windows').first();
        return at !== null && at.getTime() >= startMs + second * 1_000;
      });
    },
    /** Policy with a step after ten minutes and a reminder every ten minutes. */
    persistent: {
      rules: [rule({ repeat: { enabled: true, interval_sec: 600, max_count: 100 } })],
      escalation: {
        steps: [{ after_sec: 600, channels: [choice('b')], schedule_id: null }],
        repeat: 0,
        ack_timeout_sec: 0,
      },
    },
    heldBy: async (monitor: string) =>
      ((await timed.alertOf(monitor)) as never as { state: { heldBy: string[] } }).state.heldBy,
  };
}

t.test(
  'for a monitor that is down before a window and after it, nothing is sent within it, neither reminder nor step',
  async (t) => {
    const { world, monitor, window, to, turned, said, persistent, heldBy } = await withWindows(t);
    const shop = await monitor('Shop', persistent);
    await window(300, 1_500);
    await world.happens('down', [shop]);
    await turned(300);
    await to(310);
    t.same(await heldBy(shop), ['maintenance'], 'from its begin on');
    await to(1_490);
    t.same(said(), ['0 firing a']);
    await to(1_520);
    t.same(await heldBy(shop), []);
    t.same(said(), ['1500 reminder a'], 'the reminder that was due within, once');
    await to(1_850);
    const step = said();
    t.match(step, [/^18\d\d escalation b$/], 'the step stood still for the time of the window');
    await world.happens('up', [shop]);
    await to(1_860);
    t.same(said(), ['1850 resolved a', '1850 resolved b']);
  },
);

t.test('messages that a window holds are sent as soon as the window is deleted', async (t) => {
  const { world, monitor, window, remove, to, said, heldBy } = await withWindows(t);
  const shop = await monitor('Shop');
  const { id } = await window(0, 86_400);
  await to(10);
  await world.happens('down', [shop]);
  await to(100);
  t.same(await heldBy(shop), ['maintenance']);
  t.same(said(), []);
  await remove(id);
  await to(110);
  t.same(said(), ['100 firing a']);
});
