import { setTimeout as pause } from 'node:timers/promises';
import { reportOf, type WatchedSite } from './watched-site.js';

/** One check each of as many of all watches, from one on, over all nodes in turns. */
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

/** Number of stored checks. */
export async function countChecks({ site }: WatchedSite): Promise<number> {
  const { rows } = await site.database.query<{ count: string }>(
    'SELECT sum(mark) AS count FROM ingest_marks WHERE lane = 2',
  );
  return Number(rows[0]?.count);
}

/** Resolves when so many are. @throws Error after a minute */
export async function untilStored(watched: WatchedSite, count: number): Promise<void> {
  const deadline = performance.now() + 60_000;
  while ((await countChecks(watched)) < count) {
    if (performance.now() > deadline) throw new Error('checks were not stored within a minute');
    await pause(20);
  }
}

/** Checks that travel together: as many as come in a tenth of a second of a large installation. */
export const AT_ONCE = 500;

/** Delivers `count` checks, and resolves when all are stored. */
export async function deliverAll(watched: WatchedSite, count: number): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const before = await countChecks(watched);
    await untilStored(watched, before + deliver(watched, Math.min(AT_ONCE, count - from), from));
  }
}

/** Delivers the first report of each node on each of its monitors, which changes their states; later checks are usual ones. */
export async function deliverFirst(watched: WatchedSite): Promise<void> {
  await deliverAll(
    watched,
    watched.nodes.reduce((sum, { watches }) => sum + watches.length, 0),
  );
  await untilJudged(watched);
}

/** Resolves when every judgment that was asked for is made. @throws Error after three minutes */
async function untilJudged({ site }: WatchedSite): Promise<void> {
  const deadline = performance.now() + 180_000;
  for (;;) {
    const { rows } = await site.database.query<{ due: number }>('SELECT count(*)::int AS due FROM monitor_due');
    if (rows[0]?.due === 0) return;
    if (performance.now() > deadline) throw new Error('monitors were not judged within three minutes');
    await pause(100);
  }
}
