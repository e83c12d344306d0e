import type { Knex } from 'knex';
import type { Sealer } from '../../../crypto/sealing.js';
import type { Locale } from '../../../http/locale.js';
import type { Mail } from '../../../mail/index.js';
import { Slices } from '../../../runtime/slices.js';
import { findRecipient } from '../../accounts/index.js';
import type { ChannelEffect, Destination, Destinations } from '../deliveries/destination.js';
import { cut } from '../types/formats/cut.js';
import type { MessageMonitor } from '../types/message.js';
import { type ChannelTypes, findType } from '../types/registry.js';
import { mergeConfig, secretTexts, splitSecrets } from './channel-config.js';
import type { ChannelRow } from './channel-row.js';
import { openConfig, sealSecrets } from './channel-secrets.js';
import { lockAnyChannel, readChannels, updateChannel } from './channel-store.js';
import { withTemplateBody } from './channel-template.js';
import { recipientsOf } from './channel-view.js';
import { judgeHealth } from './health.js';
import { sealLink } from './link-tokens.js';

interface ChannelDestinationsOptions {
  readonly types: ChannelTypes;
  readonly publicUrl: string;
  /** Seals settings of channels. */
  readonly sealer: Sealer;
  /** Seals links in mails. */
  readonly linkSealer: Sealer;
  readonly mail: Pick<Mail, 'enqueue'>;
}

/** Greatest length of the name of a monitor in a link: the address of a page is not to be longer than mail programs take. */
const MAX_LINKED_NAME = 60;
/** Steps of a channel whose secrets are opened, as `Slices` counts them. */
const STEPS_PER_CHANNEL = 50;

const locales: Readonly<Record<'cn' | 'en' | 'tw', Locale>> = { en: 'en', cn: 'zh-CN', tw: 'zh-TW' };

/** Channels as deliveries see them. */
export class ChannelDestinations implements Destinations {
  constructor(private readonly options: ChannelDestinationsOptions) {}

  async read(db: Knex, channelIds: readonly string[]): Promise<ReadonlyMap<string, Destination>> {
    const rows = await readChannels(db, channelIds);
    const slices = new Slices();
    const destinations = new Map<string, Destination>();
    for (const row of rows) {
      await slices.spend(STEPS_PER_CHANNEL);
      destinations.set(row.id, this.of(row));
    }
    return destinations;
  }

  async readFallback(db: Knex, ownerId: string): Promise<Destination | null> {
    return (await this.readFallbacks(db, [ownerId])).get(ownerId) ?? null;
  }

  async readFallbacks(db: Knex, ownerIds: readonly string[]): Promise<ReadonlyMap<string, Destination>> {
    const rows = await readChannels(db, ownerIds.map(defaultChannelId));
    const usable = rows.filter((row) => row.is_default && row.is_account_verified && row.account_email !== null);
    return new Map(usable.map((row) => [row.owner_id, this.of(row)]));
  }

  /** A stored channel as deliveries see it. */
  of(row: ChannelRow): Destination {
    const { types } = this.options;
    const type = findType(types, row.type);
    const config = row.is_default ? { to: [row.account_email] } : openConfig(row, this.options.sealer);
    return {
      channelId: row.id,
      ownerId: row.owner_id,
      plan: row.account_plan,
      isTest: row.is_test,
      name: row.name,
      type: row.type,
      isEnabled: row.is_enabled,
      config: withTemplateBody(config, row.template),
      secrets: type === null ? [] : secretTexts(type, config),
      maxPerMinute: row.max_per_minute,
      texts: row.template,
      locale: locales[row.locale ?? row.account_locale],
      timezone: row.timezone ?? row.account_timezone,
      recipients: recipientsOf(row, types),
    };
  }

  async note(trx: Knex, effect: ChannelEffect): Promise<void> {
    const row = await lockAnyChannel(trx, effect.channelId);
    if (row === null) return;
    const { columns, warns } = judgeHealth(row, effect);
    await updateChannel(trx, row.id, { ...columns, ...this.#changedConfig(row, effect) });
    if (warns) await this.#warn(trx, { ...row, ...columns });
  }

  unsubscribeUrl(channelId: string, recipient: string): string {
    const { publicUrl, linkSealer } = this.options;
    const token = sealLink({ act: 'unsubscribe', channelId, to: recipient, code: '' }, linkSealer);
    return new URL(`/alert-channels/unsubscribe/${token}`, publicUrl).href;
  }

  stopUrl(channelId: string, recipient: string, { id, name }: MessageMonitor): string {
    const { publicUrl, linkSealer } = this.options;
    const monitor = { id, name: cut(name, MAX_LINKED_NAME) };
    const token = sealLink({ act: 'stop', channelId, to: recipient, code: '', monitor }, linkSealer);
    return new URL(`/alert-channels/stop/${token}`, publicUrl).href;
  }

  #changedConfig(
    row: ChannelRow,
    { config }: ChannelEffect,
  ): Pick<ChannelRow, 'config' | 'sealed_secrets'> | undefined {
    const { types, sealer } = this.options;
    const type = findType(types, row.type);
    if (config === undefined || type === null || row.is_default) return undefined;
    const { shown, secrets } = splitSecrets(type, mergeConfig(type, openConfig(row, sealer), config));
    return { config: shown, sealed_secrets: sealSecrets(secrets, sealer) };
  }

  async #warn(trx: Knex, { owner_id: ownerId, name, type, failed_since: since, last_error: error }: ChannelRow) {
    const owner = await findRecipient(trx, ownerId);
    if (owner === null) return;
    const data = { name, type, since: since?.toISOString() ?? '', error: error ?? '' };
    await this.options.mail.enqueue(trx, {
      to: owner.email,
      locale: owner.locale,
      timezone: owner.timezone,
      template: 'alert-channel-failing',
      data,
    });
  }
}

/** Id of the default channel of a user. NOTE: the migration 0004 creates it. */
export function defaultChannelId(userId: string): string {
  return `ch_${userId.slice(2)}`;
}
