import { until } from '@vantage/shared/_support/until.js';
import { openDatabase } from 'vantage-control/db/database.js';
import { publishAll } from 'vantage-control/events/publish.js';
import { type Stops, sized } from '../harness.js';
import { deliverFirst } from '../monitors/deliver.js';
import { reportOf, startWatchedSite } from '../monitors/watched-site.js';
import { insertPolicies, sendingSettings, usePolicy } from './policies.js';
import { type Arrival, type Receiver, startReceiver } from './receiver.js';

/** Monitors that go down at once. */
export const STORM = sized(10_000, 2);
/** None is late, however long a storm is watched. */
const INTERVAL_S = 3_600;
const NODES = 10;

/** Messages of a kind: how many there were, of how many alerts, and when the first and the last came. */
export interface Sent {
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
  sent(type: 'alert.firing' | 'alert.resolved', sinceMs: number): Sent;
}

/** Starts a control plane with monitors for storms, each with a policy and a channel of its own. */
export async function startStorms(count: number, stops: Stops): Promise<Storm[]> {
  const receiver = await startReceiver(stops);
  // one more of each storm and its end: its judgment wakes the control plane
  const perStorm = STORM + 2;
  const size = { monitors: count * perStorm, nodes: NODES, perMonitor: 1, intervalSeconds: INTERVAL_S };
  const watched = await startWatchedSite({ ...size, settings: sendingSettings }, stops);
  const { database, databaseUrl } = watched.site;
  const db = openDatabase({ url: databaseUrl, poolSize: 1, applicationName: 'bench' });
  stops.push(() => db.destroy());
  const monitors = watched.nodes.flatMap((node) =>
    node.watches.map((watch) => ({
      id: watch.monitorId,
      fail: () => node.deliver([reportOf(watch, Date.now(), true)]),
    })),
  );
  const { rows } = await db.raw<{ rows: { id: string }[] }>('SELECT id FROM users LIMIT 1');
  const policies = await insertPolicies(database, { count, url: receiver.url });
  const storms: Storm[] = [];
  for (const [index, policy] of policies.entries()) {
    const own = monitors.slice(index * perStorm, (index + 1) * perStorm);
    const ids = own.slice(2).map(({ id }) => id);
    await usePolicy(database, ids, policy);
    const wakers = own.slice(0, 2);
    storms.push(stormOf({ db, ownerId: rows[0]?.id ?? '', ids, wakers, receiver, path: `/${policy.channelId}` }));
  }
  await deliverFirst(watched);
  await db.raw('ANALYZE monitors, monitor_states, monitor_assignments');
  return storms;
}

interface StormParts {
  readonly db: ReturnType<typeof openDatabase>;
  readonly ownerId: string;
  readonly ids: readonly string[];
  /** Monitors whose judgment wakes the control plane: after the storm, and after its end. */
  readonly wakers: readonly { fail(): void }[];
  readonly receiver: Receiver;
  readonly path: string;
}

function stormOf({ db, ownerId, ids, wakers, receiver, path }: StormParts): Storm {
  return {
    async begin(what) {
      await db.transaction(async (trx) => {
        await trx.raw('UPDATE monitor_states SET health = ? WHERE monitor_id = ANY(?)', [what, [...ids]]);
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
    sent(type, sinceMs) {
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
