import { channelTypeAliases } from '../../../config/channel-settings.js';
import type { ChannelType } from './channel-type.js';
import { dingtalk } from './dingtalk.js';
import { emailType } from './email.js';
import { feishu } from './feishu.js';
import { lark } from './lark.js';
import { pagerduty } from './pagerduty.js';
import type { ChannelSettings } from './settings.js';
import { slack } from './slack.js';
import { sms } from './sms.js';
import { telegram } from './telegram.js';
import { voice } from './voice.js';
import { webhookType } from './webhook.js';
import { wechat } from './wechat.js';
import { wecom } from './wecom.js';

/** The one list of channel types. */
const makers = {
  email: () => emailType,
  webhook: () => webhookType,
  slack,
  telegram,
  wecom,
  dingtalk,
  feishu,
  lark,
  wechat,
  sms,
  voice,
  pagerduty,
} satisfies Readonly<Record<string, (settings: ChannelSettings) => ChannelType>>;

export type ChannelTypeName = keyof typeof makers;

export const channelTypeNames = Object.keys(makers) as readonly ChannelTypeName[];

/** Names by which requests may call channel types: their own, and aliases. */
export const takenTypeNames = [
  ...channelTypeNames,
  ...(Object.keys(channelTypeAliases) as (keyof typeof channelTypeAliases)[]),
] as const;

export type ChannelTypes = Readonly<Record<ChannelTypeName, ChannelType>>;

/** The channel types, with the settings of the operator. */
export function channelTypes(settings: ChannelSettings): ChannelTypes {
  const types = Object.entries(makers).map(([name, make]) => [name, make(settings)] as const);
  return Object.fromEntries(types) as Record<ChannelTypeName, ChannelType>;
}

/** Types whose recipients confirm by a code; all others are verified by the first message that is accepted. */
export const typesWithCodes: readonly ChannelTypeName[] = Object.values(
  channelTypes({ channelUrls: {}, smsGateway: null, voiceGateway: null }),
).flatMap(({ name, verification }) => (verification === undefined ? [] : [name as ChannelTypeName]));

/** Type with a name; null if this version has none. */
export function findType(types: ChannelTypes, name: string): ChannelType | null {
  return Object.hasOwn(types, name) ? types[name as ChannelTypeName] : null;
}
