import type { ChannelType } from './channel-type.js';
import { cardBot, feishuConfig } from './feishu.js';
import type { ChannelSettings } from './settings.js';

// https://open.larksuite.com/document/client-docs/bot-v3/add-custom-bot

/** Type `lark`: custom bots of Lark, the same as those of Feishu at another address. */
export function lark(settings: ChannelSettings): ChannelType {
  const { hookOf, Config } = feishuConfig('lark', 'https://open.larksuite.com');
  return cardBot('lark', Config, hookOf(settings));
}
