import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { type AlertHistory, anyAlertHistory } from './_support/alert-history.js';
import { AlertPlayer, type Arrival, type Played } from './_support/alert-player.js';

// Random histories through the runtime of two replicas: PostgreSQL and receivers are real, time is not.

const MINUTE_MS = 60_000;
/** A history lasts an hour and more. */
const RUNS_OF_DATABASE = 20;
const numRuns = Number(process.env['VANTAGE_TEST_RUNS'] ?? 3);

/** Accepted messages about each alert on each channel, by both: the statuses, each message once. */
function statusesOf(arrivals: readonly Arrival[]): Map<string, string[]> {
  const seen = new Set<string>();
  const notified = new Map<string, string[]>();
  for (const { channel, isAccepted, messageId, alerts } of arrivals) {
    if (!isAccepted || seen.has(messageId)) continue;
    seen.add(messageId);
    for (const { id, status } of alerts) {
      const thread = `${channel} ${id}`;
      notified.set(thread, [...(notified.get(thread) ?? []), status]);
    }
  }
  return notified;
}

function check({ limits }: AlertHistory, { arrivals, notices, expectedNotices, firing, ended }: Played): void {
  const notified = statusesOf(arrivals);
  for (const [thread, statuses] of notified) {
    const [end, ...more] = statuses.flatMap((status, index) => (status === 'resolved' ? [index] : []));
    assert.notEqual(statuses[0], 'resolved', `${thread} begins with its end`);
    assert.ok(
      more.length === 0 && end === statuses.length - 1,
      `${thread} is notified of its end once, at last: ${statuses}`,
    );
  }
  for (const { id, heldBy } of firing) {
    assert.deepEqual(heldBy, [], `${id} is held although nothing holds`);
    assert.ok(
      [...notified.keys()].some((thread) => thread.endsWith(id)),
      `${id} fires, and no one was notified`,
    );
  }
  for (const { id, status } of ended) assert.equal(status, 'resolved', `${id} goes on`);
  for (const [channel, limit] of limits.entries()) {
    const times = arrivals.filter((arrival) => arrival.channel === channel).map(({ atMs }) => atMs);
    for (const from of times) {
      const within = times.filter((atMs) => atMs >= from && atMs < from + MINUTE_MS).length;
      assert.ok(limit === null || within <= limit, `${within} messages on channel ${channel} within a minute`);
    }
  }
  assert.deepEqual([...notices].sort(), [...expectedNotices].sort(), 'notices of nodes');
}

t.test(
  'whatever happens, a channel gets the start of an alert first and its end last, held messages are sent or become obsolete, and no limit is exceeded',
  async (t) => {
    let player = await AlertPlayer.open(t);
    await fc.assert(
      fc.asyncProperty(anyAlertHistory, async (history) => {
        // a database has partitions for the next days only
        if (player.runs === RUNS_OF_DATABASE) player = await AlertPlayer.open(t);
        check(history, await player.play(history));
      }),
      { numRuns, endOnFailure: true },
    );
  },
);
