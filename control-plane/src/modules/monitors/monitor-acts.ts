import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { type MonitorType, monitorTypeOf } from '@vantage/shared/monitor-types/index.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import type { Knex } from 'knex';
import type { Actor } from '../../actor.js';
import { ApiError, capReached, fieldError } from '../../http/errors.js';
import type { Account } from '../../http/route.js';
import type { Plan, Plans } from '../../plans.js';
import type { Sealer } from '../../sealing.js';
import { insertAuditEntry } from '../audit/index.js';
import { viewerOf } from '../nodes/index.js';
import { endAssignments, listAssignedNodes, renewAssignments } from './assignment-store.js';
import { isCheckedOtherwise } from './checked-otherwise.js';
import { closeEvent, insertHappening } from './event-store.js';
import { groupNamed } from './group-making.js';
import { monitorName } from './happening.js';
import { type HeartbeatParts, refuseDerivedFields, refuseNodeFields } from './heartbeat-parts.js';
import { intervalOf } from './intervals.js';
import { blankMonitor, rest, ruleOf, same, selectionOf, settingsOf } from './monitor-body.js';
import { type Placing, wantedOf } from './placing.js';
import type { MonitorChange, MonitorCreate, MonitorStatus } from './schema.js';
import { joinSecrets, openSecrets, parseSettings, sealSecrets, splitSecrets } from './settings.js';
import { insertDue, lockState, resetState } from './state-store.js';
import {
  countMonitors,
  deleteMonitor,
  findMonitor,
  hasGroup,
  insertMonitor,
  type KnownMonitorRow,
  listMonitors,
  lockMonitor,
  lockPlan,
  type MonitorFields,
  type MonitorFilter,
  type MonitorRow,
  updateMonitor,
  updateStatus,
} from './store.js';
import { HEARTBEAT, monitorTypeNamed } from './type-names.js';

export interface MonitorActsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly plans: Plans;
  readonly policy: () => TargetPolicy;
  readonly placing: Placing;
  /** Reads the loads of nodes again when they are old. */
  readonly refreshLoads: () => Promise<void>;
  readonly sealer: Sealer;
  readonly heartbeats: HeartbeatParts;
  /** Assignments of these nodes changed. */
  readonly onAssigned: (nodeIds: readonly string[]) => void;
}

/** Who asks for what. */
export interface MonitorAct {
  readonly account: Account;
  readonly actor: Actor;
  /** Name of the group the monitor is to be in, which is made where there is none; instead of `group_id`. */
  readonly groupName?: string;
  /** A new monitor is not checked yet. */
  readonly isPaused?: true;
}

/** What an act came to that nodes have not been told of. */
export interface Untold {
  readonly id: string;
  /** Whose assignments changed. */
  readonly nodeIds: readonly string[];
}

/** Monitors of accounts: made, changed, looked at, paused and taken away. */
export class MonitorActs {
  constructor(private readonly options: MonitorActsOptions) {}

  /** @throws ApiError VALIDATION_FAILED, MONITOR_NAME_TAKEN, MONITOR_LIMIT_EXCEEDED, MONITOR_INVALID_TARGET, … */
  async create(body: MonitorCreate, act: MonitorAct): Promise<KnownMonitorRow> {
    return this.#told(await this.createUntold(body, act), act);
  }

  /** As `create`, for many at once: the caller tells the nodes. */
  async createUntold(body: MonitorCreate, act: MonitorAct): Promise<Untold> {
    const { db, clock, heartbeats } = this.options;
    const { account, actor } = act;
    const at = new Date(clock.now());
    const { token, shown } = heartbeats.makeToken();
    const fields = await this.#fieldsOfNew(body, account, shown);
    await this.options.refreshLoads();
    const nodeIds = await db.transaction(async (trx) => {
      await this.#checkRoom(trx, account);
      await this.#checkGroup(trx, body, account);
      const whole = await this.#grouped(trx, fields, act);
      const { id, name } = whole;
      if (!(await insertMonitor(trx, whole, at))) throw new ApiError('MONITOR_NAME_TAKEN');
      const subject = { actor, accountId: account.userId, subject: id };
      await insertAuditEntry(trx, { ...subject, action: 'monitor.created', details: { name } });
      if (whole.type === HEARTBEAT) await heartbeats.insert(trx, id, token);
      if (act.isPaused) await this.#beginPaused(trx, whole, at);
      return this.#place(trx, id, account);
    });
    return { id: fields.id, nodeIds };
  }

  /** What would be stored of a new monitor, as far as no other monitor decides of it. @throws ApiError as create */
  async fieldsOfNew(body: MonitorCreate, account: Account): Promise<MonitorFields> {
    return this.#fieldsOfNew(body, account, this.options.heartbeats.makeToken().shown);
  }

  /** `shown`: what of its token a heartbeat shows. */
  async #fieldsOfNew(body: MonitorCreate, account: Account, shown: string): Promise<MonitorFields> {
    const type = monitorTypeNamed(body.type);
    const id = newId(idPrefixes.monitor, this.options.clock.now());
    const own = { id, name: body.name.trim(), type, user_id: account.userId, is_test: account.isTest };
    const blank = { ...blankMonitor, ...own };
    if (type === HEARTBEAT) return this.#heartbeatFieldsOf(body, { ...blank, target: shown });
    return this.#fieldsOf(type, body, blank, account);
  }

  async #beginPaused(trx: Knex, { id, type }: MonitorFields, at: Date): Promise<void> {
    if (type === HEARTBEAT) await this.options.heartbeats.suspend(trx, id);
    await updateStatus(trx, id, 'paused', at);
  }

  /** What would be stored of a monitor once it is changed. @throws ApiError as change */
  async fieldsOfChanged(body: MonitorChange, before: MonitorRow, account: Account): Promise<MonitorFields> {
    if (before.type !== HEARTBEAT) return this.#fieldsOf(before.type as MonitorType, body, before, account);
    refuseDerivedFields(body);
    return this.#heartbeatFieldsOf(body, before);
  }

  /** Changes what is named and leaves the rest. @throws ApiError as create, MONITOR_NOT_FOUND */
  async change(id: string, body: MonitorChange, act: MonitorAct): Promise<KnownMonitorRow> {
    return this.#told(await this.changeUntold(id, body, act), act);
  }

  /** As `change`, for many at once: the caller tells the nodes. */
  async changeUntold(id: string, body: MonitorChange, act: MonitorAct): Promise<Untold> {
    const { db, clock, heartbeats } = this.options;
    const { account, actor } = act;
    await this.options.refreshLoads();
    const nodeIds = await db.transaction(async (trx) => {
      // the user before the monitor, as where an account is deleted
      if (act.groupName !== undefined) await lockPlan(trx, account.userId);
      const before = await lockMonitor(trx, id, account);
      if (before === null) throw new ApiError('MONITOR_NOT_FOUND');
      const given = await this.fieldsOfChanged(body, before, account);
      await this.#checkGroup(trx, body, account);
      const fields = await this.#grouped(trx, given, act);
      if (!(await updateMonitor(trx, fields, new Date(clock.now())))) throw new ApiError('MONITOR_NAME_TAKEN');
      const details = { fields: Object.keys(body) };
      await insertAuditEntry(trx, {
        actor,
        accountId: account.userId,
        action: 'monitor.changed',
        subject: id,
        details,
      });
      // with its group and tags it comes into maintenance windows, and leaves them
      await insertDue(trx, [id]);
      const isOther = isCheckedOtherwise(this.#whole(before), this.#whole(fields));
      if (isOther && before.type === HEARTBEAT) await heartbeats.reschedule(trx, id);
      const renewed = isOther ? await renewAssignments(trx, id) : [];
      return [...renewed, ...(await this.#place(trx, id, account))];
    });
    return { id, nodeIds };
  }

  #told({ id, nodeIds }: Untold, { account }: MonitorAct): Promise<KnownMonitorRow> {
    this.options.onAssigned(nodeIds);
    return this.get(id, account);
  }

  /** @throws ApiError MONITOR_NOT_FOUND */
  async get(id: string, account: Account): Promise<KnownMonitorRow> {
    const { db, clock } = this.options;
    const row = await findMonitor(db, { id, owner: account, nowMs: clock.now() });
    if (row === null) throw new ApiError('MONITOR_NOT_FOUND');
    return row;
  }

  /** One page, newest first, and how many there are. */
  list(
    account: Account,
    filter: MonitorFilter,
    page: { limit: number; offset: number },
  ): ReturnType<typeof listMonitors> {
    const { db, clock } = this.options;
    return listMonitors(db, { owner: account, filter, nowMs: clock.now(), ...page });
  }

  /** For good, with its events. @throws ApiError MONITOR_NOT_FOUND */
  async delete(id: string, { account, actor }: MonitorAct): Promise<void> {
    const changed = await this.options.db.transaction(async (trx) => {
      const monitor = await lockMonitor(trx, id, account);
      if (monitor === null) throw new ApiError('MONITOR_NOT_FOUND');
      if (monitor.type === HEARTBEAT) await this.options.heartbeats.suspend(trx, id);
      const nodeIds = await listAssignedNodes(trx, id);
      await endAssignments(trx, id, nodeIds);
      // judgments lock it before the monitor, for the events they write
      await lockState(trx, id);
      await deleteMonitor(trx, id);
      const details = { name: monitor.name };
      await insertAuditEntry(trx, {
        actor,
        accountId: account.userId,
        action: 'monitor.deleted',
        subject: id,
        details,
      });
      return nodeIds;
    });
    this.options.onAssigned(changed);
  }

  /**
   * Pauses, resumes or archives; what it is already it stays. A monitor that is not active is not checked, nothing is known of it,
   * and its open event ends. @throws ApiError MONITOR_NOT_FOUND
   */
  async setStatus(id: string, status: MonitorStatus, { account, actor }: MonitorAct): Promise<void> {
    const { db, clock, heartbeats } = this.options;
    const at = new Date(clock.now());
    await this.options.refreshLoads();
    const changed = await db.transaction(async (trx) => {
      const monitor = await lockMonitor(trx, id, account);
      if (monitor === null) throw new ApiError('MONITOR_NOT_FOUND');
      if (monitor.status === status) return [];
      const isHeartbeat = monitor.type === HEARTBEAT;
      if (isHeartbeat) await heartbeats.suspend(trx, id);
      await updateStatus(trx, id, status, at);
      if (isHeartbeat && status === 'active') await heartbeats.resume(trx, id);
      await resetState(trx, id, at);
      await closeEvent(trx, id, at);
      const kind = newsOfStatus(monitor.status, status);
      const about = { userId: monitor.user_id, isTest: monitor.is_test, monitorId: id };
      if (kind !== null) await insertHappening(trx, { kind, ...about, payload: { monitor: monitorName(monitor) } });
      const action = ({ active: 'monitor.resumed', paused: 'monitor.paused', archived: 'monitor.archived' } as const)[
        status
      ];
      await insertAuditEntry(trx, { actor, accountId: account.userId, action, subject: id });
      return this.#place(trx, id, account);
    });
    this.options.onAssigned(changed);
  }

  async #place(trx: Knex, id: string, account: Account): Promise<readonly string[]> {
    const monitor = await lockMonitor(trx, id, null);
    if (monitor === null) return [];
    return (await this.options.placing.place(trx, monitor, viewerOf(account))).changed;
  }

  /** As `#fieldsOf`, of a monitor that no node checks. */
  #heartbeatFieldsOf(body: Partial<MonitorCreate>, before: MonitorFields): MonitorFields {
    refuseNodeFields(body);
    const given = settingsOf(body, before) ?? before.config;
    const { config, intervalSeconds } = this.options.heartbeats.parse(given);
    return {
      ...before,
      ...rest(body),
      name: (body.name ?? before.name).trim(),
      interval_s: intervalSeconds,
      config: { ...config },
      node_selection: {},
      node_count: 0,
    };
  }

  /** What is stored of a monitor after `body` was laid over what it was. */
  async #fieldsOf(
    type: MonitorType,
    body: Partial<MonitorCreate>,
    before: MonitorFields,
    account: Account,
  ): Promise<MonitorFields> {
    const { plans, sealer, policy, placing } = this.options;
    const selection = selectionOf(body, before);
    const target = body.target ?? before.target;
    if (target === '') throw fieldError('target', 'required', 'is required');
    const secrets = openSecrets(before.sealed_secrets, sealer);
    const given = settingsOf(body, before);
    const whole = parseSettings(type, target, joinSecrets(given ?? before.config, secrets), policy());
    const split = splitSecrets(type, whole);
    const fields: MonitorFields = {
      ...before,
      ...rest(body),
      name: (body.name ?? before.name).trim(),
      target,
      interval_s: this.#interval(type, body, before, plans[account.plan]),
      config: { ...split.shown },
      sealed_secrets: sealSecrets(split.secrets, sealer),
      node_selection: selection,
      node_count: selection.limit,
      ...ruleOf(body, before),
    };
    const wanted = wantedOf({ ...fields, config: { ...whole } }, viewerOf(account));
    if ((given !== null || body.node_selection || body.nodes || body.target) && wanted && !placing.isPossible(wanted))
      throw noNode();
    return fields;
  }

  /** With its secrets: sealed anew, the same ones look different. */
  #whole(fields: MonitorFields): MonitorFields {
    const secrets = openSecrets(fields.sealed_secrets, this.options.sealer);
    return { ...fields, config: { ...joinSecrets(fields.config, secrets) } };
  }

  #interval(type: MonitorType, body: Partial<MonitorCreate>, before: MonitorFields, plan: Plan): number {
    const asked = same(body, 'interval_s', 'interval_sec');
    if (asked === undefined && before.interval_s > 0) return before.interval_s;
    return intervalOf(asked, monitorTypeOf(type).defaultIntervalSeconds, plan);
  }

  async #checkRoom(trx: Knex, account: Account): Promise<void> {
    const plan = (await lockPlan(trx, account.userId)) ?? account.plan;
    const most = this.options.plans[plan].monitors;
    if (most === null || (await countMonitors(trx, account.userId)) < most) return;
    const message = `there are ${most}, as many as the plan allows`;
    throw capReached('MONITOR_LIMIT_EXCEEDED', most, this.options.clock.now(), {
      monitors: [{ code: 'refused', message }],
    });
  }

  async #checkGroup(trx: Knex, { group_id: id }: Partial<MonitorCreate>, account: Account): Promise<void> {
    if (typeof id === 'string' && !(await hasGroup(trx, id, account)))
      throw fieldError('group_id', 'not_found', 'is none of your groups');
  }

  /** With the group that is named, if one is. */
  async #grouped(trx: Knex, fields: MonitorFields, { groupName, ...act }: MonitorAct): Promise<MonitorFields> {
    if (groupName === undefined) return fields;
    return { ...fields, group_id: await groupNamed(trx, groupName, act, this.options.clock.now()) };
  }
}

/** What others hear of a change of status; null: it was not checked and still is not. */
function newsOfStatus(before: MonitorStatus, after: MonitorStatus): 'monitor.resumed' | 'monitor.paused' | null {
  if (after === 'active') return 'monitor.resumed';
  return before === 'active' ? 'monitor.paused' : null;
}

function noNode(): ApiError {
  const message = 'no node that you may use fits this selection, its target and its type';
  return new ApiError('VALIDATION_FAILED', {
    status: 422,
    details: { node_selection: [{ code: 'not_found', message }] },
  });
}
