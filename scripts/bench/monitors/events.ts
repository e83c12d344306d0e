import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@vantage/shared/_support/until.js';
import { type Part, rowOf, sized } from '../harness.js';
import { quantile } from '../statistics.js';
import { reportOf, startWatchedSite, type WatchedSite, type WatchingNode } from './watched-site.js';

const MONITORS = sized(1_000, 30);
const NODES = 30;
const PER_ROUND = sized(200, 5);

/** Time from the delivery of the deciding check to the event in the table. */
export const events: Part = {
  name: 'events',
  title: 'from the deciding check to the event',
  question: 'Is an event committed within a second of its deciding check?',
  method: ({ rounds }) =>
    `${MONITORS} monitors on three of ${NODES} simulated nodes; ${rounds} rounds of ${PER_ROUND} monitors that go down one after another, 20 a second`,
  async run({ rounds }, stops) {
    const size = { monitors: MONITORS, nodes: NODES, perMonitor: 3, intervalSeconds: 60 };
    const watched = await startWatchedSite(size, stops);
    await allUp(watched);
    const waits: number[][] = [];
    for (let round = 0; round < rounds; round += 1) waits.push(await goDown(watched, round));
    return [0.5, 0.99].map((ratio) =>
      rowOf(`from the frame to the committed event, p${ratio * 100}, ms`, {
        ours: waits.map((round) => quantile(round, ratio)),
        digits: 0,
        goal: ratio === 0.99 ? 'at most 1 000' : '',
      }),
    );
  },
};

async function allUp({ site, nodes }: WatchedSite): Promise<void> {
  for (const node of nodes) node.deliver(node.watches.map((watch) => reportOf(watch, Date.now())));
  await until('every monitor is up', async () => {
    const { rows } = await site.database.query("SELECT 1 FROM monitor_states WHERE health <> 'up' LIMIT 1");
    return rows.length === 0;
  });
}

/** Milliseconds for each monitor. */
async function goDown(watched: WatchedSite, round: number): Promise<number[]> {
  const sentAt = new Map<string, number>();
  const monitors = monitorsOf(watched).slice(round * PER_ROUND, (round + 1) * PER_ROUND);
  for (const [monitorId, nodes] of monitors) {
    for (const node of nodes.slice(0, 2)) {
      const watch = node.watches.find((own) => own.monitorId === monitorId);
      if (watch !== undefined) node.deliver([reportOf(watch, Date.now(), true)]);
    }
    sentAt.set(monitorId, Date.now());
    await pause(50);
  }
  await until('every event', async () => (await eventsOf(watched, sentAt)).length === sentAt.size);
  return (await eventsOf(watched, sentAt)).map(({ monitor_id, at }) => Number(at) - (sentAt.get(monitor_id) ?? 0));
}

function monitorsOf({ nodes }: WatchedSite): [string, WatchingNode[]][] {
  const byMonitor = new Map<string, WatchingNode[]>();
  for (const node of nodes) {
    for (const { monitorId } of node.watches) byMonitor.set(monitorId, [...(byMonitor.get(monitorId) ?? []), node]);
  }
  return [...byMonitor];
}

async function eventsOf({ site }: WatchedSite, sentAt: ReadonlyMap<string, number>) {
  // commit times of xmin are not stored: the outbox row is written at the beginning of the same transaction
  const { rows } = await site.database.query<{ monitor_id: string; at: string }>(
    'SELECT monitor_id, extract(epoch FROM created_at) * 1000 AS at FROM monitor_events WHERE monitor_id = ANY($1)',
    [[...sentAt.keys()]],
  );
  return rows;
}
