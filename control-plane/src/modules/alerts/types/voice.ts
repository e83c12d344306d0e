import { type Static, Type } from 'typebox';
import type { Locale } from '../../../http/locale.js';
import { type ChannelType, defineChannelType } from './channel-type.js';
import { phoneNumbersSchema } from './fields/phone-numbers.js';
import { cut } from './formats/cut.js';
import { escapeXml } from './formats/speech.js';
import { gatewaySettings, sendOrder } from './gateway.js';
import { sentenceOf, shortened } from './lines.js';
import type { Message } from './message.js';
import type { ChannelSettings } from './settings.js';

/** Greatest length of a spoken text: about forty seconds. */
const MAX_SPOKEN = 500;
const MAX_PLAIN = 120;
const DEFAULT_REPEATS = 2;

const Config = Type.Object(
  {
    to: phoneNumbersSchema(5, 'Numbers in international form (E.164); each is verified before it gets calls.'),
    repeats: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 3, description: 'How often the text is spoken. Default: 2.', example: 2 }),
    ),
  },
  {
    additionalProperties: false,
    title: 'VoiceChannelConfig',
    description: 'Configuration of a channel of type voice.',
  },
);
type Config = Static<typeof Config>;

/** Languages as the vendor names them (https://www.twilio.com/docs/voice/twiml/say). */
const languages: Readonly<Record<Locale, string>> = { en: 'en-US', 'zh-CN': 'cmn-CN', 'zh-TW': 'cmn-TW' };

/** Type `voice`: calls by the gateway of the operator, in which the text is spoken. */
export function voice({ voiceGateway }: ChannelSettings): ChannelType {
  return defineChannelType({
    name: 'voice',
    config: Config,
    sealed: [],
    quota: 'voice_per_month',
    buckets: [{ count: 3, perMs: 600_000, of: 'recipient' }],
    missingSetting: voiceGateway === null ? gatewaySettings.Calls : null,
    credential: () => 'voice',
    recipients: ({ to }: Config) => to,
    verification: { digits: 6, lifeMs: 600_000, hasLink: false },
    urls: () => [],
    deliver: ({ message, config, recipient, nowMs, send }, isPlain) => {
      const text = cut(spokenText(message), isPlain ? MAX_PLAIN : MAX_SPOKEN);
      const repeats = config.repeats ?? DEFAULT_REPEATS;
      const order = {
        to: recipient ?? '',
        text,
        id: message.id,
        values: { locale: message.locale, repeats: String(repeats) },
        twilio: { resource: 'Calls', fields: { Twiml: twiml(text, message.locale, repeats) } },
      } as const;
      return sendOrder(voiceGateway, order, { nowMs, send });
    },
  });
}

/** Sentences to speak: facts and links are for readers. */
function spokenText(message: Message): string {
  const shorter = shortened(message, MAX_SPOKEN);
  const { customText, kind, note } = shorter;
  const sentence = sentenceOf(shorter);
  if (customText !== null) return customText.replace(/\n/g, ' ');
  // a code is spoken digit by digit
  if (kind === 'verification') return `${sentence}. ${note ?? ''}`.replace(/\d{6,}/g, (code) => [...code].join(', '));
  return sentence;
}

function twiml(text: string, locale: Locale, repeats: number): string {
  return `<Response><Say language="${languages[locale]}" loop="${repeats}">${escapeXml(text)}</Say></Response>`;
}
