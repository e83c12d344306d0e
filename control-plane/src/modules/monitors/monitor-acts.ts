import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { parseQuorum } from '@vantage/shared/monitor-state/quorum.js';
import { type MonitorType, monitorTypeOf } from '@vantage/shared/monitor-types/index.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import type { Knex } from 'knex';
import type { Actor } from '../../actor.js';
import { ApiError, capReached, fieldError } from '../../http/errors.js';
import type { Account } from '../../http/route.js';
import type { Plan, Plans } from '../../plans.js';
import type { Sealer } from '../../sealing.js';
import { insertAuditEntry } from '../audit/index.js';
import { type NodeSelection, viewerOf } from '../nodes/index.js';
import { endAssignments, listAssignedNodes, renewAssignments } from './assignment-store.js';
import { closeEvent, insertHappening } from './event-store.js';
import { monitorName } from './happening.js';
import { intervalOf } from './intervals.js';
import { type Placing, wantedOf } from './placing.js';
import type { MonitorChange, MonitorCreate, MonitorStatus } from './schema.js';
import { joinSecrets, openSecrets, parseSettings, type Settings, sealSecrets, splitSecrets } from './settings.js';
import { resetState } from './state-store.js';
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
import { countGroups, findGroupByName, insertGroupNamed } from './transfer/group-names-store.js';
import { checkedTypeOf } from './type-names.js';

const DEFAULT_NODES = 3;
/** Groups of an account. */
const MAX_GROUPS = 1_000;
const DEFAULT_RULE = { consecutive_fail: 2, consecutive_ok: 1, fail_node_quorum: '2/3' };

export interface MonitorActsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly plans: Plans;
  readonly policy: () => TargetPolicy;
  readonly placing: Placing;
  /** Reads the loads of nodes again when they are old. */
  readonly refreshLoads: () => Promise<void>;
  readonly sealer: Sealer;
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
    const { db, clock } = this.options;
    const { account, actor } = act;
    const at = new Date(clock.now());
    const fields = await this.fieldsOfNew(body, account);
    await this.options.refreshLoads();
    const nodeIds = await db.transaction(async (trx) => {
      await this.#checkRoom(trx, account);
      await this.#checkGroup(trx, fields);
      const whole = await this.#grouped(trx, fields, act);
      if (!(await insertMonitor(trx, whole, at))) throw new ApiError('MONITOR_NAME_TAKEN');
      if (act.isPaused) await updateStatus(trx, whole.id, 'paused', at);
      const subject = { actor, accountId: account.userId, subject: whole.id };
      await insertAuditEntry(trx, { ...subject, action: 'monitor.created', details: { name: whole.name } });
      return this.#place(trx, whole.id, account);
    });
    return { id: fields.id, nodeIds };
  }

  /** What would be stored of a new monitor, as far as no other monitor decides of it. @throws ApiError as create */
  async fieldsOfNew(body: MonitorCreate, account: Account): Promise<MonitorFields> {
    const type = checkedTypeOf(body.type);
    const now = this.options.clock.now();
    const id = newId(idPrefixes.monitor, now);
    const own = { id, name: body.name.trim(), type, user_id: account.userId, is_test: account.isTest };
    return this.#fieldsOf(type, body, { ...blankMonitor, ...own }, account);
  }

  /** What would be stored of a monitor once it is changed. @throws ApiError as change */
  fieldsOfChanged(body: MonitorChange, before: MonitorRow, account: Account): Promise<MonitorFields> {
    return this.#fieldsOf(before.type as MonitorType, body, before, account);
  }

  /** Changes what is named and leaves the rest. @throws ApiError as create, MONITOR_NOT_FOUND */
  async change(id: string, body: MonitorChange, act: MonitorAct): Promise<KnownMonitorRow> {
    return this.#told(await this.changeUntold(id, body, act), act);
  }

  /** As `change`, for many at once: the caller tells the nodes. */
  async changeUntold(id: string, body: MonitorChange, act: MonitorAct): Promise<Untold> {
    const { db, clock } = this.options;
    const { account, actor } = act;
    await this.options.refreshLoads();
    const nodeIds = await db.transaction(async (trx) => {
      const before = await lockMonitor(trx, id, account);
      if (before === null) throw new ApiError('MONITOR_NOT_FOUND');
      const given = await this.fieldsOfChanged(body, before, account);
      await this.#checkGroup(trx, given);
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
      const isOther = isCheckedOtherwise(this.#whole(before), this.#whole(fields));
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
    const row = await findMonitor(this.options.db, id, account);
    if (row === null) throw new ApiError('MONITOR_NOT_FOUND');
    return row;
  }

  /** One page, newest first, and how many there are. */
  list(
    account: Account,
    filter: MonitorFilter,
    page: { limit: number; offset: number },
  ): ReturnType<typeof listMonitors> {
    return listMonitors(this.options.db, { owner: account, filter, ...page });
  }

  /** For good, with its events. @throws ApiError MONITOR_NOT_FOUND */
  async delete(id: string, { account, actor }: MonitorAct): Promise<void> {
    const changed = await this.options.db.transaction(async (trx) => {
      const monitor = await lockMonitor(trx, id, account);
      if (monitor === null) throw new ApiError('MONITOR_NOT_FOUND');
      const nodeIds = await listAssignedNodes(trx, id);
      await endAssignments(trx, id, nodeIds);
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
    const { db, clock } = this.options;
    const at = new Date(clock.now());
    await this.options.refreshLoads();
    const changed = await db.transaction(async (trx) => {
      const monitor = await lockMonitor(trx, id, account);
      if (monitor === null) throw new ApiError('MONITOR_NOT_FOUND');
      if (monitor.status === status) return [];
      await updateStatus(trx, id, status, at);
      await resetState(trx, id, at);
      await closeEvent(trx, id, at);
      const kind = status === 'active' ? 'monitor.resumed' : 'monitor.paused';
      const about = { userId: monitor.user_id, isTest: monitor.is_test, monitorId: id };
      await insertHappening(trx, { kind, ...about, payload: { monitor: monitorName(monitor) } });
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
      node_count: selection.limit ?? DEFAULT_NODES,
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

  async #checkGroup(trx: Knex, { group_id: id, user_id }: MonitorFields): Promise<void> {
    if (id !== null && !(await hasGroup(trx, id, user_id)))
      throw fieldError('group_id', 'not_found', 'is none of your groups');
  }

  /** With the group that is named, if one is. */
  async #grouped(trx: Knex, fields: MonitorFields, { groupName, account }: MonitorAct): Promise<MonitorFields> {
    if (groupName === undefined) return fields;
    return { ...fields, group_id: await this.#groupNamed(trx, groupName, account) };
  }

  async #groupNamed(trx: Knex, name: string, owner: Account): Promise<string> {
    // of two that make it at once the second finds it
    await lockPlan(trx, owner.userId);
    const found = await findGroupByName(trx, name, owner);
    if (found !== null) return found;
    if ((await countGroups(trx, owner.userId)) >= MAX_GROUPS) throw tooManyGroups();
    const id = newId(idPrefixes.monitorGroup, this.options.clock.now());
    await insertGroupNamed(trx, { id, name, owner });
    return id;
  }
}

/** What a new monitor is before anything was said of it. */
const blankMonitor = {
  target: '',
  interval_s: 0,
  config: {},
  sealed_secrets: null,
  group_id: null,
  tags: [],
  node_selection: {},
  node_count: DEFAULT_NODES,
  ...DEFAULT_RULE,
  alert_policy_id: null,
  notifies_owner: true,
} satisfies Partial<MonitorFields>;

/** One of two names of a field; undefined: neither is given. @throws ApiError when they differ */
function same<K extends keyof MonitorCreate, L extends keyof MonitorCreate>(
  body: Partial<MonitorCreate>,
  name: K,
  other: L,
) {
  const [value, second] = [body[name], body[other]];
  if (value !== undefined && second !== undefined && JSON.stringify(value) !== JSON.stringify(second))
    throw fieldError(other, 'conflict', `is another name of ${name}, which says otherwise`);
  return (value ?? second) as (MonitorCreate[K] & MonitorCreate[L]) | undefined;
}

/** The settings a body gives, wherever it puts the assertions; null: none. */
function settingsOf(body: Partial<MonitorCreate>, before: MonitorFields): Settings | null {
  const config = same(body, 'config', 'params') as Settings | undefined;
  const { assertions } = body;
  if (assertions === undefined) return config ?? null;
  if (config?.['assertions'] !== undefined && JSON.stringify(config['assertions']) !== JSON.stringify(assertions))
    throw fieldError('assertions', 'conflict', 'is another place for config.assertions, which says otherwise');
  return { ...(config ?? before.config), assertions };
}

function selectionOf(body: Partial<MonitorCreate>, before: MonitorFields): NodeSelection {
  const given = same(body, 'node_selection', 'nodes') as NodeSelection | undefined;
  const selection = given ?? before.node_selection;
  const count = body.node_count;
  // a selection that names no limit has the default one
  if (count !== undefined && given?.limit !== undefined && given.limit !== DEFAULT_NODES && given.limit !== count)
    throw fieldError('node_count', 'conflict', 'is another name of node_selection.limit, which says otherwise');
  const limit = count ?? given?.limit ?? (given === undefined ? before.node_count : DEFAULT_NODES);
  return { spread: 'asn', ...selection, limit };
}

function ruleOf({ trigger_rule: rule = {} }: Partial<MonitorCreate>, before: MonitorFields) {
  const quorum = rule.fail_node_quorum ?? before.fail_node_quorum;
  if (parseQuorum(quorum) === null)
    throw fieldError('trigger_rule.fail_node_quorum', 'format', 'must be a fraction like 2/3, a count, all or any');
  return {
    consecutive_fail: rule.consecutive_fail ?? before.consecutive_fail,
    consecutive_ok: rule.consecutive_ok ?? before.consecutive_ok,
    fail_node_quorum: quorum,
  };
}

function rest(body: Partial<MonitorCreate>): Partial<MonitorFields> {
  const { group_id, tags, alert_policy_id, notify_owner } = body;
  return {
    ...(group_id === undefined ? {} : { group_id }),
    ...(tags === undefined ? {} : { tags: [...new Set(tags.map((tag) => tag.trim().toLowerCase()))].sort() }),
    ...(alert_policy_id === undefined ? {} : { alert_policy_id }),
    ...(notify_owner === undefined ? {} : { notifies_owner: notify_owner }),
  };
}

/** Whether nodes have to be told: what they measured until now was of something else. */
function isCheckedOtherwise(before: MonitorFields, after: MonitorFields): boolean {
  const told = ({ target, interval_s, config, consecutive_fail, consecutive_ok }: MonitorFields) =>
    JSON.stringify([target, interval_s, sorted(config), consecutive_fail, consecutive_ok]);
  return told(before) !== told(after);
}

/** PostgreSQL keeps the members of jsonb in an order of its own. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, sorted(v)]),
  );
}

function tooManyGroups(): ApiError {
  const message = `there are ${MAX_GROUPS}, as many as an account may have`;
  return new ApiError('VALIDATION_FAILED', { status: 422, details: { group: [{ code: 'refused', message }] } });
}

function noNode(): ApiError {
  const message = 'no node that you may use fits this selection, its target and its type';
  return new ApiError('VALIDATION_FAILED', {
    status: 422,
    details: { node_selection: [{ code: 'not_found', message }] },
  });
}
