import { Type } from 'typebox';
import { ApiError } from '../../../http/errors.js';
import type { Locale } from '../../../http/locale.js';
import { MailRefusal } from '../../../mail/index.js';
import { type Block, button, facts, lines, links, type MailContent, note, paragraph } from '../../../mail/template.js';
import { mailboxKey, parseDeliverableEmail } from '../../accounts/index.js';
import { type Attempt, defineChannelType, type Outcome } from './channel-type.js';
import { sentenceOf } from './lines.js';
import type { Message } from './message.js';
import { nameOf } from './texts/alert-message.js';
import { toneOf } from './tone.js';

const config = Type.Object(
  {
    to: Type.Array(Type.String({ minLength: 3, maxLength: 254 }), {
      minItems: 1,
      maxItems: 20,
      uniqueItems: true,
      description: 'Addresses; each gets a mail of its own once it is verified.',
      example: ['ops@example.com'],
    }),
  },
  {
    additionalProperties: false,
    title: 'EmailChannelConfig',
    description: 'Configuration of a channel of type email.',
  },
);

const HOUR_MS = 3_600_000;

/** E-mail through the mail server of the installation, one message per recipient. */
export const emailType = defineChannelType({
  name: 'email',
  config,
  sealed: [],
  buckets: [{ count: 60, perMs: HOUR_MS, of: 'recipient' }],
  verification: { digits: 8, lifeMs: 24 * HOUR_MS, hasLink: true },
  credential: () => '',
  recipients: ({ to }) => to,
  limitedBy: mailboxKey,
  parseRecipient(text) {
    try {
      return parseDeliverableEmail(text);
    } catch (error) {
      if (error instanceof ApiError) throw new RangeError(error.details?.['email']?.[0]?.message ?? 'is no address');
      throw error;
    }
  },
  urls: () => [],
  deliver,
});

async function deliver(attempt: Attempt, isPlain: boolean): Promise<Outcome> {
  const { message, firstProviderId, unsubscribeUrl } = attempt;
  if (attempt.mail === undefined) return { kind: 'retry', error: 'there is no mail transport', retryAfterMs: null };
  try {
    const providerId = await attempt.mail({
      template: `alert-${message.kind}`,
      content: contentOf(attempt),
      isPlain,
      headers: {
        ...(unsubscribeUrl === undefined
          ? {}
          : {
              'List-Unsubscribe': `<${unsubscribeUrl}>`,
              'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
            }),
        ...(firstProviderId === null ? {} : { 'In-Reply-To': firstProviderId, References: firstProviderId }),
      },
    });
    return { kind: 'accepted', providerId };
  } catch (error) {
    if (error instanceof MailRefusal) return { kind: 'refused', of: error.of, error: error.message };
    return { kind: 'retry', error: error instanceof Error ? error.message : 'failed', retryAfterMs: null };
  }
}

interface Ending {
  readonly stop: (monitor: string) => string;
  readonly why: string;
  readonly unsubscribe: string;
}

const endings: Readonly<Record<Locale, Ending>> = {
  en: {
    stop: (monitor) => `Stop the mails about ${monitor}`,
    why: 'You receive this e-mail because this address is a recipient of an alert channel.',
    unsubscribe: 'Unsubscribe',
  },
  'zh-CN': {
    stop: (monitor) => `停止接收关于 ${monitor} 的邮件`,
    why: '您收到此邮件是因为此邮箱是告警渠道的接收人。',
    unsubscribe: '退订',
  },
  'zh-TW': {
    stop: (monitor) => `停止接收關於 ${monitor} 的信`,
    why: '您收到此信是因為此信箱是告警管道的收件人。',
    unsubscribe: '取消訂閱',
  },
};

function contentOf({ message, locale, unsubscribeUrl, stopUrl }: Attempt): MailContent {
  const { stop, why, unsubscribe } = endings[locale];
  const { monitor } = message;
  const ways = [
    ...(stopUrl === undefined || monitor === undefined ? [] : [{ label: stop(nameOf(monitor.name)), link: stopUrl }]),
    ...(unsubscribeUrl === undefined ? [] : [{ label: unsubscribe, link: unsubscribeUrl }]),
  ];
  return {
    subject: message.title,
    headline: sentenceOf(message),
    tone: toneOf(message),
    blocks: [
      ...bodyOf(message),
      ...message.links.map(({ label, url }) => button(label, url)),
      ...(unsubscribeUrl === undefined ? [] : [note(why)]),
      ...(ways.length === 0 ? [] : [links(ways)]),
    ],
  };
}

function bodyOf({ customText, facts: known, items, note: next }: Message): Block[] {
  if (customText !== null) return customText.split(/\r?\n/).filter(Boolean).map(paragraph);
  return [
    ...(items.length === 0 ? [] : [lines(items)]),
    ...(known.length === 0 ? [] : [facts(known)]),
    ...(next === null ? [] : [paragraph(next)]),
  ];
}
