import t from 'tap';
import { acknowledge, aPolicy, aRule, channel, over, quiet, START_MS, step, trouble } from './_support/builders.js';
import { Play } from './_support/play.js';
import { decide } from './decide.js';
import type { AlertContext } from './decision.js';

const until = (second: number) => ({ untilMs: START_MS + second * 1000 });

for (const hold of ['silence', 'maintenance', 'dependency', 'flapping'] as const) {
  t.test(`${hold} holds an alert, which is sent when the hold ends if it still fires`, async (t) => {
    const held = () => new Play(aPolicy()).surround(0, { [hold]: until(600) }).down(10);
    const lasting = held();
    t.match(lasting.alert, { status: 'firing', heldBy: [hold] });
    t.same(lasting.surround(600, {}).said(), ['600 firing a']);
    t.same(lasting.history(), ['10 opened', '10 held', '600 released', '600 notified']);
    t.same(held().at(300, over(300)).until(9000).said(), [], 'neither message');
  });

  t.test(`${hold} that begins later holds what comes next, not the end`, async (t) => {
    const policy = aPolicy({ rules: [aRule({ repeat: [300, 9] })] });
    const play = new Play(policy)
      .down(0)
      .surround(100, { [hold]: { untilMs: null } })
      .at(2000, over(2000));
    t.same(play.said(), ['0 firing a', '2000 resolved a']);
  });
}

t.test('a reminder that was due while something held is sent once when it ends', async (t) => {
  const policy = aPolicy({ rules: [aRule({ repeat: [300, 9] })] });
  const play = new Play(policy)
    .down(0)
    .surround(100, { silence: until(1000) })
    .until(1400);
  t.same(play.said(), ['0 firing a', '1000 reminder a', '1300 reminder a'], 'by the end that was foretold');
});

t.test('the last hold to end decides, and each one is named', async (t) => {
  const play = new Play(aPolicy()).surround(0, { silence: until(100), maintenance: until(200) }).down(10);
  t.same(play.alert?.heldBy, ['silence', 'maintenance']);
  t.same(play.until(300).said(), ['200 firing a']);
  t.same(play.alert?.heldBy, []);
});

t.test('flapping holds nothing where the policy wants every event', async (t) => {
  const play = new Play(aPolicy({ suppression: { flapping: 'all' } })).surround(0, { flapping: { untilMs: null } });
  t.same(play.down(10).said(), ['10 firing a']);
});

t.test('no message is sent about an outage shorter than after_sec, counted from its start', async (t) => {
  const policy = aPolicy({ suppression: { after_sec: 120 } });
  const play = new Play(policy).down(0);
  t.same(play.alert?.heldBy, ['after_sec']);
  t.same(play.until(200).said(), ['120 firing a']);
  t.same(new Play(policy).down(0).at(119, over(119)).until(300).said(), []);
});

t.test(
  'an alert waits for a monitor that it depends on to be found down, and no alert of that monitor does',
  async (t) => {
    const policy = aPolicy({ suppression: { depends_on: ['mon_2'] } });
    t.same(new Play(policy).down(0).until(100).said(), ['30 firing a']);
    const held = new Play(policy)
      .down(0)
      .surround(20, { dependency: { untilMs: null } })
      .surround(500, {});
    t.same(held.said(), ['500 firing a']);
    t.same(new Play(aPolicy({ suppression: { depends_on: ['mon_1', 'mon_2'] } })).down(0).said(), ['0 firing a']);
  },
);

t.test('a held rise of the severity that has been reverted is not sent', async (t) => {
  const play = new Play(aPolicy())
    .degraded(0)
    .surround(10, { silence: until(600) })
    .down(100)
    .degraded(200);
  t.same(play.until(9000).said(), ['0 firing a']);
  const lasting = new Play(aPolicy())
    .degraded(0)
    .surround(10, { silence: until(600) })
    .down(100);
  t.same(lasting.until(9000).said(), ['0 firing a', '600 severity a']);
});

t.test('a held acknowledgement is sent if it still applies', async (t) => {
  const play = new Play(aPolicy())
    .down(0)
    .surround(10, { silence: until(600) })
    .at(100, acknowledge);
  t.same(play.until(9000).said(), ['0 firing a', '600 acknowledged a']);
});

t.test('quiet hours hold less severe alerts, and join those that still fire at their end', async (t) => {
  const policy = aPolicy({ suppression: { quiet_hours: [quiet('00:00', '06:00')] } });
  t.same(new Play(policy).down(0).said(), ['0 firing a'], 'critical is not below critical');
  const play = new Play(policy).degraded(60);
  t.same(play.alert?.heldBy, ['quiet_hours']);
  t.same(play.until(30_000).said(), ['21600 firing a']);
  t.match(play.notifications, [{ wasQuiet: true }]);
});

t.test('an alert that gets too severe for quiet hours is sent at once, alone', async (t) => {
  const play = new Play(aPolicy({ suppression: { quiet_hours: [quiet('00:00', '06:00')] } })).degraded(60).down(120);
  t.same(play.said(), ['120 firing a']);
  t.match(play.notifications, [{ wasQuiet: false }]);
});

t.test('messages that quiet hours drop are not sent later, but those due after them are, and the end is', async (t) => {
  const quietHours = [quiet('00:00', '06:00', { action: 'drop' })];
  const rules = [aRule(), aRule({ channels: [channel('late')], delay: 30_000 })];
  const play = new Play(aPolicy({ rules, suppression: { quiet_hours: quietHours } })).degraded(60).until(40_000);
  t.same(play.said(), ['30060 firing late']);
  t.same(play.history().slice(0, 3), ['60 opened', '60 held', '60 dropped']);
  t.same(play.at(40_000, over(40_000)).said(), ['40000 resolved late']);
});

t.test('quiet hours that drop have steps and raises go by', async (t) => {
  const quietHours = [quiet('00:00', '06:00', { action: 'drop', below: 'critical' })];
  const escalation = { steps: [step(600, 'b'), step(30_000, 'c')] };
  const play = new Play(aPolicy({ escalation, suppression: { quiet_hours: quietHours } })).degraded(0).until(86_400);
  t.same(play.said(), ['30000 escalation c']);
});

t.test('something that holds keeps quiet hours from dropping', async (t) => {
  const quietHours = [quiet('00:00', '06:00', { action: 'drop' })];
  const play = new Play(aPolicy({ suppression: { quiet_hours: quietHours } }));
  play.surround(0, { silence: until(25_000) } satisfies AlertContext).degraded(60);
  t.same(play.until(86_400).said(), ['25000 firing a']);
});

// The clocks of each zone change between these instants and the next 06:00 there; ends are in UTC.
const nights: readonly (readonly [zone: string, from: string, end: string])[] = [
  ['Europe/Berlin', '2026-03-28T21:30Z', '2026-03-29T04:00:00.000Z'],
  ['Europe/Berlin', '2026-10-24T21:30Z', '2026-10-25T05:00:00.000Z'],
  ['America/New_York', '2026-03-08T03:30Z', '2026-03-08T10:00:00.000Z'],
  ['Australia/Lord_Howe', '2026-10-03T12:00Z', '2026-10-03T19:00:00.000Z'],
  ['Africa/Casablanca', '2026-02-14T22:30Z', '2026-02-15T06:00:00.000Z'],
  ['America/Ciudad_Juarez', '2026-03-08T06:00Z', '2026-03-08T12:00:00.000Z'],
  ['Pacific/Apia', '2011-12-30T09:00Z', '2011-12-30T16:00:00.000Z'],
];
for (const [timezone, from, end] of nights)
  t.test(`quiet hours until 06:00 in ${timezone} end at 06:00 by its clocks, which change after ${from}`, async (t) => {
    const nowMs = Date.parse(from);
    const policy = aPolicy({ suppression: { quiet_hours: [quiet('22:00', '06:00', { timezone })] } });
    const input = { monitorId: 'mon_1', policy, tags: [], context: {}, nextHoldAtMs: null };
    const trigger = trouble('degraded', 0, { startedAtMs: nowMs });
    const held = decide({ ...input, alert: null, trigger, nowMs });
    t.match([held.alert?.heldBy, held.notifications], [['quiet_hours'], []]);
    t.equal(new Date(held.lookAtMs ?? 0).toISOString(), end);
    const notified = decide({ ...input, alert: held.alert, trigger: { kind: 'look' }, nowMs: Date.parse(end) });
    t.match(notified.notifications, [{ kind: 'firing', wasQuiet: true }]);
  });
