import type { LinkComparison, LinkRow } from '../link/comparison.js';
import { tellProgress } from '../progress.js';
import { sized } from '../sized.js';
import { figureOf, figureText } from '../statistics.js';
import { until } from './pacing.js';
import { STORM, type Storm, startStormSite } from './storm-site.js';

/** Time until every end is told: a digest comes 300 s after the previous one at the earliest. */
const RECOVERY_MS = 400_000;
/** Time that the messages of a channel are counted for, from the first event. */
const COUNTED_MS = sized(600_000, 0);

/** Ten thousand monitors of one policy that go down at once. */
export const storm: LinkComparison = {
  name: 'storm',
  title: 'ten thousand monitors that go down at once',
  question: 'Are ten thousand alerts stored within 3 s, and told with a handful of messages within 35 s?',
  method: ({ rounds }) =>
    `${STORM} rows of the outbox in one transaction, of monitors with one policy and one webhook channel; ${rounds} storms, each of other monitors; of the last one also the recovery, ${STORM} rows in one transaction after the digest`,
  async run({ rounds }) {
    tellProgress(`it takes about a quarter of an hour: messages are counted for ${COUNTED_MS / 60_000} minutes`);
    const site = await startStormSite({ storms: rounds, others: 0 });
    try {
      const firing: Firing[] = [];
      let recovery: Recovery | null = null;
      for (const [index, one] of site.storms.entries()) {
        const startedMs = Date.now();
        const fired = await fire(one);
        firing.push(fired);
        tellProgress(
          `storm ${index + 1} of ${rounds}: stored in ${secondsText(fired.storedMs)} s, all told in ${secondsText(fired.lastMs)} s`,
        );
        if (index === site.storms.length - 1) recovery = await recover(one, startedMs);
      }
      return rowsOf(firing, recovery);
    } finally {
      await site.stop();
    }
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
  await until('every alert is told', () => one.told('alert.firing', sinceMs).alerts >= STORM, 120_000);
  return { storedMs, ...one.told('alert.firing', sinceMs) };
}

interface Recovery {
  readonly storedMs: number;
  readonly firing: number;
  readonly resolved: number;
}

async function recover(one: Storm, startedMs: number): Promise<Recovery> {
  const sinceMs = await one.begin('up');
  const storedMs = await one.stored(sinceMs);
  tellProgress(`recovery: stored in ${secondsText(storedMs)} s; a digest comes five minutes after the last one`);
  await until('every end is told', () => one.told('alert.resolved', sinceMs).alerts >= STORM, RECOVERY_MS);
  await until('ten minutes are over', () => Date.now() >= startedMs + COUNTED_MS, COUNTED_MS);
  const messages = (type: 'alert.firing' | 'alert.resolved') => one.told(type, startedMs).messages;
  return { storedMs, firing: messages('alert.firing'), resolved: messages('alert.resolved') };
}

function secondsText(ms: number): string {
  return (ms / 1_000).toFixed(2);
}

function rowsOf(firing: readonly Firing[], recovery: Recovery | null): LinkRow[] {
  const row = (what: string, figure: string, goal: string): LinkRow => ({
    what,
    ours: figure,
    baseline: '',
    ratio: '',
    goal,
  });
  const seconds = (of: (one: Firing) => number) => figureText(figureOf(firing.map((one) => of(one) / 1_000)));
  return [
    row(
      'alerts and deliveries stored, s',
      seconds(({ storedMs }) => storedMs),
      'at most 3',
    ),
    row(
      'first message at the receiver, s',
      seconds(({ firstMs }) => firstMs),
      'at most 1',
    ),
    row(
      'every alert told, s',
      seconds(({ lastMs }) => lastMs),
      'at most 35',
    ),
    row('messages by then', figureText(figureOf(firing.map(({ messages }) => messages)), 0), 'at most 8'),
    ...(recovery === null
      ? []
      : [
          row('recovery stored, s', secondsText(recovery.storedMs), 'at most 3'),
          row('firing messages within ten minutes', String(recovery.firing), 'at most 8'),
          row('recovery messages within ten minutes', String(recovery.resolved), 'at most 8'),
        ]),
  ];
}
