import type { Knex } from 'knex';
import { happened } from '../../../audit-log/happened.js';
import { ApiError, businessError, fieldError } from '../../../http/errors.js';
import type { Account } from '../../../http/route.js';
import { viewerOf } from '../../../http/viewer.js';
import { lockOwner } from '../../../owners/index.js';
import { type PlanCap, reserve } from '../../../plans/index.js';
import { endAssignments, listAssignedNodes, renewAssignments } from '../definition/assignment-store.js';
import { isCheckedOtherwise } from '../definition/checked-otherwise.js';
import type { MonitorAct } from '../definition/monitor-act.js';
import { cycleMessage, type PolicyReferences } from '../definition/policy-references.js';
import type { MonitorChange, MonitorCreate, MonitorStatus } from '../definition/schema.js';
import {
  countMonitors,
  deleteMonitor,
  hasGroup,
  insertMonitor,
  lockMonitor,
  type MonitorFields,
  updateMonitor,
  updateStatus,
} from '../definition/store.js';
import { HEARTBEAT } from '../definition/type-names.js';
import { monitorName, subjectOf } from '../events/event-fields.js';
import { groupNamed } from '../groups/monitor-groups.js';
import { insertDue, lockState } from '../judging/state-store.js';
import type { AssignmentChange } from '../placement/assignment-announcements.js';
import type { PlacedMonitor, Placing } from '../placement/placing.js';
import { CheckedFields, type CheckedFieldsOptions } from './checked-fields.js';
import { writeStatus } from './status-change.js';

export interface MonitorActsOptions extends CheckedFieldsOptions {
  readonly db: Knex;
  readonly placing: Pick<Placing, 'isPossible' | 'place' | 'prepare'>;
  readonly policyReferences: () => PolicyReferences;
  /** Called when the assignments of nodes changed. */
  readonly onAssigned: (changes: readonly AssignmentChange[]) => void;
}

const monitorCap: PlanCap = {
  field: 'monitors',
  number: 'monitors',
  code: 'MONITOR_LIMIT_EXCEEDED',
  count: countMonitors,
};

/** Creates, changes, pauses and deletes the monitors of accounts. */
export class MonitorActs {
  readonly fields: CheckedFields;

  constructor(private readonly options: MonitorActsOptions) {
    this.fields = new CheckedFields(options);
  }

  /** @returns the new monitor's id. @throws ApiError VALIDATION_FAILED, MONITOR_NAME_TAKEN, MONITOR_LIMIT_EXCEEDED, MONITOR_INVALID_TARGET, … */
  async create(body: MonitorCreate, act: MonitorAct): Promise<string> {
    const change = await this.createUnannounced(body, act);
    this.options.onAssigned([change]);
    return change.id;
  }

  /** Same as `create`, for bulk changes: the caller notifies the nodes of the change that is returned. */
  async createUnannounced(body: MonitorCreate, act: MonitorAct): Promise<AssignmentChange> {
    const { db, clock, heartbeats } = this.options;
    const { account, actor } = act;
    const at = new Date(clock.now());
    const { token, shown } = heartbeats.makeToken();
    const fields = await this.fields.ofNew(body, account, shown);
    await this.options.placing.prepare();
    const nodeIds = await db.transaction(async (trx) => {
      const owner = await lockOwner(trx, account.owner);
      await reserve(trx, owner, monitorCap, { plans: this.options.plans, nowMs: at.getTime() });
      await this.#checkGroup(trx, body, account);
      await this.#checkPolicy(trx, body, { account, isTest: account.owner.isTest });
      const whole = await this.#grouped(trx, fields, act);
      const { id, name } = whole;
      if (!(await insertMonitor(trx, whole, at))) throw new ApiError('MONITOR_NAME_TAKEN');
      const [kind, owner_id, is_test] = ['monitor.created' as const, account.owner.id, account.owner.isTest];
      const event = { kind, ...subjectOf({ id, owner_id, is_test }), payload: { monitor: monitorName(whole) } };
      await happened(trx, { actor, accountId: owner_id, action: kind, subject: id, details: { name }, event });
      if (whole.type === HEARTBEAT) await heartbeats.insert(trx, id, token);
      if (act.isPaused) await this.#beginPaused(trx, whole, at);
      return this.#place(trx, { ...whole, status: act.isPaused ? 'paused' : 'active' }, account);
    });
    return { id: fields.id, nodeIds };
  }

  /** Changes the given fields only. @throws ApiError as create, MONITOR_NOT_FOUND */
  async change(id: string, body: MonitorChange, act: MonitorAct): Promise<void> {
    this.options.onAssigned([await this.changeUnannounced(id, body, act)]);
  }

  /** Same as `change`, for bulk changes: the caller notifies the nodes. */
  async changeUnannounced(id: string, body: MonitorChange, act: MonitorAct): Promise<AssignmentChange> {
    const { db, clock, heartbeats } = this.options;
    const { account, actor } = act;
    await this.options.placing.prepare();
    const nodeIds = await db.transaction(async (trx) => {
      // lock the user before the monitor, in the same order as the deletion of an account
      const isRuledOtherwise = body.alert_policy_id !== undefined || body.notify_owner !== undefined;
      // two changes must not make a cycle of dependencies together
      if (act.groupName !== undefined || isRuledOtherwise) await lockOwner(trx, account.owner);
      const before = await lockMonitor(trx, id, account.owner);
      if (before === null) throw new ApiError('MONITOR_NOT_FOUND');
      const given = await this.fields.ofChanged(body, before, account);
      await this.#checkGroup(trx, body, account);
      await this.#checkPolicy(trx, body, { account, isTest: before.is_test });
      const fields = await this.#grouped(trx, given, act);
      if (!(await updateMonitor(trx, fields, new Date(clock.now())))) throw new ApiError('MONITOR_NAME_TAKEN');
      if (isRuledOtherwise) await this.#refuseCycle(trx, account);
      const [kind, details] = ['monitor.changed' as const, { fields: Object.keys(body) }];
      const event = { kind, ...subjectOf(before), payload: { monitor: monitorName(fields) } };
      await happened(trx, { actor, accountId: account.owner.id, action: kind, subject: id, details, event });
      // its group and tags decide in which maintenance windows it is
      await insertDue(trx, [id]);
      const isOther = isCheckedOtherwise(this.fields.opened(before), this.fields.opened(fields));
      if (isOther && before.type === HEARTBEAT) await heartbeats.reschedule(trx, id);
      const renewed = isOther ? await renewAssignments(trx, id) : [];
      return [...renewed, ...(await this.#place(trx, { ...fields, status: before.status }, account))];
    });
    return { id, nodeIds };
  }

  /** Deletes a monitor and its events permanently. @throws ApiError MONITOR_NOT_FOUND */
  async delete(id: string, { account, actor }: MonitorAct): Promise<void> {
    const nodeIds = await this.options.db.transaction(async (trx) => {
      const monitor = await lockMonitor(trx, id, account.owner);
      if (monitor === null) throw new ApiError('MONITOR_NOT_FOUND');
      if (monitor.type === HEARTBEAT) await this.options.heartbeats.suspend(trx, [id]);
      const assigned = await listAssignedNodes(trx, id);
      await endAssignments(trx, id, assigned);
      // judgments lock the state before the monitor, for the events they write
      await lockState(trx, id);
      await deleteMonitor(trx, id);
      const [kind, details] = ['monitor.deleted' as const, { name: monitor.name }];
      const event = { kind, ...subjectOf(monitor), payload: { monitor: monitorName(monitor) } };
      await happened(trx, { actor, accountId: account.owner.id, action: kind, subject: id, details, event });
      return assigned;
    });
    this.options.onAssigned([{ id, nodeIds }]);
  }

  /**
   * Pauses, resumes or archives a monitor; the same status again changes nothing. A monitor that is not active is not checked, its
   * health is unknown and its open event ends. @throws ApiError MONITOR_NOT_FOUND
   */
  async setStatus(id: string, status: MonitorStatus, { account, actor }: MonitorAct): Promise<void> {
    const { db, clock, heartbeats } = this.options;
    const at = new Date(clock.now());
    await this.options.placing.prepare();
    const nodeIds = await db.transaction(async (trx) => {
      const monitor = await lockMonitor(trx, id, account.owner);
      if (monitor === null) throw new ApiError('MONITOR_NOT_FOUND');
      if (monitor.status === status) return [];
      await writeStatus(trx, [monitor], { status, at, actor, heartbeats });
      return this.#place(trx, { ...monitor, status }, account);
    });
    this.options.onAssigned([{ id, nodeIds }]);
  }

  /** Places a monitor. `monitor`: as just written under its lock. @returns nodes whose assignments changed */
  async #place(trx: Knex, monitor: PlacedMonitor, account: Account): Promise<readonly string[]> {
    return (await this.options.placing.place(trx, monitor, viewerOf(account))).changed;
  }

  async #beginPaused(trx: Knex, { id, type }: MonitorFields, at: Date): Promise<void> {
    if (type === HEARTBEAT) await this.options.heartbeats.suspend(trx, [id]);
    await updateStatus(trx, [id], { status: 'paused', at });
  }

  async #checkGroup(trx: Knex, { group_id: id }: Partial<MonitorCreate>, account: Account): Promise<void> {
    if (typeof id === 'string' && !(await hasGroup(trx, id, account.owner)))
      throw fieldError('group_id', 'not_found', 'no such group');
  }

  async #checkPolicy(
    trx: Knex,
    { alert_policy_id: id }: Partial<MonitorCreate>,
    { account: { owner }, isTest }: { readonly account: Account; readonly isTest: boolean },
  ): Promise<void> {
    if (typeof id !== 'string') return;
    if (!(await this.options.policyReferences().isNameable(trx, id, { owner, isTestMonitor: isTest })))
      throw fieldError('alert_policy_id', 'not_found', 'no such alert policy');
  }

  /** Checks the dependencies between monitors as they are after a change. */
  async #refuseCycle(trx: Knex, { owner }: Account): Promise<void> {
    const cycle = await this.options.policyReferences().findCycle(trx, owner.id);
    if (cycle !== null) throw businessError('alert_policy_id', 'refused', cycleMessage(cycle));
  }

  /** Fields with the id of the group that the act names, if any. */
  async #grouped(trx: Knex, fields: MonitorFields, { groupName, ...act }: MonitorAct): Promise<MonitorFields> {
    if (groupName === undefined) return fields;
    return { ...fields, group_id: await groupNamed(trx, groupName, act, this.options.clock.now()) };
  }
}
