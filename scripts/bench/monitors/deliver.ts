import { until } from '@vantage/shared/_support/until.js';
import { reportOf, type WatchedSite } from './watched-site.js';

/** Checks that travel together: as many as come in a tenth of a second of a large installation. */
const AT_ONCE = 500;

/** Delivers `count` checks of all watches, from number `from` on, over all nodes in turns. @returns their number */
export function deliver({ nodes }: WatchedSite, count: number, from: number): number {
  const slotMs = Date.now();
  const byNode = new Map<number, number>();
  for (let index = from; index < from + count; index += 1) {
    const at = index % nodes.length;
    byNode.set(at, (byNode.get(at) ?? 0) + 1);
  }
  let sent = 0;
  for (const [at, checksOfNode] of byNode) {
    const node = nodes[at];
    if (node === undefined) continue;
    const first = Math.floor(from / nodes.length);
    const watches = Array.from({ length: checksOfNode }, (_, k) => node.watches[(first + k) % node.watches.length]);
    const reports = watches.flatMap((watch) => (watch === undefined ? [] : [reportOf(watch, slotMs)]));
    node.deliver(reports);
    sent += reports.length;
  }
  return sent;
}

export async function countChecks({ site }: WatchedSite): Promise<number> {
  const { rows } = await site.database.query<{ count: string }>(
    'SELECT sum(mark) AS count FROM ingest_marks WHERE lane = 2',
  );
  return Number(rows[0]?.count);
}

/** Resolves when so many are stored. */
export function untilStored(watched: WatchedSite, count: number): Promise<void> {
  return until(`${count} stored checks`, async () => (await countChecks(watched)) >= count);
}

/** Delivers the first report of each node on each of its monitors, which changes their states; later checks are usual ones. */
export async function deliverFirst(watched: WatchedSite): Promise<void> {
  const count = watched.nodes.reduce((sum, { watches }) => sum + watches.length, 0);
  for (let from = 0; from < count; from += AT_ONCE) {
    const before = await countChecks(watched);
    await untilStored(watched, before + deliver(watched, Math.min(AT_ONCE, count - from), from));
  }
  await until(
    'every judgment',
    async () => {
      const { rows } = await watched.site.database.query('SELECT 1 FROM monitor_due LIMIT 1');
      return rows.length === 0;
    },
    180_000,
  );
}
