import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { rounds } from '../_support/rounds.js';
import {
  anyHistory,
  contextAt,
  type History,
  instantOf,
  isTouched,
  monitorTags,
  nextHoldAt,
  policyAt,
  TICK_MS,
  TICKS,
} from './_support/history.js';
import { naiveMessages } from './_support/naive-engine.js';
import type { AlertState } from './alert.js';
import { decide } from './decide.js';
import type { AlertTrigger, Decision } from './decision.js';

/** A message, and the number of its alert in the history. */
interface Sent {
  readonly tick: number;
  readonly alert: number;
  readonly kind: string;
  readonly channel: string;
  readonly to: readonly string[] | null;
}

interface Run {
  readonly sent: readonly Sent[];
  /** Alerts as they were when the next one opened, and the last one. */
  readonly alerts: readonly AlertState[];
}

/** Ticks by which a look comes late, from the numbers of looks before it. */
type Lateness = (looks: number) => number;

/** Plays a history on a clock that wakes at the instants that the engine asks for, and when something changes. */
function play(history: History, { isAwake, lateness = () => 0 }: { isAwake: boolean; lateness?: Lateness }): Run {
  const sent: Sent[] = [];
  const alerts: AlertState[] = [];
  let alert = null as AlertState | null;
  let lookTick = null as number | null;
  let looks = 0;
  const give = (tick: number, trigger: AlertTrigger): Decision => {
    const [policy, context] = [policyAt(history, tick), contextAt(history, tick)];
    const [nowMs, nextHoldAtMs] = [instantOf(tick), nextHoldAt(history, tick)];
    const decision = decide({
      alert,
      monitorId: 'mon_1',
      policy,
      tags: monitorTags,
      context,
      nextHoldAtMs,
      trigger,
      nowMs,
    });
    if (decision.lookAtMs !== null && decision.lookAtMs <= nowMs) throw new Error('a look is due that was just taken');
    if (decision.timeline.some(({ what }) => what === 'opened')) alerts.push(decision.alert as AlertState);
    else if (decision.alert !== null) alerts[alerts.length - 1] = decision.alert;
    for (const { kind, choice } of decision.notifications)
      sent.push({ tick, alert: alerts.length, kind, channel: choice.channel_id, to: choice.to });
    alert = decision.alert;
    lookTick = decision.lookAtMs === null ? null : Math.ceil((decision.lookAtMs - instantOf(0)) / TICK_MS);
    if (lookTick !== null) lookTick += lateness((looks += 1));
    return decision;
  };
  for (let tick = 0; tick < TICKS; tick += 1) {
    const trigger = history.triggers.get(tick);
    if (alert?.status === 'resolved' && (alert.resolution !== 'person' || trigger?.kind === 'over')) alert = null;
    if (trigger !== undefined || isAwake || isTouched(history, tick) || (lookTick !== null && lookTick <= tick)) {
      give(tick, trigger ?? { kind: 'look' });
      const before = alert;
      const again = give(tick, { kind: 'look' });
      if (
        again.notifications.length > 0 ||
        again.timeline.length > 0 ||
        JSON.stringify(again.alert) !== JSON.stringify(before)
      )
        throw new Error(`a second look at tick ${tick} changes something: ${JSON.stringify(again)}`);
    }
  }
  return { sent, alerts };
}

function linesOf({ sent }: Run): string[] {
  return sent
    .map(
      ({ tick, kind, channel, to }) => `${tick} ${kind} ${channel} ${to === null ? 'all' : [...to].sort().join(',')}`,
    )
    .sort();
}

const describe = (history: History) => JSON.stringify({ ...history, trigger: [...history.triggers] });
const runs = { numRuns: rounds(300) };
const late = fc.infiniteStream(fc.constantFrom(0, 0, 1, 5, 60));

t.test(
  'the engine sends the same as the naive one, whether it runs all the time or only when something is due',
  async () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const expected = naiveMessages(history);
        assert.deepEqual(linesOf(play(history, { isAwake: true })), expected, describe(history));
        assert.deepEqual(linesOf(play(history, { isAwake: false })), expected, describe(history));
      }),
      runs,
    );
  },
);

t.test(
  'a channel gets the start of each alert first and the end last, each once, however late the engine runs',
  async () => {
    fc.assert(
      fc.property(anyHistory, late, (history, delays) => {
        const run = play(history, { isAwake: false, lateness: () => delays.next().value });
        checkMessages(run);
        for (const [index, { status, told: notified }] of run.alerts.entries()) {
          const isLast = index === run.alerts.length - 1;
          assert.ok(status === 'resolved' || isLast, 'only the last alert may be open');
          if (status !== 'resolved') continue;
          const ended = run.sent.filter(({ alert, kind }) => alert === index + 1 && kind === 'resolved');
          const mayBeQuiet = history.policies.some(({ policy }) => policy?.on_recovery.notify === false);
          const missing = notified.filter(({ choice }) => !ended.some(({ channel }) => channel === choice.channel_id));
          assert.ok(
            missing.length === 0 || mayBeQuiet,
            `channels that were notified are notified of the end: ${describe(history)}`,
          );
        }
      }),
      runs,
    );
  },
);

t.test('receivers that fail for a time get both start and end, or neither', async () => {
  const outages = fc.array(fc.record({ from: fc.nat(TICKS), length: fc.nat(100) }), { maxLength: 3 });
  fc.assert(
    fc.property(anyHistory, outages, (history, outages) => {
      const isDown = (tick: number) => outages.some(({ from, length }) => from <= tick && tick < from + length);
      const run = play(history, { isAwake: false });
      checkMessages({ ...run, sent: received(run.sent, isDown) });
    }),
    runs,
  );
});

t.test('a held message is sent when nothing holds it any longer, or the alert has ended', async () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      const calm: History = {
        triggers: new Map([...history.triggers].filter(([tick]) => tick < TICKS / 3)),
        holds: history.holds.map((hold) => ({ ...hold, to: Math.min(hold.to, TICKS / 2) })),
        policies: history.policies.filter(({ from, policy }) => policy !== null && from < TICKS / 3),
      };
      const { alerts } = play(calm, { isAwake: false });
      const last = alerts.at(-1);
      if (last?.status !== 'firing' || last.heldBy.length > 0) return;
      const endMs = instantOf(TICKS - 1);
      assert.deepEqual(
        last.planned.filter(({ atMs }) => atMs <= endMs),
        [],
        describe(calm),
      );
    }),
    runs,
  );
});

/** Messages by alert and channel. */
function threadsOf(sent: readonly Sent[]): Map<string, Sent[]> {
  const threads = new Map<string, Sent[]>();
  for (const message of sent) {
    const thread = `${message.alert} ${message.channel}`;
    threads.set(thread, [...(threads.get(thread) ?? []), message]);
  }
  return threads;
}

/** Checks the order of messages for each alert and channel. */
function checkMessages({ sent }: Pick<Run, 'sent'>): void {
  const threads = threadsOf(sent);
  for (const [thread, messages] of threads) {
    const kinds = messages.map(({ kind }) => kind);
    const begins = kinds.filter((kind) => kind === 'firing').length;
    const ends = kinds.filter((kind) => kind === 'resolved').length;
    const isOnlyEnd = kinds.length === 1 && kinds[0] === 'resolved';
    // channels of on_recovery were not notified before
    if (isOnlyEnd) continue;
    const beginsWell = kinds[0] === 'firing' || kinds[0] === 'escalation';
    const endsWell = ends === 0 || (ends === 1 && kinds.at(-1) === 'resolved');
    if (!beginsWell || !endsWell || begins > 1) throw new Error(`${thread}: ${kinds.join(', ')}`);
  }
}

/** Messages as a receiver gets them that is down at times: a begin that has not left when the end comes is dropped with it. */
function received(sent: readonly Sent[], isDown: (tick: number) => boolean): Sent[] {
  const got: Sent[] = [];
  const threads = threadsOf(sent);
  for (const messages of threads.values()) {
    const waiting: Sent[] = [];
    for (const message of messages) {
      while (waiting[0] !== undefined && canLeaveBefore(waiting[0], message.tick, isDown))
        got.push(waiting.shift() as Sent);
      const isKnown = got.some(({ alert, channel }) => alert === message.alert && channel === message.channel);
      if (message.kind === 'resolved' && waiting.length > 0) {
        waiting.length = 0;
        if (!isKnown) continue;
      }
      waiting.push(message);
    }
    got.push(...waiting);
  }
  return got;
}

function canLeaveBefore({ tick }: Sent, before: number, isDown: (tick: number) => boolean): boolean {
  for (let at = tick; at < before; at += 1) if (!isDown(at)) return true;
  return false;
}
