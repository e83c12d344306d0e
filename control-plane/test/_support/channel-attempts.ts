import { dingtalkRobot } from '@vantage/shared/_support/vendors/dingtalk.js';
import { feishuBot } from '@vantage/shared/_support/vendors/feishu.js';
import { pagerdutyKey } from '@vantage/shared/_support/vendors/pagerduty.js';
import { slackHook } from '@vantage/shared/_support/vendors/slack.js';
import { telegramChats, telegramToken } from '@vantage/shared/_support/vendors/telegram.js';
import { wechatAccount } from '@vantage/shared/_support/vendors/wechat.js';
import { wecomKey } from '@vantage/shared/_support/vendors/wecom.js';
import { systemClock } from '@vantage/shared/clock.js';
import { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { Outbound, type OutboundResponse } from '../../src/deliver/index.js';
import { secretTexts } from '../../src/modules/alerts/channels/channel-config.js';
import type { Attempt, ChannelType, Outcome, TypeRequest } from '../../src/modules/alerts/types/channel-type.js';
import type { Message } from '../../src/modules/alerts/types/message.js';
import type { ChannelSettings } from '../../src/modules/alerts/types/settings.js';
import { messageOf, messagesAtMs } from './alert-messages.js';

/** Settings of an operator who configured nothing. */
export const noSettings: ChannelSettings = { channelUrls: {}, smsGateway: null, voiceGateway: null };

/** Configurations that the stand-ins know. `slack` needs the origin of its hook. */
export const knownConfigs = {
  slack: (origin = 'https://hooks.slack.com') => ({ url: `${origin}${slackHook}` }),
  telegram: () => ({ bot_token: telegramToken, chat_id: telegramChats.group }),
  wecom: () => ({ key: wecomKey }),
  dingtalk: () => ({ access_token: dingtalkRobot.token, secret: dingtalkRobot.secret, keyword: dingtalkRobot.keyword }),
  feishu: () => ({ token: feishuBot.token, secret: feishuBot.secret, keyword: feishuBot.keyword }),
  lark: () => ({ token: feishuBot.token, secret: feishuBot.secret, keyword: feishuBot.keyword }),
  wechat: () => ({
    app_id: wechatAccount.appId,
    app_secret: wechatAccount.secret,
    template_id: wechatAccount.templateId,
    to: [wechatAccount.follower],
    fields: { first: '{{title}}', keyword1: '{{monitor.name}}', keyword2: '{{alert.started_at|date}}' },
  }),
  sms: () => ({ to: ['+8613800000000'] }),
  voice: () => ({ to: ['+8613800000000'] }),
  pagerduty: () => ({ routing_key: pagerdutyKey }),
} as const;

/** Parts of a delivery; the usual ones stand in for those that are left out. */
export interface Delivering {
  readonly message?: Message;
  readonly config: unknown;
  readonly recipient?: string | null;
  readonly nowMs?: number;
  readonly firstProviderId?: string | null;
  readonly isPlain?: boolean;
  /** Ranges that the target policy allows; default: none, so that only the operator's own addresses are reached here. */
  readonly allow?: readonly string[];
}

/** Delivers a message through the real outbound client. */
export function deliver(type: ChannelType, delivering: Delivering): Promise<Outcome> {
  const policy = new TargetPolicy({ allow: delivering.allow ?? [], own: [], denied: [] });
  const outbound = new Outbound({ policy: () => policy, userAgent: 'Vantage/test', clock: systemClock });
  const sealed = secretTexts(type, Object(delivering.config));
  return deliverBy(type, delivering, (request) => {
    const secrets = [...sealed, ...(request.secrets ?? [])];
    return outbound.send({ ...request, secrets, deadlineMs: 120_000, maxResponseBytes: 65_536 });
  });
}

/** The requests of a delivery to a vendor that accepts all of them. */
export async function requestsOf(type: ChannelType, delivering: Delivering): Promise<readonly TypeRequest[]> {
  const requests: TypeRequest[] = [];
  await deliverBy(type, delivering, async (request) => {
    requests.push(request);
    return acceptance;
  });
  return requests;
}

function deliverBy(type: ChannelType, delivering: Delivering, send: Attempt['send']): Promise<Outcome> {
  const { message = messageOf('firing', 'en'), config, recipient, nowMs = messagesAtMs } = delivering;
  const [first = null] = type.recipients?.(config as never) ?? [];
  const attempt: Attempt = {
    message,
    config,
    recipient: recipient === undefined ? first : recipient,
    locale: message.locale,
    nowMs,
    firstProviderId: delivering.firstProviderId ?? null,
    send,
  };
  return type.deliver(attempt as never, delivering.isPlain ?? false);
}

const acceptance: OutboundResponse = {
  status: 200,
  headers: {},
  body: Buffer.from('{"ok":true,"result":{"message_id":1},"errcode":0,"code":0,"access_token":"TOKEN"}'),
  isComplete: true,
  excerpt: '',
  durationMs: 1,
};
