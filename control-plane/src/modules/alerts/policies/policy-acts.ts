import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { insertAuditEntry } from '../../../audit-log/store.js';
import { ApiError, businessError } from '../../../http/errors.js';
import type { Account } from '../../../http/route.js';
import { lockOwner, ownedColumns } from '../../../owners/index.js';
import { type FixedCap, reserveFixed } from '../../../plans/index.js';
import { checkScope, cycleMessage } from '../../monitors/index.js';
import type { ChannelAct } from '../channels/channel-act.js';
import { shareChannels } from '../channels/channel-store.js';
import { recipientsOf } from '../channels/channel-view.js';
import { type ChannelTypeName, type ChannelTypes, findType } from '../types/registry.js';
import type { KnownChannel } from './channel-choices.js';
import type { LookAgain } from './look-again.js';
import { namesChannels, policyFieldsOf } from './policy-body.js';
import { policyReferences } from './policy-references.js';
import { policyConflict } from './policy-refusals.js';
import type { PolicyFields, PolicyRow } from './policy-row.js';
import type { AlertPolicyChange, AlertPolicyCreate } from './policy-schema.js';
import {
  clearDefault,
  countPolicies,
  deletePolicy,
  findPolicy,
  insertPolicy,
  isPolicyNameTaken,
  listMonitorsNaming,
  listPolicies,
  lockPolicy,
  updatePolicy,
} from './policy-store.js';

/** Policies of an account, the default one included: every alert reads all of them that apply. */
export const MAX_POLICIES = 100;

/** Monitors that a refused deletion names. */
const NAMED_MONITORS = 10;

const policyCap: FixedCap = { field: 'alert_policies', most: MAX_POLICIES, count: countPolicies };

interface PolicyActsOptions {
  readonly types: ChannelTypes;
  readonly db: Knex;
  readonly clock: Clock;
  readonly lookAgain: LookAgain;
}

// Locks are taken in one order: the owner, its channels, the policy. The deletion of a channel locks it before its policies.

/** Creates, changes and deletes policies. Alerts that are open ask the policy as it is when they are looked at. */
export class PolicyActs {
  constructor(private readonly options: PolicyActsOptions) {}

  /** @throws ApiError VALIDATION_FAILED, ALERT_CHANNEL_INVALID, ALERT_RULE_CONFLICT */
  async create(body: AlertPolicyCreate, act: ChannelAct): Promise<PolicyRow> {
    const { db, clock } = this.options;
    const { account } = act;
    const nowMs = clock.now();
    const id = newId(idPrefixes.alertPolicy, nowMs);
    return db.transaction(async (trx) => {
      const owner = await lockOwner(trx, account.owner);
      await reserveFixed(trx, owner, policyCap, nowMs);
      const known = await this.#knownChannels(trx, account);
      const fields = policyFieldsOf(body, null, { known, timezone: owner.timezone ?? 'UTC' });
      await this.#check(trx, { id, fields, body, account });
      const row = await insertPolicy(trx, { id, ...ownedColumns(account), ...fields }, new Date(nowMs));
      await refuseCycle(trx, body, account);
      const { name } = fields;
      await this.#record(trx, act, { subject: id, action: 'alert_policy.created', details: { name } });
      return row;
    });
  }

  /** Changes the given fields only. @throws ApiError ALERT_RULE_NOT_FOUND, VALIDATION_FAILED, ALERT_CHANNEL_INVALID, ALERT_RULE_CONFLICT */
  async change(id: string, body: AlertPolicyChange, act: ChannelAct): Promise<PolicyRow> {
    const { db, clock } = this.options;
    const { account } = act;
    return db.transaction(async (trx) => {
      const { timezone } = await lockOwner(trx, account.owner);
      const known = namesChannels(body) ? await this.#knownChannels(trx, account) : [];
      const before = await lockPolicy(trx, id, account.owner);
      if (before === null) throw new ApiError('ALERT_RULE_NOT_FOUND');
      const fields = policyFieldsOf(body, before, { known, timezone: timezone ?? 'UTC' });
      await this.#check(trx, { id, fields, body, account });
      const row = await updatePolicy(trx, id, fields, new Date(clock.now()));
      await refuseCycle(trx, body, account);
      const details = { fields: Object.keys(body) };
      await this.#record(trx, act, { subject: id, action: 'alert_policy.changed', details });
      return row;
    });
  }

  /**
   * Deletes a policy. `isForced`: also if monitors name it, which name none then; unless the default policy, which may apply to them
   * instead, would have monitors depend on each other.
   * @throws ApiError ALERT_RULE_NOT_FOUND, ALERT_RULE_CONFLICT
   */
  async delete(id: string, isForced: boolean, act: ChannelAct): Promise<void> {
    await this.options.db.transaction(async (trx) => {
      const { owner } = act.account;
      await lockOwner(trx, owner);
      const row = await lockPolicy(trx, id, owner);
      if (row === null) throw new ApiError('ALERT_RULE_NOT_FOUND');
      if (row.is_default) throw policyConflict('id', 'the default policy cannot be deleted: disable it');
      const { monitors, total } = await listMonitorsNaming(trx, id, NAMED_MONITORS);
      if (total > 0 && !isForced) {
        const names = monitors.map((monitor) => `${monitor.name} (${monitor.id})`).join(', ');
        const more = total > monitors.length ? ` and ${total - monitors.length} more` : '';
        throw policyConflict('monitors', `named by ${names}${more}`);
      }
      await deletePolicy(trx, id);
      const cycle = await policyReferences.findCycle(trx, owner.id);
      if (cycle !== null) throw policyConflict('suppression.depends_on', cycleMessage(cycle));
      const details = { name: row.name, monitors: total };
      await this.#record(trx, act, { subject: id, action: 'alert_policy.deleted', details });
    });
  }

  /** @throws ApiError ALERT_RULE_NOT_FOUND */
  async get(id: string, { owner }: Account): Promise<PolicyRow> {
    const row = await findPolicy(this.options.db, id, owner);
    if (row === null) throw new ApiError('ALERT_RULE_NOT_FOUND');
    return row;
  }

  /** Page of policies, newest first, and the number of all. */
  list({ owner }: Account, page: { readonly limit: number; readonly offset: number }): ReturnType<typeof listPolicies> {
    return listPolicies(this.options.db, owner, page);
  }

  /** Channels that a policy of the caller may name, oldest first; none can be deleted until the transaction ends. */
  async #knownChannels(trx: Knex, { owner }: Account): Promise<KnownChannel[]> {
    const { types } = this.options;
    const rows = (await shareChannels(trx, owner)).filter(({ type }) => findType(types, type) !== null);
    return rows.map((row) => ({
      id: row.id,
      type: row.type as ChannelTypeName,
      isDefault: row.is_default,
      recipients: recipientsOf(row, types),
    }));
  }

  /** Checks a policy against the other policies and monitors of the account, and makes place for a new default policy. */
  async #check(
    trx: Knex,
    {
      id,
      fields,
      body,
      account,
    }: {
      readonly id: string;
      readonly fields: PolicyFields;
      readonly body: AlertPolicyChange;
      readonly account: Account;
    },
  ): Promise<void> {
    const { owner } = account;
    if (await isPolicyNameTaken(trx, owner.id, fields.name, id))
      throw policyConflict('name', 'another policy has this name');
    await checkMonitors(trx, body, account);
    if (body.is_default !== true) return;
    if (owner.isTest) throw businessError('is_default', 'refused', 'a policy of a test key cannot be the default');
    await clearDefault(trx, owner.id);
  }

  async #record(
    trx: Knex,
    { account, actor }: ChannelAct,
    entry: {
      readonly subject: string;
      readonly action: 'alert_policy.created' | 'alert_policy.changed' | 'alert_policy.deleted';
      readonly details: Readonly<Record<string, unknown>>;
    },
  ): Promise<void> {
    await insertAuditEntry(trx, { actor, accountId: account.owner.id, ...entry });
    await this.options.lookAgain.queue(trx, account.owner.id);
  }
}

/** Checks that the monitors of a request belong to the caller. @throws ApiError VALIDATION_FAILED */
async function checkMonitors(trx: Knex, body: AlertPolicyChange, { owner }: Account): Promise<void> {
  const { monitor_id: monitorId, suppression } = body;
  const own = typeof monitorId === 'string' ? [monitorId] : [];
  const ids = [...own, ...(suppression?.depends_on ?? [])];
  if (ids.length === 0) return;
  const fieldOf = (index: number) =>
    index < own.length ? 'monitor_id' : `suppression.depends_on.${index - own.length}`;
  await checkScope(trx, { scope_type: 'monitor', scope_ids: ids }, owner, fieldOf);
}

/** Checks dependencies as they are after a change that may affect them. @throws ApiError VALIDATION_FAILED, status 422 */
async function refuseCycle(trx: Knex, body: AlertPolicyChange, { owner }: Account): Promise<void> {
  const { monitor_id: monitorId, rules, is_default: isDefault, suppression } = body;
  if ([monitorId, rules, isDefault, suppression?.depends_on].every((field) => field === undefined)) return;
  const cycle = await policyReferences.findCycle(trx, owner.id);
  if (cycle !== null) throw businessError('suppression.depends_on', 'refused', cycleMessage(cycle));
}
