import type { Clock } from '@vantage/shared/clock.js';
import { alternatives } from '@vantage/shared/complaints.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import type { Static } from 'typebox';
import { insertAuditEntry } from '../../../audit-log/store.js';
import { ownTypeName } from '../../../config/channel-settings.js';
import type { Sealer } from '../../../crypto/sealing.js';
import type { Outbound } from '../../../deliver/index.js';
import { ApiError, businessError, fieldError } from '../../../http/errors.js';
import type { Account } from '../../../http/route.js';
import { type LockedOwner, lockOwner, ownedColumns } from '../../../owners/index.js';
import { effectiveLimits, type FixedCap, type Plans, reserveFixed } from '../../../plans/index.js';
import { dropWaiting } from '../deliveries/delivery-store.js';
import { deleteLane, lockLane, resumeLane } from '../deliveries/lane-store.js';
import { monthOf } from '../deliveries/quotas.js';
import { readUsage } from '../deliveries/usage-store.js';
import type { ChannelType } from '../types/channel-type.js';
import { type ChannelTypes, channelTypeNames, findType } from '../types/registry.js';
import type { ChannelAct } from './channel-act.js';
import { type ChannelConfig, mergeConfig, movedSecrets, splitSecrets } from './channel-config.js';
import { channelInvalid } from './channel-refusals.js';
import type { ChannelRow, UsedChannelRow } from './channel-row.js';
import type { AlertChannelChangeSchema, AlertChannelCreateSchema } from './channel-schema.js';
import { openConfig, sealSecrets } from './channel-secrets.js';
import { checkMaxPerMinute, checkSettings, checkTimezone } from './channel-settings.js';
import {
  type ChannelFilter,
  countChannels,
  deleteChannel,
  findChannel,
  insertChannel,
  isNameTaken,
  listChannels,
  lockChannel,
  updateChannel,
} from './channel-store.js';
import { checkTemplate } from './channel-template.js';
import type { ChannelUses } from './channel-uses.js';
import { channelView, recipientsOf } from './channel-view.js';
import { markVerified, syncRecipients } from './recipient-store.js';
import type { Verification } from './verification.js';

/** Channels of an account, the default one included. */
export const MAX_CHANNELS = 50;

const channelCap: FixedCap = { field: 'alert_channels', most: MAX_CHANNELS, count: countChannels };

interface ChannelActsOptions {
  readonly types: ChannelTypes;
  readonly db: Knex;
  readonly clock: Clock;
  readonly plans: Plans;
  readonly sealer: Sealer;
  readonly outbound: Pick<Outbound, 'check'>;
  readonly verification: Verification;
  readonly uses: ChannelUses;
}

type ChannelCreate = Static<typeof AlertChannelCreateSchema>;
type ChannelChange = Static<typeof AlertChannelChangeSchema>;

/** Creates, changes and deletes channels. */
export class ChannelActs {
  constructor(private readonly options: ChannelActsOptions) {}

  /**
   * Creates a channel, adds it to the default policy unless `use` is none, and sends codes to its recipients. `secret`: what was created for it, shown only once.
   * @throws ApiError VALIDATION_FAILED, ALERT_CHANNEL_INVALID, FEATURE_LOCKED, DUPLICATE
   */
  async create(body: ChannelCreate, act: ChannelAct): Promise<{ row: UsedChannelRow; secret: string | null }> {
    const { types, db, clock, sealer, outbound, uses } = this.options;
    const type = findType(types, ownTypeName(body.type));
    if (type === null)
      throw fieldError('type', 'enum', `no such type of channel${alternatives(body.type, channelTypeNames)}`);
    checkTimezone(body.timezone);
    checkMaxPerMinute(type, body.max_per_minute);
    const { config, recipients } = checkSettings(type, body.config, outbound);
    checkTemplate(type, body.template ?? null, config);
    const generated = type.generate?.(config as never) ?? {};
    const { shown, secrets } = splitSecrets(type, { ...config, ...generated });
    const nowMs = clock.now();
    const id = newId(idPrefixes.alertChannel, nowMs);
    const name = body.name.trim();
    const row = await db.transaction(async (trx) => {
      const owner = await lockOwner(trx, act.account.owner);
      await this.#checkQuota(trx, type, owner);
      await reserveFixed(trx, owner, channelCap, nowMs);
      if (await isNameTaken(trx, act.account.owner.id, name, null)) throw nameTaken();
      await insertChannel(trx, {
        id,
        ...ownedColumns(act.account),
        name,
        type: type.name,
        config: shown,
        sealed_secrets: sealSecrets(secrets, sealer),
        is_enabled: body.enabled ?? true,
        is_default: false,
        locale: body.locale ?? null,
        timezone: body.timezone ?? null,
        max_per_minute: body.max_per_minute ?? null,
        template: body.template ?? null,
        verified_at: null,
        health: 'unknown',
        health_since: null,
        failed_since: null,
        last_error: null,
        last_sent_at: null,
        warned_at: null,
        created_at: new Date(nowMs),
        updated_at: new Date(nowMs),
      });
      await this.#writeRecipients(trx, id, recipients, act.account);
      // a policy of real monitors is not for test keys
      const mayJoin = body.use !== 'none' && !act.account.owner.isTest;
      const isJoined = mayJoin && (await uses.joinDefault(trx, { id, type: type.name, owner_id: owner.id }));
      if (body.use === 'default' && !isJoined)
        throw businessError('use', 'refused', 'the default policy is full, or not for test keys: send "none"');
      await audit(trx, act, id, 'alert_channel.created', { name, type: type.name });
      return found(await findChannel(trx, id, act.account.owner));
    });
    return { row, secret: Object.values(generated)[0] ?? null };
  }

  /**
   * Changes the given fields only. `secret`: what was created by the change, shown only once.
   * @throws ApiError ALERT_CHANNEL_NOT_FOUND, VALIDATION_FAILED, ALERT_CHANNEL_INVALID, DUPLICATE
   */
  async change(
    id: string,
    body: ChannelChange,
    act: ChannelAct,
  ): Promise<{ row: UsedChannelRow; secret: string | null }> {
    const { types, db, clock } = this.options;
    const { owner } = act.account;
    checkTimezone(body.timezone);
    return db.transaction(async (trx) => {
      await lockOwner(trx, owner);
      // the lane before its channel, as a sender locks them
      await lockLane(trx, id);
      const row = found(await lockChannel(trx, id, owner));
      const type = findType(types, row.type);
      if (type !== null) checkMaxPerMinute(type, body.max_per_minute);
      const name = body.name?.trim();
      if (name !== undefined && (await isNameTaken(trx, owner.id, name, id))) throw nameTaken();
      const settings = body.config === undefined ? null : this.#changedConfig(row, body.config);
      if (type !== null && (body.template !== undefined || settings !== null))
        checkTemplate(
          type,
          body.template === undefined ? row.template : body.template,
          settings?.columns.config ?? row.config,
        );
      await updateChannel(trx, id, {
        ...(name === undefined ? {} : { name }),
        ...(body.enabled === undefined ? {} : { is_enabled: body.enabled }),
        ...(body.locale === undefined ? {} : { locale: body.locale }),
        ...(body.timezone === undefined ? {} : { timezone: body.timezone }),
        ...(body.max_per_minute === undefined ? {} : { max_per_minute: body.max_per_minute }),
        ...(body.template === undefined ? {} : { template: body.template }),
        ...settings?.columns,
        updated_at: new Date(clock.now()),
      });
      if (settings !== null) await this.#writeRecipients(trx, id, settings.recipients, act.account);
      // the pause was for the credential before
      if (settings?.columns.verified_at === null) await resumeLane(trx, id, clock.now());
      await audit(trx, act, id, 'alert_channel.changed', { fields: Object.keys(body) });
      return { row: found(await findChannel(trx, id, owner)), secret: settings?.secret ?? null };
    });
  }

  /**
   * Deletes a channel, and takes it out of the default policy; messages that wait are dropped. `isForced`: also if other policies
   * name it, which do not name it then.
   * @throws ApiError ALERT_CHANNEL_NOT_FOUND, CONFLICT
   */
  async delete(id: string, isForced: boolean, act: ChannelAct): Promise<void> {
    const { db, clock, uses } = this.options;
    await db.transaction(async (trx) => {
      await lockLane(trx, id);
      const row = found(await lockChannel(trx, id, act.account.owner));
      if (row.is_default) throw conflict('id', 'the default channel cannot be deleted: disable it');
      const policies = await uses.list(trx, id);
      const others = policies.filter((policy) => !policy.is_default);
      if (others.length > 0 && !isForced)
        throw conflict('policies', `named by ${others.map((policy) => `${policy.name} (${policy.id})`).join(', ')}`);
      if (policies.length > 0) await uses.remove(trx, id);
      const dropped = await dropWaiting(trx, id, { reason: 'channel_deleted', nowMs: clock.now() });
      await deleteLane(trx, id);
      await deleteChannel(trx, id);
      await audit(trx, act, id, 'alert_channel.deleted', { name: row.name, dropped });
    });
  }

  /** @throws ApiError ALERT_CHANNEL_NOT_FOUND */
  async get(id: string, { owner }: Account): Promise<UsedChannelRow> {
    return found(await findChannel(this.options.db, id, owner));
  }

  /** A channel as the API shows it, without secrets. */
  view(row: UsedChannelRow): ReturnType<typeof channelView> {
    return channelView(row, this.options.types);
  }

  /** True if recipients of a channel confirm by a code. */
  usesCodes(row: ChannelRow): boolean {
    return findType(this.options.types, row.type)?.verification !== undefined;
  }

  /** Page of channels, newest first, and the number of all. */
  list(
    { owner }: Account,
    filter: ChannelFilter,
    page: { readonly limit: number; readonly offset: number },
  ): ReturnType<typeof listChannels> {
    return listChannels(this.options.db, owner, filter, page);
  }

  /**
   * Sends new codes to a recipient, or to all that are not verified.
   * @throws ApiError ALERT_CHANNEL_NOT_FOUND, ALERT_CHANNEL_INVALID when they were sent as many as they may within the hour
   */
  async sendCodes(id: string, to: string | null, { account }: ChannelAct): Promise<ChannelRow> {
    const { types, db, verification } = this.options;
    return db.transaction(async (trx) => {
      await lockLane(trx, id);
      const row = found(await lockChannel(trx, id, account.owner));
      const wanted = (recipientsOf(row, types) ?? []).filter((recipient) =>
        to === null ? !recipient.isVerified || recipient.isUnsubscribed : recipient.to === to,
      );
      if (to !== null && wanted.length === 0)
        throw channelInvalid('to', 'is not a recipient of the channel', 'not_found');
      const sent = await verification.sendCodes(
        trx,
        row,
        wanted.map((recipient) => recipient.to),
      );
      if (wanted.length > 0 && sent.length === 0 && !row.is_test)
        throw channelInvalid(
          'to',
          'cannot be sent another code yet: a mailbox or number gets three an hour, all recipients of an account one hundred',
        );
      return row;
    });
  }

  /** Refuses a type of which the plan allows no message. @throws ApiError FEATURE_LOCKED */
  async #checkQuota(trx: Knex, { quota }: ChannelType, owner: LockedOwner): Promise<void> {
    const { plans, clock } = this.options;
    if (quota === undefined || effectiveLimits(plans, owner)[quota] !== 0) return;
    const used = await readUsage(trx, { ownerId: owner.id, quota, month: monthOf(clock.now()) });
    const message = `${quota}: ${used} are used this month, and the plan ${owner.plan} allows 0`;
    throw new ApiError('FEATURE_LOCKED', { details: { type: [{ code: 'refused', message }] } });
  }

  #changedConfig(
    row: ChannelRow,
    change: ChannelConfig,
  ): {
    readonly columns: Partial<Pick<ChannelRow, 'config' | 'sealed_secrets' | 'verified_at'>>;
    readonly recipients: readonly string[];
    /** Created by the change; null if nothing was. */
    readonly secret: string | null;
  } {
    const { types, sealer, outbound } = this.options;
    const type = findType(types, row.type);
    if (row.is_default) throw channelInvalid('config', 'the default channel follows the address of the account');
    if (type === null) throw channelInvalid('type', 'this version does not have the type', 'not_supported');
    const current = openConfig(row, sealer);
    const { config, recipients } = checkSettings(type, mergeConfig(type, current, change), outbound);
    const [moved] = movedSecrets(type, current, { change, merged: config });
    if (moved !== undefined)
      throw channelInvalid(`config.${moved}`, 'send it again: it was given for another address', 'required');
    const generated = type.generate?.(config as never) ?? {};
    const { shown, secrets } = splitSecrets(type, { ...config, ...generated });
    const known = type.recipients?.(current as never) ?? [];
    const isSame =
      type.credential(config as never) === type.credential(current as never) &&
      recipients.every((recipient) => known.includes(recipient));
    const columns = {
      config: shown,
      sealed_secrets: sealSecrets(secrets, sealer),
      // of types with codes each recipient has a state of its own
      ...(isSame ? {} : { verified_at: null }),
    };
    return { columns, recipients, secret: Object.values(generated)[0] ?? null };
  }

  /**
   * Stores the recipients, and sends codes to those that are new, except to the account's own verified address. Those of a type
   * without verification count as verified.
   */
  async #writeRecipients(trx: Knex, id: string, addresses: readonly string[], { owner }: Account): Promise<void> {
    const added = await syncRecipients(trx, id, addresses);
    if (added.length === 0) return;
    const { types, clock, verification } = this.options;
    const row = found(await findChannel(trx, id, owner));
    if (findType(types, row.type)?.verification === undefined) {
      for (const to of added) await markVerified(trx, id, to, new Date(clock.now()));
      return;
    }
    const unverified = (recipientsOf(row, types) ?? []).filter(
      ({ to, isVerified }) => added.includes(to) && !isVerified,
    );
    await verification.sendCodes(
      trx,
      row,
      unverified.map(({ to }) => to),
    );
  }
}

function found<R extends ChannelRow>(row: R | null): R {
  if (row === null) throw new ApiError('ALERT_CHANNEL_NOT_FOUND');
  return row;
}

function nameTaken(): ApiError {
  return new ApiError('DUPLICATE', {
    details: { name: [{ code: 'conflict', message: 'another channel has this name' }] },
  });
}

function conflict(field: string, message: string): ApiError {
  return new ApiError('CONFLICT', { details: { [field]: [{ code: 'conflict', message }] } });
}

async function audit(
  trx: Knex,
  { account, actor }: ChannelAct,
  subject: string,
  action: 'alert_channel.created' | 'alert_channel.changed' | 'alert_channel.deleted',
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  await insertAuditEntry(trx, { actor, accountId: account.owner.id, subject, action, details });
}
