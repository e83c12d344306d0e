import type { AlertPolicy, ChannelChoice } from '@vantage/shared/alerts/policy.js';
import type { Test } from 'tap';
import { program } from '../../src/audit-log/actor.js';
import { publish } from '../../src/events/index.js';
import type { ChannelRow } from '../../src/modules/alerts/channels/channel-row.js';
import { queueAlertsOf } from '../../src/modules/alerts/events/due-store.js';
import { type Action, type AlertHistory, CHANNELS, type PolicyPlan } from './alert-history.js';
import { type AlertWorld, openAlertWorld, type RelayReplica } from './alert-world.js';
import { NaiveNodeNotices } from './naive-node-notices.js';
import { accountOf } from './owners.js';
import { startReceiver } from './receiver.js';

/** A request of a channel, as its receiver saw it. */
export interface Arrival {
  readonly channel: number;
  readonly atMs: number;
  readonly isAccepted: boolean;
  readonly messageId: string;
  /** Alerts that it is about, with their status. */
  readonly alerts: readonly { readonly id: string; readonly status: string }[];
}

/** A history as it was played. */
export interface Played {
  readonly arrivals: readonly Arrival[];
  /** Titles of the notices of nodes. */
  readonly notices: readonly string[];
  /** The same by a list of what waits and a clock. */
  readonly expectedNotices: readonly string[];
  /** Alerts that fired when nothing held any longer, and time had passed. */
  readonly firing: readonly { readonly id: string; readonly heldBy: readonly string[] }[];
  /** Alerts in the end, when all monitors were up. */
  readonly ended: readonly {
    readonly id: string;
    readonly status: string;
    readonly policyId: string;
    readonly monitorId: string;
  }[];
}

const STEP_SEC = 10;

/** Plays histories, one after another, in one world with two replicas. */
export class AlertPlayer {
  /** Number of histories that were played. */
  runs = 0;

  private constructor(
    private readonly world: AlertWorld,
    private readonly other: RelayReplica,
    private readonly receiver: Awaited<ReturnType<typeof startReceiver>>,
  ) {}

  static async open(t: Test): Promise<AlertPlayer> {
    const receiver = await startReceiver(t);
    const world = await openAlertWorld(t);
    return new AlertPlayer(world, world.relayReplica(world.replica(world.clock)), receiver);
  }

  async play(history: AlertHistory): Promise<Played> {
    this.runs += 1;
    const run = await Run.begin(this.world, this.other, { history, receiver: this.receiver, number: this.runs });
    for (const { action, thenSec, replica } of history.actions) {
      await run.act(action);
      await run.pass(thenSec, replica);
    }
    return run.end();
  }
}

class Run {
  readonly #arrivals: Arrival[] = [];
  readonly #away = new Set<number>();
  readonly #channels: ChannelRow[] = [];
  readonly #policies: string[] = [];
  readonly #monitors: string[] = [];
  readonly #waits = new NaiveNodeNotices();
  readonly #startedAt: Date;
  #windows = 0;

  private constructor(
    private readonly world: AlertWorld,
    private readonly other: RelayReplica,
    private readonly number: number,
  ) {
    this.#startedAt = new Date(world.clock.now());
  }

  static async begin(
    world: AlertWorld,
    other: RelayReplica,
    {
      history,
      receiver,
      number,
    }: { history: AlertHistory; receiver: Awaited<ReturnType<typeof startReceiver>>; number: number },
  ): Promise<Run> {
    const run = new Run(world, other, number);
    receiver.reply = ({ path, body, headers }) => run.#take(path, body, String(headers['webhook-id']));
    for (let channel = 0; channel < CHANNELS; channel += 1) {
      const max_per_minute = history.limits[channel] ?? null;
      const config = { url: `${receiver.url}/${number}/${channel}` };
      run.#channels.push(await world.addChannel(`Hook ${number} ${channel}`, 'webhook', config, { max_per_minute }));
    }
    for (const _ of history.policies) run.#policies.push(await world.addPolicy([]));
    for (const policy of history.policyOf)
      run.#monitors.push(
        await world.addMonitor(`Shop ${number} ${run.#monitors.length}`, { alert_policy_id: run.#policies[policy] }),
      );
    for (const [policy, plan] of history.policies.entries()) await run.act({ kind: 'policy', policy, plan });
    return run;
  }

  async act(action: Action): Promise<void> {
    const { world } = this;
    const { db, clock, userId } = world;
    switch (action.kind) {
      case 'monitor': {
        const id = this.#monitor(action.monitor);
        const status = action.what === 'paused' || action.what === 'archived' ? action.what : 'active';
        await db('monitors').where({ id }).update({ status });
        if (status !== 'active')
          await db('monitor_states').where({ monitor_id: id }).update({ health: 'unknown', no_data_at: null });
        return world.happens(action.what, [id]);
      }
      case 'acknowledge':
      case 'resolve': {
        const open = await db('alerts')
          .whereIn('monitor_id', this.#monitors)
          .whereNot({ status: 'resolved' })
          .orderBy('id')
          .pluck('id');
        const id = open[action.pick % Math.max(open.length, 1)];
        const act = { account: accountOf(userId), actor: program };
        if (id === undefined) return;
        await (action.kind === 'resolve' ? world.acts.resolve(id, act) : world.acts.acknowledge(id, null, act));
        return;
      }
      case 'silence': {
        const inMs = action.inSec * 1_000;
        return world.addSilence(
          action.forSec * 1_000,
          action.monitor === null ? { inMs } : { inMs, monitorId: this.#monitor(action.monitor) },
        );
      }
      case 'silences end':
        await db('alert_silences').delete();
        return queueAlertsOf(db, [userId]);
      case 'window': {
        const startsAt = clock.now() + action.inSec * 1_000;
        await db('maintenance_windows').insert({
          id: `mw_${this.number}_${(this.#windows += 1)}`,
          owner_id: userId,
          created_by: userId,
          scope_type: action.monitor === null ? 'all' : 'monitor',
          scope_ids: action.monitor === null ? [] : [this.#monitor(action.monitor)],
          starts_at: new Date(startsAt),
          ends_at: new Date(startsAt + action.forSec * 1_000),
          recurrence: 'none',
          timezone: 'UTC',
          advance_notice_minutes: 0,
        });
        return;
      }
      case 'policy': {
        const change =
          action.plan === null ? { is_enabled: false } : { is_enabled: true, ...this.#columns(action.plan) };
        await db('alert_policies').where({ id: this.#policies[action.policy] }).update(change);
        return queueAlertsOf(db, [userId]);
      }
      case 'node': {
        const id = this.#node(action.node);
        this.#waits.happens(action.what, id, clock.now());
        await publish(db, {
          kind: action.what,
          ownerId: userId,
          isTest: false,
          subject: id,
          payload: { node: { id, name: id }, reason: null, since: new Date(clock.now()).toISOString() },
        });
        return;
      }
      case 'receiver':
        if (action.isAway) this.#away.add(action.channel);
        else this.#away.delete(action.channel);
    }
  }

  /** Lets time pass, with everything that is due, handled by one of the replicas. */
  async pass(seconds: number, replica: number, stepSec = STEP_SEC): Promise<void> {
    await this.#settle(replica);
    for (let passed = 0; passed < seconds; passed += stepSec) {
      this.world.clock.advance(stepSec * 1_000);
      await this.#settle(replica);
    }
  }

  /** Ends what holds, and then all trouble. */
  async end(): Promise<Played> {
    const { db, userId } = this.world;
    for (const channel of this.#channels.keys()) await this.act({ kind: 'receiver', channel, isAway: false });
    await this.act({ kind: 'silences end' });
    await db('maintenance_windows').delete();
    await this.act({ kind: 'monitor', monitor: 0, what: 'up' });
    await this.world.happens('settled', this.#monitors);
    await this.pass(1_500, 0, 50);
    const firing = await db('alerts').whereIn('monitor_id', this.#monitors).where({ status: 'firing' });
    await this.world.happens('with data', this.#monitors);
    await this.world.happens('up', this.#monitors);
    await this.pass(1_500, 1, 50);
    const ended = await db('alerts').whereIn('monitor_id', this.#monitors);
    const notices = await db('alert_deliveries')
      .where({ owner_id: userId, kind: 'notice', type: 'email' })
      .where('created_at', '>', this.#startedAt)
      .pluck('title');
    // an account may have so many channels, and no more
    await db('alert_channels')
      .whereIn(
        'id',
        this.#channels.map(({ id }) => id),
      )
      .delete();
    return {
      arrivals: this.#arrivals,
      notices,
      expectedNotices: this.#waits.sent,
      firing: firing.map(({ id, state }) => ({ id, heldBy: state.heldBy })),
      ended: ended.map(({ id, status, policy_id: policyId, monitor_id: monitorId }) => ({
        id,
        status,
        policyId,
        monitorId,
      })),
    };
  }

  async #settle(replica: number): Promise<void> {
    const { world, other } = this;
    this.#waits.sendDue(world.clock.now());
    const { consumers, watch } = replica === 0 ? world : other;
    await consumers.run();
    // a message that is just asked whether it is needed counts as one that may arrive
    await this.#send();
    await watch.run();
    await this.#send();
  }

  /** Sends what is due; the other replica sends nothing. */
  async #send(): Promise<void> {
    this.world.sender.wake();
    await this.world.quiet();
  }

  #take(path: string, body: string, messageId: string) {
    const [, , channel] = path.split('/').map(Number);
    const { data } = JSON.parse(body);
    const isAccepted = !this.#away.has(channel ?? 0);
    const alerts =
      data === undefined
        ? []
        : [...(data.alerts ?? []), ...(data.alert === null || data.alert === undefined ? [] : [data.alert])];
    this.#arrivals.push({
      channel: channel ?? 0,
      atMs: this.world.clock.now(),
      isAccepted,
      messageId,
      alerts: alerts.map(({ id, status }: { id: string; status: string }) => ({ id, status })),
    });
    return { status: isAccepted ? 200 : 500 };
  }

  #columns(plan: PolicyPlan): Readonly<Record<string, unknown>> {
    const choice = (index: number): ChannelChoice => ({ channel_id: this.#channels[index]?.id ?? '', to: null });
    const rules: AlertPolicy['rules'] = [
      {
        match: { severity: [], tags_any: [], time_window: null },
        channels: plan.channels.map(choice),
        delay_sec: plan.delay,
        repeat: { enabled: plan.reminds, interval_sec: 300, max_count: 3 },
      },
    ];
    const steps = plan.step === null ? [] : [{ after_sec: 120, channels: [choice(plan.step)], schedule_id: null }];
    const suppression = {
      after_sec: plan.afterSec,
      quiet_hours: [],
      flapping: plan.flapping,
      no_data_after_sec: plan.noDataAfterSec,
    };
    return {
      rules: JSON.stringify(rules),
      escalation: JSON.stringify({ steps, repeat: 0, ack_timeout_sec: plan.ackTimeOut }),
      on_recovery: JSON.stringify({ notify: true, delay_sec: plan.recoveryDelay, channels: [] }),
      suppression: JSON.stringify(suppression),
      depends_on: plan.dependsOnFirst ? [this.#monitor(0)] : [],
    };
  }

  #monitor(index: number): string {
    return this.#monitors[index] ?? '';
  }

  #node(index: number): string {
    return `n${this.number}-${index}`;
  }
}
