import { openDatabase } from 'vantage-control/db/database.js';
import { publishAll } from 'vantage-control/events/publish.js';
import type { BenchDatabase } from '../bench-database.js';
import { deliverFirst } from '../monitors/deliver.js';
import { reportOf, startWatchedSite, type WatchedSite } from '../monitors/watched-site.js';
import { sized } from '../sized.js';
import { until } from './pacing.js';
import { insertPolicies, sendingSettings, usePolicies } from './policies.js';
import { type Arrival, type Receiver, startReceiver } from './receiver.js';

/** Monitors that go down at once. */
export const STORM = sized(10_000, 2);
/** None is late, however long a storm is watched. */
const INTERVAL_S = 3_600;
const NODES = 10;

/** Monitor of the site whose state the benchmark decides. */
export interface OwnMonitor {
  readonly id: string;
  /** Delivers a failed check, which its judgment follows. */
  fail(): void;
}

/** Control plane with monitors for storms, each storm with a policy and a channel of its own. */
export interface StormSite {
  readonly watched: WatchedSite;
  /** Monitors without a policy. */
  readonly others: readonly OwnMonitor[];
  readonly storms: readonly Storm[];
  stop(): Promise<void>;
}

/** Messages of a kind: how many there were, of how many alerts, and when the first and the last came. */
export interface Told {
  readonly messages: number;
  readonly alerts: number;
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Monitors that go down and up together. */
export interface Storm {
  /** Commits the event of each, and wakes the control plane. @returns the instant of the commit */
  begin(what: 'down' | 'up'): Promise<number>;
  /** Milliseconds from `sinceMs` until alerts and deliveries of all are stored. */
  stored(sinceMs: number): Promise<number>;
  /** Messages that have arrived since an instant. */
  told(type: 'alert.firing' | 'alert.resolved', sinceMs: number): Told;
}

/** Starts one. */
export async function startStormSite({
  storms,
  others,
}: {
  readonly storms: number;
  readonly others: number;
}): Promise<StormSite> {
  const receiver = await startReceiver();
  const watched = await startWatchedSite({
    // one more of each storm and its end: its judgment wakes the control plane
    monitors: storms * (STORM + 2) + others,
    nodes: NODES,
    perMonitor: 1,
    intervalSeconds: INTERVAL_S,
    settings: sendingSettings,
  });
  const db = openDatabase({ url: watched.site.databaseUrl, poolSize: 1, applicationName: 'bench' });
  const stop = async () => {
    await db.destroy();
    await watched.stop();
    await receiver.stop();
  };
  try {
    const monitors = watched.nodes.flatMap((node) =>
      node.watches.map((watch) => ({
        id: watch.monitorId,
        fail: () => node.deliver([reportOf(watch, Date.now(), true)]),
      })),
    );
    const { rows } = await db.raw<{ rows: { id: string }[] }>('SELECT id FROM users LIMIT 1');
    const policies = await insertPolicies(watched.site.database, { count: storms, url: receiver.url });
    const made: Storm[] = [];
    for (const [index, policy] of policies.entries()) {
      const own = monitors.slice(index * (STORM + 2), (index + 1) * (STORM + 2));
      const ids = own.slice(2).map(({ id }) => id);
      await usePolicies(watched.site.database, ids, [policy]);
      made.push(
        stormOf({
          db,
          ownerId: rows[0]?.id ?? '',
          ids,
          wakers: own.slice(0, 2),
          receiver,
          path: `/${policy.channelId}`,
        }),
      );
    }
    await deliverFirst(watched);
    await db.raw('ANALYZE monitors, monitor_states, monitor_assignments');
    return { watched, others: monitors.slice(storms * (STORM + 2)), storms: made, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function stormOf({
  db,
  ownerId,
  ids,
  wakers,
  receiver,
  path,
}: {
  readonly db: BenchDatabase;
  readonly ownerId: string;
  readonly ids: readonly string[];
  readonly wakers: readonly OwnMonitor[];
  readonly receiver: Receiver;
  readonly path: string;
}): Storm {
  return {
    async begin(what) {
      await db.transaction(async (trx) => {
        await trx('monitor_states')
          .whereIn('monitor_id', [...ids])
          .update({ health: what });
        await publishAll(trx, ids.map((id) => eventOf(id, what, ownerId)) as never);
      });
      const committedMs = now();
      wakers[what === 'down' ? 0 : 1]?.fail();
      return committedMs;
    },
    async stored(sinceMs) {
      await until('alerts are stored', async () => {
        const { rows } = await db.raw<{ rows: unknown[] }>(
          "SELECT 1 FROM outbox_marks WHERE consumer = 'alerts.monitors' LIMIT 1",
        );
        return rows.length === 0;
      });
      return now() - sinceMs;
    },
    told(type, sinceMs) {
      const own = receiver.arrivals.filter((arrival) => arrival.path === path && arrival.atMs >= sinceMs);
      const messages = own.map(messageOf).filter((message) => message.type === type);
      return {
        messages: messages.length,
        alerts: messages.reduce((sum, { alerts }) => sum + alerts, 0),
        firstMs: Math.min(...messages.map(({ atMs }) => atMs)) - sinceMs,
        lastMs: Math.max(...messages.map(({ atMs }) => atMs)) - sinceMs,
      };
    },
  };
}

function messageOf({ atMs, body }: Arrival) {
  const { type, data } = JSON.parse(body) as { type: string; data: { count?: number } };
  return { atMs, type, alerts: data.count ?? 1 };
}

function eventOf(id: string, what: 'down' | 'up', ownerId: string) {
  const at = new Date().toISOString();
  return {
    kind: `monitor.${what}`,
    ownerId,
    isTest: false,
    subject: id,
    payload: {
      monitor: { id, name: id, type: 'http', target: 'http://example.com/', tags: [], group_id: null },
      event: {
        id: `ev_${id}`,
        type: 'down',
        started_at: at,
        ended_at: what === 'up' ? at : null,
        resolved_at: null,
        affected_nodes: [],
        reason: '1 of 1 nodes: tcp_refused',
      },
      is_flapping: false,
    },
  };
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
