import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@vantage/shared/_support/until.js';
import { type Part, type Row, rowOf, say, sized } from '../harness.js';
import { STORM, type Storm, startStorms } from './storm-site.js';

/** Time until every end is notified: a digest comes 300 s after the previous one at the earliest. */
const RECOVERY_MS = 400_000;
/** Time that the messages of a channel are counted for, from the first event. */
const COUNTED_MS = 600_000;

const FEW_MESSAGES = 'at most 8';

/** Ten thousand monitors of one policy that go down at once. */
export const storm: Part = {
  name: 'storm',
  title: 'ten thousand monitors that go down at once',
  question: 'Are ten thousand alerts stored within 3 s, and notified with a handful of messages within 35 s?',
  method: ({ rounds }) =>
    `${STORM} rows of the outbox in one transaction, of monitors with one policy and one webhook channel; ${rounds} storms, each of other monitors; of the last one also the recovery, ${STORM} rows in one transaction after the digest`,
  async run({ rounds }, stops) {
    const storms = await startStorms(rounds, stops);
    const firing: Firing[] = [];
    let lastMs = 0;
    for (const [index, one] of storms.entries()) {
      lastMs = Date.now();
      const fired = await fire(one);
      firing.push(fired);
      say(
        `storm ${index + 1} of ${rounds}: stored in ${secondsText(fired.storedMs)}, all notified in ${secondsText(fired.lastMs)}`,
      );
    }
    const last = sized(storms.at(-1), undefined);
    const recovery = last === undefined ? [] : await recoveryRows(last, lastMs);
    const seconds = (of: (one: Firing) => number) => firing.map((one) => of(one) / 1_000);
    return [
      rowOf('alerts and deliveries stored, s', { ours: seconds(({ storedMs }) => storedMs), goal: 'at most 3' }),
      rowOf('first message at the receiver, s', { ours: seconds(({ firstMs }) => firstMs), goal: 'at most 1' }),
      rowOf('every alert notified, s', { ours: seconds((one) => one.lastMs), goal: 'at most 35' }),
      rowOf('messages by then', { ours: firing.map(({ messages }) => messages), digits: 0, goal: FEW_MESSAGES }),
      ...recovery,
    ];
  },
};

interface Firing {
  readonly storedMs: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly messages: number;
}

async function fire(one: Storm): Promise<Firing> {
  const sinceMs = await one.begin('down');
  const storedMs = await one.stored(sinceMs);
  await until('a message of every alert', () => one.sent('alert.firing', sinceMs).alerts >= STORM);
  return { storedMs, ...one.sent('alert.firing', sinceMs) };
}

async function recoveryRows(one: Storm, startedMs: number): Promise<Row[]> {
  const sinceMs = await one.begin('up');
  const storedMs = await one.stored(sinceMs);
  say(`recovery: stored in ${secondsText(storedMs)}; messages are counted until ten minutes after the storm`);
  await until('a message of every end', () => one.sent('alert.resolved', sinceMs).alerts >= STORM, RECOVERY_MS);
  await pause(Math.max(0, startedMs + COUNTED_MS - Date.now()));
  const messages = (type: 'alert.firing' | 'alert.resolved') => [one.sent(type, startedMs).messages];
  const few = { digits: 0, goal: FEW_MESSAGES };
  return [
    rowOf('recovery stored, s', { ours: [storedMs / 1_000], goal: 'at most 3' }),
    rowOf('firing messages within ten minutes', { ours: messages('alert.firing'), ...few }),
    rowOf('recovery messages within ten minutes', { ours: messages('alert.resolved'), ...few }),
  ];
}

function secondsText(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}
