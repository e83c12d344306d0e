import { type Static, Type } from 'typebox';
import { type ChannelType, defineChannelType } from './channel-type.js';
import { phoneNumbersSchema } from './fields/phone-numbers.js';
import { smsSize } from './formats/sms-segments.js';
import { smsText } from './formats/sms-text.js';
import { gatewaySettings, sendOrder } from './gateway.js';
import { fitted, sentenceOf } from './lines.js';
import type { Message } from './message.js';
import type { ChannelSettings } from './settings.js';

const MAX_SEGMENTS = 3;
/** Greatest length that Twilio takes. */
const MAX_CHARACTERS = 1_600;

const Config = Type.Object(
  { to: phoneNumbersSchema(10, 'Numbers in international form (E.164); each is verified before it gets messages.') },
  { additionalProperties: false, title: 'SmsChannelConfig', description: 'Configuration of a channel of type sms.' },
);
type Config = Static<typeof Config>;

/** Type `sms`: text messages by the gateway of the operator. */
export function sms({ smsGateway }: ChannelSettings): ChannelType {
  return defineChannelType({
    name: 'sms',
    config: Config,
    sealed: [],
    quota: 'sms_per_month',
    buckets: [{ count: 5, perMs: 600_000, of: 'recipient' }],
    missingSetting: smsGateway === null ? gatewaySettings.Messages : null,
    credential: () => 'sms',
    recipients: ({ to }: Config) => to,
    verification: { digits: 6, lifeMs: 600_000, hasLink: false },
    urls: () => [],
    deliver: ({ message, recipient, nowMs, send }, isPlain) => {
      const text = smsOf(message, isPlain);
      const order = {
        to: recipient ?? '',
        text,
        id: message.id,
        twilio: { resource: 'Messages', fields: { Body: text } },
      } as const;
      return sendOrder(smsGateway, order, { nowMs, send });
    },
  });
}

/** Text of at most three segments: the sentence, what is known, and the link to act by, which is never cut. */
function smsOf(message: Message, isPlain: boolean): string {
  return fitted(
    isPlain ? bareOf(message) : message,
    textOf,
    (text) => smsSize(text).segments <= MAX_SEGMENTS && text.length <= MAX_CHARACTERS,
  );
}

/** The sentence alone, with the code of a verification. */
function bareOf(message: Message): Message {
  const note = message.kind === 'verification' ? message.note : null;
  return { ...message, customText: null, facts: [], items: [], note, links: [] };
}

function textOf(message: Message): string {
  const { customText, facts, kind, note, links } = message;
  const known = kind === 'digest' ? [] : facts.map(({ label, value }) => (value === '' ? '' : `${label}: ${value}`));
  const code = kind === 'verification' && note !== null ? [note] : [];
  const words = customText === null ? [sentenceOf(message), ...known, ...code] : [customText];
  const link = kind === 'digest' ? undefined : links[0]?.url;
  return [...words.filter((word) => word !== '').map(smsText), ...(link === undefined ? [] : [link])].join('\n');
}
