import type { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import type { AlertPolicy } from '@vantage/shared/alerts/policy.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { pino } from 'pino';
import type { Registry } from 'prom-client';
import type { Test } from 'tap';
import { Consumers, publishAll } from '../../src/events/index.js';
import type { ChannelRow } from '../../src/modules/alerts/channels/channel-row.js';
import { queueAlertsOf } from '../../src/modules/alerts/events/due-store.js';
import { type AlertRuntime, openRuntime } from '../../src/modules/alerts/open-runtime.js';
import { neededByAlerts } from '../../src/modules/alerts/relay/needed-alerts.js';
import type { ChannelSettings } from '../../src/modules/alerts/types/settings.js';
import { type AlertPost, type AlertReplica, openAlertPost } from './alert-post.js';
import { noSettings } from './channel-attempts.js';
import type { TestDatabase } from './database.js';
import { insertMonitor, insertMonitors } from './stored-monitor.js';
import { type Duration, World } from './world.js';

/** A replica that turns events of monitors into messages. */
export interface RelayReplica extends Omit<AlertRuntime, 'consumers'> {
  readonly consumers: Consumers;
  /** Metrics of alerts, without those of deliveries. */
  readonly alertRegistry: Registry;
}

/** Event of a monitor, as the monitors module publishes it. */
export type MonitorEvent =
  | 'down'
  | 'degraded'
  | 'up'
  | 'paused'
  | 'archived'
  | 'deleted'
  | 'flapping'
  | 'settled'
  | 'without data'
  | 'with data';

/** Time without data after which the monitors module says so. */
const PUBLISHED_AFTER_MS = 300_000;

/** Monitors, policies, channels and all that is between them, on a real database, with clocks that stand still. */
export interface AlertWorld extends AlertPost, RelayReplica {
  /** Stores a monitor of the user; `columns` as in table monitors. */
  addMonitor(name: string, columns?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Stores many of them at once. */
  addMonitors(monitors: readonly Readonly<Record<string, unknown>>[]): Promise<string[]>;
  /** Stores a policy of the user that sends everything to these channels; `parts` replaces parts of it. */
  addPolicy(channels: readonly ChannelRow[], parts?: Partial<AlertPolicy>): Promise<string>;
  /** Silences a monitor of the user, or those with a tag, absent: all of them, for a time that begins now or `inMs` later. */
  addSilence(
    ms: number,
    scope?: { readonly monitorId?: string; readonly tag?: string; readonly inMs?: number },
  ): Promise<void>;
  /** Publishes that these monitors are down, up and so on, in one transaction. */
  happens(what: MonitorEvent, monitorIds: readonly string[], fields?: { reason?: string }): Promise<void>;
  /** Takes away all that tests have made, except for these channels, and forgets what was mailed and counted. */
  clear(kept?: readonly ChannelRow[]): Promise<void>;
  /** Lets everything that is due be done: events, looks, messages. */
  settle(): Promise<void>;
  /** Lets time pass, from one instant at which something is due to the next. */
  passAll(duration: Duration): Promise<void>;
  /** Opens the runtime of one more replica. */
  relayReplica(replica: AlertReplica, db?: Knex): RelayReplica;
}

const blank = {
  escalation: { steps: [], repeat: 0, ack_timeout_sec: 0 },
  on_recovery: { notify: true, delay_sec: 0, channels: [] },
  suppression: { after_sec: 0, quiet_hours: [], flapping: 'notice', no_data_after_sec: 900, depends_on: [] },
} as const;

/** Tables of what tests make, those that refer to others first. */
const made = [
  'alert_bundles',
  'alert_buckets',
  'alert_data_waits',
  'alert_deliveries',
  'alert_digests',
  'alert_due',
  'alert_fallbacks',
  'alert_groups',
  'alert_lanes',
  'alert_node_waits',
  'alert_silences',
  'alert_threads',
  'alert_timeline',
  'alert_told',
  'alerts',
  'maintenance_windows',
  'monitors',
  'outbox_marks',
  'outbox',
];

interface WorldOptions {
  /** Addresses of vendors and gateways. */
  readonly settings?: ChannelSettings;
  /** Default: a database of its own. */
  readonly database?: TestDatabase;
  /** Called when nothing is left to do at an instant. */
  readonly onSettled?: () => void;
}

export async function openAlertWorld(
  t: Test,
  { settings = noSettings, database, onSettled }: WorldOptions = {},
): Promise<AlertWorld> {
  const known: { clock?: FakeClock } = {};
  const post = await openAlertPost(t, {
    settings,
    ...(database && { database }),
    needed: { refuse: (db, messages) => neededByAlerts(known.clock as FakeClock).refuse(db, messages) },
  });
  known.clock = post.clock;
  const { db, clock, userId } = post;
  const relayReplica = (replica: AlertReplica, ownDb: Knex = db): RelayReplica => {
    const house = {
      db: ownDb,
      agentsDb: ownDb,
      clock: replica.clock,
      log: pino({ level: 'silent' }),
      config: settings,
      secretKey: Buffer.alloc(32, 7),
      publicUrl: 'https://vantage.example',
      directory: { find: () => null } as never,
    };
    const runtime = openRuntime(house as never, replica);
    const consumers = new Consumers({ db: ownDb, consumers: runtime.consumers, clock: replica.clock, log: house.log });
    return { ...runtime, consumers, alertRegistry: replica.registry };
  };
  const own = relayReplica(post);
  // announces the consumer; turns of its own would be in the way of those of the test
  await own.consumers.tidy();
  const world = new World({
    db,
    clock,
    idle: post.idle,
    async look() {
      await own.consumers.run();
      await own.watch.run();
    },
    ...(onSettled && { onSettled }),
  });
  return {
    ...post,
    ...own,
    async clear(kept = []) {
      await db.raw(made.map((table) => `DELETE FROM ${table}`).join(';'));
      await db('alert_policies').where({ is_default: false }).delete();
      const keptIds = kept.map(({ id }) => id);
      await db('alert_channels').where({ is_default: false }).whereNotIn('id', keptIds).delete();
      post.mails.length = 0;
      own.alertRegistry.resetMetrics();
    },
    settle: () => world.settle(),
    passAll: (duration) => world.pass(duration),
    relayReplica,
    addMonitor: async (name, columns = {}) => (await insertMonitor(db, [], { owner_id: userId, name, ...columns })).id,
    addMonitors: async (monitors) => (await insertMonitors(db, userId, monitors)).map(({ id }) => id),
    async addPolicy(channels, parts = {}) {
      const id = parts.id ?? newId(idPrefixes.alertPolicy);
      const choices = channels.map(({ id: channelId, type }) => ({ type, channel_id: channelId, to: null }));
      const rules = [
        {
          match: { severity: [], tags_any: [], time_window: null },
          channels: choices,
          delay_sec: 0,
          repeat: { enabled: false, interval_sec: 14_400, max_count: 10 },
        },
      ];
      const policy = { ...blank, rules, ...parts };
      const { depends_on: dependsOn, ...suppression } = policy.suppression;
      await db('alert_policies').insert({
        id,
        owner_id: userId,
        created_by: userId,
        is_test: false,
        name: id,
        rules: JSON.stringify(policy.rules),
        escalation: JSON.stringify(policy.escalation),
        on_recovery: JSON.stringify(policy.on_recovery),
        suppression: JSON.stringify(suppression),
        depends_on: dependsOn,
      });
      return id;
    },
    async addSilence(ms, { monitorId, tag, inMs = 0 } = {}) {
      const id = newId(idPrefixes.alertSilence);
      await db('alert_silences').insert({
        id,
        owner_id: userId,
        created_by: userId,
        is_test: false,
        scope_type: monitorId === undefined ? (tag === undefined ? 'all' : 'tag') : 'monitor',
        scope_ids: [monitorId ?? tag ?? []].flat(),
        severities: [],
        reason: 'night',
        starts_at: new Date(clock.now() + inMs),
        ends_at: new Date(clock.now() + inMs + ms),
      });
      await queueAlertsOf(db, [userId]);
    },
    async happens(what, monitorIds, { reason = '2 of 3 nodes: tcp_refused' } = {}) {
      await db.transaction((trx) => publishMonitorEvent(trx, what, { monitorIds, reason, nowMs: clock.now() }));
    },
  };
}

/** Events as the monitors module publishes them, with the state of the monitors that they are about. */
async function publishMonitorEvent(
  trx: Knex,
  what: MonitorEvent,
  {
    monitorIds,
    reason,
    nowMs,
  }: { readonly monitorIds: readonly string[]; readonly reason: string; readonly nowMs: number },
): Promise<void> {
  const monitors = await trx('monitors').whereIn('id', monitorIds);
  if (what === 'down' || what === 'degraded' || what === 'up')
    await trx('monitor_states').whereIn('monitor_id', monitorIds).update({ health: what });
  const isFlapping = what === 'flapping';
  if (isFlapping || what === 'settled')
    await trx('monitor_states').whereIn('monitor_id', monitorIds).update({ is_flapping: isFlapping });
  const isAboutData = what === 'without data' || what === 'with data';
  const since = new Date(nowMs - PUBLISHED_AFTER_MS);
  if (what === 'without data')
    await trx('monitor_states').whereIn('monitor_id', monitorIds).update({ health: 'unknown', no_data_at: since });
  if (what === 'with data')
    await trx('monitor_states').whereIn('monitor_id', monitorIds).update({ health: 'up', no_data_at: null });
  const at = new Date(nowMs).toISOString();
  const event = {
    id: 'mev_1',
    type: what === 'degraded' ? ('degraded' as const) : ('down' as const),
    started_at: at,
    ended_at: what === 'up' ? at : null,
    resolved_at: null,
    affected_nodes: ['n_1'],
    reason,
  };
  const isPeriod = what === 'down' || what === 'degraded' || what === 'up';
  await publishAll(
    trx,
    monitors.map(({ id, owner_id: ownerId, is_test: isTest, name, type, target, tags, group_id }) => ({
      kind: `monitor.${what === 'settled' ? 'flapping' : isAboutData ? 'no_data' : what}`,
      ownerId,
      isTest,
      subject: id,
      payload: {
        monitor: { id, name, type, target, tags, group_id },
        ...(isPeriod ? { event, is_flapping: false } : {}),
        ...(isAboutData ? { since: since.toISOString(), is_over: what === 'with data' } : {}),
        ...(isFlapping || what === 'settled' ? { is_flapping: isFlapping, is_up: true } : {}),
      },
    })) as never,
  );
  if (what === 'deleted') await trx('monitors').whereIn('id', monitorIds).delete();
}
