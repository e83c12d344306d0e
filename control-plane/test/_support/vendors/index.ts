import { startDingtalk } from '@vantage/shared/_support/vendors/dingtalk.js';
import { startFeishu } from '@vantage/shared/_support/vendors/feishu.js';
import { startPagerduty } from '@vantage/shared/_support/vendors/pagerduty.js';
import { startSlack } from '@vantage/shared/_support/vendors/slack.js';
import { startTelegram } from '@vantage/shared/_support/vendors/telegram.js';
import { startTwilio, twilioAccount } from '@vantage/shared/_support/vendors/twilio.js';
import type { Vendor, VendorOptions } from '@vantage/shared/_support/vendors/vendor-server.js';
import { startWechat } from '@vantage/shared/_support/vendors/wechat.js';
import { startWecom } from '@vantage/shared/_support/vendors/wecom.js';
import type { Gateway } from '../../../src/config/channel-settings.js';
import type { ChannelTypeName } from '../../../src/modules/alerts/types/registry.js';
import type { ChannelSettings } from '../../../src/modules/alerts/types/settings.js';

/** Types of channels that send to a vendor or a gateway, and so have a stand-in. */
export type VendorTypeName = Exclude<ChannelTypeName, 'email' | 'webhook'>;

/** Starts the stand-in of a channel type. */
export const startVendorOf: Readonly<Record<VendorTypeName, (options?: VendorOptions) => Promise<Vendor>>> = {
  slack: startSlack,
  telegram: startTelegram,
  wecom: startWecom,
  dingtalk: startDingtalk,
  feishu: startFeishu,
  lark: startFeishu,
  wechat: startWechat,
  sms: startTwilio,
  voice: startTwilio,
  pagerduty: startPagerduty,
};

/** Names of these types. */
export const vendorTypeNames = Object.keys(startVendorOf) as readonly VendorTypeName[];

/** Settings with which a type sends to a stand-in. */
export function settingsFor(name: VendorTypeName, { origin }: Vendor): ChannelSettings {
  const { sid, token, from } = twilioAccount;
  const twilio: Gateway = { kind: 'twilio', base_url: origin, account_sid: sid, auth_token: token, from };
  const isGateway = name === 'sms' || name === 'voice';
  return {
    channelUrls: isGateway ? {} : { [name]: origin },
    smsGateway: name === 'sms' ? twilio : null,
    voiceGateway: name === 'voice' ? twilio : null,
  };
}
