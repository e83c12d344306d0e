import t from 'tap';
import {
  type BundledAlert,
  type BundleState,
  bundleDueAt,
  emptyBundle,
  joinGroup,
  joinStorm,
  planBundle,
  stormTimes,
} from './joining.js';

const firing = { kind: 'firing', isMember: false, wasQuiet: false, hasRoom: true } as const;
const anAlert = (alertId: string, more: Partial<BundledAlert> = {}): BundledAlert => ({
  alertId,
  severity: 'critical',
  isFiring: true,
  notifiedSeverity: null,
  ...more,
});
const groupTimes = { waitMs: 30_000, intervalMs: 600_000 };

t.test('five messages within a minute leave alone, the others join, until a minute has had fewer', async (t) => {
  let state: BundleState = emptyBundle;
  const areJoined = (...seconds: number[]) =>
    seconds.map((second) => {
      const joined = joinStorm(state, firing, second * 1000);
      state = joined.state;
      return joined.isJoined;
    });
  t.same(areJoined(0, 0, 10, 20, 30, 31, 59), [false, false, false, false, false, true, true]);
  t.equal(bundleDueAt(state, stormTimes), 61_000, 'half a minute after the first that joined');
  t.same(areJoined(69, 79, 89), [true, true, true], 'messages that joined count, too');
  t.same(areJoined(119), [false], 'after the fifth last is a minute old, one leaves alone');
});

t.test('messages about an alert that the bundle contains, and those that quiet hours held, always join', async (t) => {
  t.ok(joinStorm(emptyBundle, { ...firing, kind: 'resolved', isMember: true }, 0).isJoined);
  t.ok(joinStorm(emptyBundle, { ...firing, wasQuiet: true }, 0).isJoined);
  t.notOk(joinStorm(emptyBundle, firing, 0).isJoined);
});

t.test(
  'a message for which the limits of the channel have no room joins, and the first that joins is the cause',
  async (t) => {
    const none = { ...firing, hasRoom: false };
    const joined = joinStorm(emptyBundle, none, 0);
    t.match(joined, { isJoined: true, state: { cause: 'rate' } });
    t.match(joinStorm(joined.state, { ...firing, wasQuiet: true }, 1_000).state, { cause: 'rate' });
    t.match(joinStorm(emptyBundle, { ...none, wasQuiet: true }, 0).state, { cause: 'quiet_hours' });
    const full = { ...emptyBundle, recentAtMs: [0, 0, 0, 0, 0] };
    t.match(joinStorm(full, none, 1_000).state, { cause: 'storm' });
    const sent = planBundle(joined.state, [anAlert('x')], 30_000).state;
    t.match(joinStorm(sent, { ...firing, kind: 'resolved', isMember: true }, 90_000).state, { cause: 'rate' });
    t.match(joinStorm(sent, { ...firing, wasQuiet: true }, 90_000).state, { cause: 'quiet_hours' });
  },
);

t.test('a bundle waits for its first message, and then for its interval', async (t) => {
  const waiting = joinGroup(emptyBundle, firing, 1_000);
  t.equal(bundleDueAt(emptyBundle, groupTimes), null);
  t.equal(bundleDueAt(waiting, groupTimes), 31_000);
  t.equal(bundleDueAt(joinGroup(waiting, firing, 20_000), groupTimes), 31_000, 'not longer for those that follow');
  const sent = planBundle(waiting, [anAlert('x')], 31_000).state;
  t.equal(bundleDueAt(sent, groupTimes), null);
  t.equal(bundleDueAt(joinGroup(sent, firing, 40_000), groupTimes), 631_000);
  t.equal(bundleDueAt(joinGroup(sent, firing, 2_000_000), groupTimes), 2_030_000);
  const over = planBundle(joinGroup(sent, firing, 40_000), [anAlert('x', { isFiring: false })], 631_000).state;
  t.equal(bundleDueAt(joinGroup(over, firing, 640_000), groupTimes), 670_000, 'a new beginning after all was over');
});

const notified = { notifiedSeverity: 'critical' } as const;
const sentBefore = { ...emptyBundle, waitingSinceMs: 0, lastSentAtMs: 0 };
const waiting = { ...emptyBundle, waitingSinceMs: 0 };
const messages: readonly {
  name: string;
  state: BundleState;
  alerts: readonly BundledAlert[];
  expected: object | null;
  left: readonly string[];
}[] = [
  {
    name: 'the first message names what fires, most severe first, and not what is over',
    state: waiting,
    alerts: [anAlert('x', { severity: 'warning' }), anAlert('y'), anAlert('z', { isFiring: false })],
    expected: { change: 'first', firing: ['y', 'x'], opened: ['y', 'x'], raised: [], resolved: [] },
    left: ['x', 'y'],
  },
  {
    name: 'a bundle that is over before its first message sends none',
    state: waiting,
    alerts: [anAlert('x', { isFiring: false }), anAlert('y', { isFiring: false })],
    expected: null,
    left: [],
  },
  {
    name: 'a new alert comes before ended ones, and both are notified',
    state: sentBefore,
    alerts: [anAlert('x'), anAlert('y', notified), anAlert('z', { ...notified, isFiring: false })],
    expected: { change: 'new', firing: ['x', 'y'], opened: ['x'], raised: [], resolved: ['z'] },
    left: ['x', 'y'],
  },
  {
    name: 'an alert that is more severe than was notified is notified',
    state: sentBefore,
    alerts: [anAlert('x', { notifiedSeverity: 'warning' })],
    expected: { change: 'severity', firing: ['x'], opened: [], raised: ['x'], resolved: [] },
    left: ['x'],
  },
  {
    name: 'an alert that is less severe than was notified is not notified for that',
    state: sentBefore,
    alerts: [anAlert('x', { ...notified, severity: 'warning' })],
    expected: null,
    left: ['x'],
  },
  {
    name: 'the end of some is notified',
    state: sentBefore,
    alerts: [anAlert('x', notified), anAlert('y', { ...notified, isFiring: false })],
    expected: { change: 'resolved', firing: ['x'], opened: [], raised: [], resolved: ['y'] },
    left: ['x'],
  },
  {
    name: 'a reminder repeats what fires',
    state: { ...sentBefore, repeats: true },
    alerts: [anAlert('x', notified)],
    expected: { change: 'repeat', firing: ['x'], opened: [], raised: [], resolved: [] },
    left: ['x'],
  },
  {
    name: 'a reminder of what is over by then is none',
    state: { ...sentBefore, repeats: true },
    alerts: [],
    expected: null,
    left: [],
  },
];

for (const { name, state, alerts, expected, left } of messages) {
  t.test(name, async (t) => {
    const ids = (all: readonly BundledAlert[]) => all.map(({ alertId }) => alertId);
    const planned = planBundle(state, alerts, 1_000);
    const { message } = planned;
    const shown = message && {
      change: message.change,
      firing: ids(message.firing),
      opened: ids(message.opened),
      raised: ids(message.raised),
      resolved: ids(message.resolved),
    };
    t.same(shown, expected);
    t.same(ids(planned.alerts), left);
    t.equal(planned.state.waitingSinceMs, null);
    t.equal(planBundle(planned.state, planned.alerts, 2_000).message, null, 'notified once');
  });
}
