import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import type { AuditAction } from '../../../audit-log/actions.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import { ApiError } from '../../../http/errors.js';
import type { Account } from '../../../http/route.js';
import { lockOwner, ownedColumns } from '../../../owners/index.js';
import { type FixedCap, reserveFixed } from '../../../plans/index.js';
import type { ChannelAct } from '../channels/channel-act.js';
import type { LookAgain } from '../policies/look-again.js';
import { type AlertGroupRow, blankGroup, groupFieldsOf } from './alert-group-row.js';
import type { AlertGroupChange, AlertGroupCreate } from './alert-group-schema.js';
import {
  countAlertGroups,
  deleteAlertGroup,
  findAlertGroup,
  insertAlertGroup,
  listAlertGroups,
  lockAlertGroup,
  updateAlertGroup,
} from './alert-group-store.js';

/** Groups of an account: every alert asks all of them. */
export const MAX_ALERT_GROUPS = 50;

const groupCap: FixedCap = { field: 'alert_groups', most: MAX_ALERT_GROUPS, count: countAlertGroups };

interface AlertGroupActsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly lookAgain: LookAgain;
}

/** Creates, changes and deletes groups. */
export class AlertGroupActs {
  constructor(private readonly options: AlertGroupActsOptions) {}

  /** @throws ApiError VALIDATION_FAILED */
  async create(body: AlertGroupCreate, act: ChannelAct): Promise<AlertGroupRow> {
    const { db, clock } = this.options;
    const { account } = act;
    const nowMs = clock.now();
    const id = newId(idPrefixes.alertGroup, nowMs);
    const fields = groupFieldsOf(body, { ...blankGroup, ...body });
    return db.transaction(async (trx) => {
      await reserveFixed(trx, await lockOwner(trx, account.owner), groupCap, nowMs);
      const made = await insertAlertGroup(trx, { id, ...ownedColumns(account), ...fields }, new Date(nowMs));
      const { name } = fields;
      await this.#record(trx, act, { subject: id, action: 'alert_group.created', details: { name } });
      return made;
    });
  }

  /** Changes the given fields only. @throws ApiError ALERT_NOISE_RULE_NOT_FOUND, VALIDATION_FAILED */
  async change(id: string, body: AlertGroupChange, act: ChannelAct): Promise<AlertGroupRow> {
    const { db, clock } = this.options;
    return db.transaction(async (trx) => {
      const before = found(await lockAlertGroup(trx, id, act.account.owner));
      const changed = await updateAlertGroup(trx, id, groupFieldsOf(body, before), new Date(clock.now()));
      const details = { fields: Object.keys(body) };
      await this.#record(trx, act, { subject: id, action: 'alert_group.changed', details });
      return changed;
    });
  }

  /** @throws ApiError ALERT_NOISE_RULE_NOT_FOUND */
  async delete(id: string, act: ChannelAct): Promise<void> {
    const { db } = this.options;
    await db.transaction(async (trx) => {
      const { name } = found(await lockAlertGroup(trx, id, act.account.owner));
      await deleteAlertGroup(trx, id);
      await this.#record(trx, act, { subject: id, action: 'alert_group.deleted', details: { name } });
    });
  }

  /** @throws ApiError ALERT_NOISE_RULE_NOT_FOUND */
  async get(id: string, { owner }: Account): Promise<AlertGroupRow> {
    return found(await findAlertGroup(this.options.db, id, owner));
  }

  /** Page of groups, newest first, and the number of all. */
  list(
    { owner }: Account,
    page: { readonly limit: number; readonly offset: number },
  ): ReturnType<typeof listAlertGroups> {
    return listAlertGroups(this.options.db, owner, page);
  }

  async #record(
    trx: Knex,
    { account, actor }: ChannelAct,
    entry: {
      readonly subject: string;
      readonly action: Extract<AuditAction, `alert_group.${string}`>;
      readonly details: Readonly<Record<string, unknown>>;
    },
  ): Promise<void> {
    await insertAuditEntry(trx, { actor, accountId: account.owner.id, ...entry });
    await this.options.lookAgain.queue(trx, account.owner.id);
  }
}

function found(row: AlertGroupRow | null): AlertGroupRow {
  if (row === null) throw new ApiError('ALERT_NOISE_RULE_NOT_FOUND');
  return row;
}
