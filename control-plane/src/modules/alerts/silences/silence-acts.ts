import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import type { AuditAction } from '../../../audit-log/actions.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import { ApiError } from '../../../http/errors.js';
import type { Account } from '../../../http/route.js';
import { lockOwner, ownedColumns } from '../../../owners/index.js';
import { type FixedCap, reserveFixed } from '../../../plans/index.js';
import { checkScope } from '../../monitors/index.js';
import type { ChannelAct } from '../channels/channel-act.js';
import type { LookAgain } from '../policies/look-again.js';
import { type SilenceStatus, silenceStatus } from './silence.js';
import { type SilenceRow, silenceIn, silenceView } from './silence-row.js';
import type { AlertSilenceChange, AlertSilenceCreate } from './silence-schema.js';
import { changedSilence, newSilence } from './silence-settings.js';
import {
  countSilences,
  deleteSilence,
  findSilence,
  insertSilence,
  listSilences,
  lockSilence,
  updateSilence,
} from './silence-store.js';

/** Silences of an account that have not expired: every alert asks all of them. */
export const MAX_SILENCES = 500;

interface SilenceActsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly lookAgain: LookAgain;
}

/** Creates, changes and ends silences. */
export class SilenceActs {
  constructor(private readonly options: SilenceActsOptions) {}

  /** @throws ApiError VALIDATION_FAILED */
  async create(body: AlertSilenceCreate, act: ChannelAct): Promise<SilenceRow> {
    const { db, clock } = this.options;
    const { account } = act;
    const nowMs = clock.now();
    const at = new Date(nowMs);
    const fields = newSilence(body, nowMs);
    const id = newId(idPrefixes.alertSilence, nowMs);
    const cap: FixedCap = {
      field: 'alert_silences',
      most: MAX_SILENCES,
      count: (trx, ownerId) => countSilences(trx, ownerId, at),
    };
    return db.transaction(async (trx) => {
      await reserveFixed(trx, await lockOwner(trx, account.owner), cap, nowMs);
      const isOne = typeof body.monitor_id === 'string';
      await checkScope(trx, fields, account.owner, (index) => (isOne ? 'monitor_id' : `scope_ids.${index}`));
      const made = await insertSilence(trx, { id, ...ownedColumns(account), ...fields }, at);
      const { scope_type, reason } = fields;
      await this.#record(trx, act, { subject: id, action: 'alert_silence.created', details: { scope_type, reason } });
      return made;
    });
  }

  /** Changes the given fields only. @throws ApiError ALERT_NOISE_RULE_NOT_FOUND, VALIDATION_FAILED, CONFLICT */
  async change(id: string, body: AlertSilenceChange, act: ChannelAct): Promise<SilenceRow> {
    const { db, clock } = this.options;
    const nowMs = clock.now();
    return db.transaction(async (trx) => {
      const before = found(await lockSilence(trx, id, act.account.owner));
      const changed = await updateSilence(trx, id, changedSilence(body, before, nowMs), new Date(nowMs));
      const details = { fields: Object.keys(body) };
      await this.#record(trx, act, { subject: id, action: 'alert_silence.changed', details });
      return changed;
    });
  }

  /**
   * Deletes a silence that has not begun, and ends one that has; one that is over is left as it is.
   * @throws ApiError ALERT_NOISE_RULE_NOT_FOUND
   */
  async delete(id: string, act: ChannelAct): Promise<void> {
    const { db, clock } = this.options;
    const nowMs = clock.now();
    await db.transaction(async (trx) => {
      const row = found(await lockSilence(trx, id, act.account.owner));
      const status = silenceStatus(silenceIn(row), nowMs);
      if (status === 'expired') return;
      if (status === 'upcoming') await deleteSilence(trx, id);
      else await updateSilence(trx, id, { ...row, ends_at: new Date(nowMs) }, new Date(nowMs));
      const action = status === 'upcoming' ? 'alert_silence.deleted' : 'alert_silence.ended';
      await this.#record(trx, act, { subject: id, action, details: { reason: row.reason } });
    });
  }

  /** @throws ApiError ALERT_NOISE_RULE_NOT_FOUND */
  async get(id: string, { owner }: Account): Promise<SilenceRow> {
    return found(await findSilence(this.options.db, id, owner));
  }

  /** Page of silences, newest first, and the number of all. */
  list(
    { owner }: Account,
    status: SilenceStatus | undefined,
    page: { readonly limit: number; readonly offset: number },
  ): ReturnType<typeof listSilences> {
    const { limit, offset } = page;
    return listSilences(this.options.db, owner, { status, at: new Date(this.options.clock.now()), limit, offset });
  }

  /** A silence as the API shows it now. */
  view(row: SilenceRow): ReturnType<typeof silenceView> {
    return silenceView(row, this.options.clock.now());
  }

  async #record(
    trx: Knex,
    { account, actor }: ChannelAct,
    entry: {
      readonly subject: string;
      readonly action: Extract<AuditAction, `alert_silence.${string}`>;
      readonly details: Readonly<Record<string, unknown>>;
    },
  ): Promise<void> {
    await insertAuditEntry(trx, { actor, accountId: account.owner.id, ...entry });
    await this.options.lookAgain.queue(trx, account.owner.id);
  }
}

function found(row: SilenceRow | null): SilenceRow {
  if (row === null) throw new ApiError('ALERT_NOISE_RULE_NOT_FOUND');
  return row;
}
