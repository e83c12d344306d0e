import { type Static, Type } from 'typebox';
import type { OutboundResponse } from '../../../deliver/index.js';
import { toneColours } from '../../../mail/template.js';
import { accepted, outcomeOfStatus, refused, retry } from './answers.js';
import { type ChannelType, type ConfigProblem, defineChannelType, type Outcome } from './channel-type.js';
import { byteLength, cut } from './formats/cut.js';
import { slackLink, slackMrkdwn, slackPlainText } from './formats/slack-mrkdwn.js';
import { bodyLines, type Format, fitted, linesOf, linkLines, plainFormat, sentenceOf, shortened } from './lines.js';
import type { Message } from './message.js';
import { type Base, baseOf, type ChannelSettings } from './settings.js';
import { toneOf } from './tone.js';

// https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
// https://docs.slack.dev/reference/messaging/attachments
// Slack, Mattermost and Rocket.Chat show `text` and below it an attachment with a line in its colour. Links are words: a button, also one
// that only opens an address, sends an event to the app (https://docs.slack.dev/reference/block-kit/block-elements/button-element), and
// Slack warns of an app that does not answer it, which no incoming webhook does. Slack folds long attachments, so links are above.

const MAX_TEXT = 4_000;
const MAX_ATTACHMENT = 3_000;
const MAX_BODY_BYTES = 30_000;
/** Length of a plain message, which every host takes. */
const MAX_PLAIN = 1_000;

const Config = Type.Object(
  {
    url: Type.String({
      format: 'uri',
      pattern: '^https?://',
      maxLength: 2048,
      description:
        'Address of an incoming webhook of Slack, or of Mattermost or Rocket.Chat, which accept the same body.',
      example: 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
    }),
  },
  {
    additionalProperties: false,
    title: 'SlackChannelConfig',
    description: 'Configuration of a channel of type slack.',
  },
);
type Config = Static<typeof Config>;

const format: Format = {
  title: (text) => `*${slackMrkdwn(text)}*`,
  fact: (label, value) => slackMrkdwn(`${label}: ${value}`),
  item: (text) => slackMrkdwn(`• ${text}`),
  note: slackMrkdwn,
  custom: slackMrkdwn,
  link: slackLink,
};

/** Type `slack`: incoming webhooks. */
export function slack(settings: ChannelSettings): ChannelType {
  const base = baseOf(settings, 'slack', 'https://hooks.slack.com');
  return defineChannelType({
    name: 'slack',
    config: Config,
    sealed: ['url'],
    buckets: [{ count: 1, perMs: 1_000, of: 'credential' }],
    credential: ({ url }) => url,
    urls: ({ url }) => (base.isOwn ? [] : [url]),
    problem: ({ url }) => problemOf(base, url),
    deliver: async ({ message, config, nowMs, send }, isPlain) => {
      const problem = problemOf(base, config.url);
      if (problem !== null) return { kind: 'refused', of: 'channel', error: `the address ${problem.message}` };
      const response = await send({
        method: 'POST',
        url: config.url,
        isExempt: base.isOwn,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify(isPlain ? plainBody(message) : richBody(message)),
      });
      return outcomeOf(response, { isSlack: originOf(config.url) === base.origin, isPlain, nowMs });
    },
  });
}

/** With an origin of the operator, a channel may name no other one. */
function problemOf({ origin, isOwn }: Base, url: string): ConfigProblem | null {
  if (!isOwn || originOf(url) === origin) return null;
  return { field: 'url', code: 'refused', message: `must begin with ${origin}` };
}

function richBody(message: Message): object {
  return fitted(message, bodyOf, (body) => {
    const [attachment] = body.attachments;
    const isShort = body.text.length <= MAX_TEXT && (attachment?.text.length ?? 0) <= MAX_ATTACHMENT;
    return isShort && byteLength(JSON.stringify(body)) <= MAX_BODY_BYTES;
  });
}

function bodyOf(message: Message) {
  const text = [format.title(sentenceOf(message)), linkLines(message, format).join('  |  ')].filter(
    (line) => line !== '',
  );
  const body = bodyLines(message, format).join('\n');
  const attachment = { color: toneColours[toneOf(message)], text: body, mrkdwn_in: ['text'] };
  return { text: text.join('\n'), unfurl_links: false, attachments: body === '' ? [] : [attachment] };
}

function plainBody(message: Message): object {
  const escaped = plainFormat(slackPlainText);
  const bare: Format = { ...escaped, link: (label, url) => slackPlainText(`${label}: ${url}`) };
  const text = fitted(
    shortened(message, MAX_PLAIN),
    (shorter) => linesOf(shorter, bare).join('\n'),
    (candidate) => candidate.length <= MAX_PLAIN,
  );
  return { text: cut(text, MAX_TEXT), mrkdwn: false };
}

/** Words that Slack answers with: https://docs.slack.dev/changelog/2016-05-17-changes-to-errors-for-incoming-webhooks */
const ofMessage =
  /^(?:invalid_payload|invalid_blocks(?:_format)?|invalid_attachments|no_text|too_many_attachments|msg_too_long|missing_text_or_fallback_or_attachments)/;
const ofChannel =
  /^(?:no_service|no_team|no_active_hooks|team_disabled|channel_not_found|channel_is_archived|action_prohibited|posting_to_general_channel_denied|invalid_token|user_not_found)/;

/** Statuses by which other hosts refuse a body: its plain form is worth a try. */
const badBody: ReadonlySet<number> = new Set([400, 413, 415, 422]);

function outcomeOf(
  response: OutboundResponse,
  { isSlack, isPlain, nowMs }: { readonly isSlack: boolean; readonly isPlain: boolean; readonly nowMs: number },
): Outcome {
  const { status } = response;
  const words = response.body.toString('utf8').trim();
  if (status >= 200 && status < 300 && (!isSlack || (status === 200 && words === 'ok'))) return accepted(null);
  if (isSlack && words.startsWith('rollup_error')) return retry(response, null);
  if (isSlack && status >= 400 && status < 500 && status !== 429) {
    if (ofMessage.test(words)) return refused('message', response);
    if (ofChannel.test(words)) return refused('channel', response);
  }
  if (!isSlack && !isPlain && badBody.has(status)) return refused('message', response);
  return outcomeOfStatus(response, nowMs);
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}
