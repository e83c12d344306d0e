import type { LinkComparison } from '../link/comparison.js';
import { sized } from '../sized.js';
import { figureOf, figureText, quantile } from '../statistics.js';
import { atRate, until } from './pacing.js';
import { type OwnMonitor, STORM, type StormSite, startStormSite } from './storm-site.js';

const PER_SECOND = 50;
const SECONDS = sized(5, 1);
const CHANGES = PER_SECOND * SECONDS;

/** Judgment of monitors while a storm of others becomes alerts. */
export const judging: LinkComparison = {
  name: 'judging',
  title: 'judging monitors while ten thousand others become alerts',
  question: 'Does a storm of alerts take at most a tenth of the rate at which monitors are judged?',
  method: ({ rounds }) =>
    `${PER_SECOND} monitors a second go down for ${SECONDS} s, with and without ${STORM} rows in the outbox from the first second on; events committed within these ${SECONDS} s; ${rounds} rounds, in turns`,
  async run({ rounds }) {
    const site = await startStormSite({ storms: rounds, others: (2 * rounds + 1) * CHANGES });
    try {
      let from = 0;
      const next = () => site.others.slice(from, (from += CHANGES));
      await judge(site, next(), null);
      const without: Judged[] = [];
      const meanwhile: Judged[] = [];
      for (const storm of site.storms) {
        without.push(await judge(site, next(), null));
        meanwhile.push(await judge(site, next(), () => storm.begin('down')));
        await storm.stored(0);
      }
      const rate = (judged: readonly Judged[]) => figureOf(judged.map(({ perSecond }) => perSecond));
      const wait = (judged: readonly Judged[]) => figureOf(judged.map(({ p99 }) => p99));
      const row = (what: string, of: (judged: readonly Judged[]) => ReturnType<typeof figureOf>, goal: string) => ({
        what,
        ours: figureText(of(meanwhile), 1),
        baseline: `no storm: ${figureText(of(without), 1)}`,
        ratio: (of(meanwhile).median / of(without).median).toFixed(2),
        goal,
      });
      return [
        row(`monitors judged a second, of ${PER_SECOND}`, rate, 'at least 0.9'),
        row('from the frame to the committed event, p99, ms', wait, ''),
      ];
    } finally {
      await site.stop();
    }
  },
};

interface Judged {
  readonly perSecond: number;
  readonly p99: number;
}

async function judge(
  { watched }: StormSite,
  monitors: readonly OwnMonitor[],
  begin: (() => Promise<unknown>) | null,
): Promise<Judged> {
  // rows that wait in an open transaction are none: their commit is the beginning
  await begin?.();
  const startedMs = Date.now();
  const sentAt = new Map<string, number>();
  await atRate(monitors, PER_SECOND, (monitor) => {
    sentAt.set(monitor.id, Date.now());
    monitor.fail();
  });
  let waits: number[] = [];
  let within = 0;
  await until('every monitor is judged', async () => {
    const { rows } = await watched.site.database.query<{ monitor_id: string; at: string }>(
      'SELECT monitor_id, extract(epoch FROM created_at) * 1000 AS at FROM monitor_events WHERE monitor_id = ANY($1)',
      [monitors.map(({ id }) => id)],
    );
    waits = rows.map(({ monitor_id: id, at }) => Number(at) - (sentAt.get(id) ?? 0));
    within = rows.filter(({ at }) => Number(at) < startedMs + SECONDS * 1_000).length;
    return rows.length === monitors.length;
  });
  return { perSecond: within / SECONDS, p99: quantile(waits, 0.99) };
}
