import { type Static, Type } from 'typebox';
import { codes, type Meaning, outcomeOfCode } from './answers.js';
import { type ChannelType, defineChannelType } from './channel-type.js';
import { type HookForm, hookCredential, hookProblem, hookUrl } from './fields/hook-address.js';
import { mentionsPeople, mobilesSchema } from './fields/mobiles.js';
import { byteLength } from './formats/cut.js';
import { plainText } from './formats/plain-text.js';
import { wecomColoured, wecomLink, wecomMarkdown } from './formats/wecom-markdown.js';
import { type Format, fitted, linesOf, plainFormat } from './lines.js';
import type { Message } from './message.js';
import { baseOf, type ChannelSettings, judgedUrls } from './settings.js';
import { toneOf } from './tone.js';

// https://developer.work.weixin.qq.com/document/path/91770, codes: https://developer.work.weixin.qq.com/document/path/90313

const MAX_MARKDOWN_BYTES = 4_096;
const MAX_TEXT_BYTES = 2_048;
/** The vendor counts by minutes: after this time its count begins again. */
const WAIT_OF_LIMIT_MS = 65_000;

const Config = Type.Object(
  {
    key: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{8,128}$',
        description: 'Key of the group robot: the parameter `key` of its webhook address.',
        example: '693a91f6-7xxx-4bc4-97a0-0ec2sifa5aaa',
      }),
    ),
    url: Type.Optional(
      Type.String({
        format: 'uri',
        pattern: '^https?://',
        maxLength: 2048,
        description: 'Webhook address of the group robot, in place of `key`.',
        example: 'https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=693a91f6-7xxx-4bc4-97a0-0ec2sifa5aaa',
      }),
    ),
    mentioned_mobiles: Type.Optional(
      mobilesSchema(
        'Phone numbers of members who are mentioned while something is wrong. These messages are sent as plain text, since Markdown of WeCom cannot mention by number.',
      ),
    ),
  },
  {
    additionalProperties: false,
    title: 'WecomChannelConfig',
    description: 'Configuration of a channel of type wecom.',
  },
);
type Config = Static<typeof Config>;

const format: Format = {
  title: (text) => `**${wecomMarkdown(text)}**`,
  fact: (label, value) => `> ${wecomMarkdown(label)}: ${wecomMarkdown(value)}`,
  item: (text) => `> ${wecomMarkdown(text)}`,
  note: (text) => wecomColoured(wecomMarkdown(text), 'comment'),
  custom: wecomMarkdown,
  link: wecomLink,
};

const meanings: ReadonlyMap<number, Meaning> = new Map([
  ...codes({ kind: 'accepted' }, 0),
  ...codes({ kind: 'retry', afterMs: null }, -1),
  ...codes({ kind: 'retry', afterMs: WAIT_OF_LIMIT_MS }, 45009),
  // the key: unknown, switched off, or its robot removed from the group
  ...codes({ kind: 'refused', of: 'channel' }, 93000, 93004, 93008),
  // the message: parameter, type, empty, too long
  ...codes({ kind: 'refused', of: 'message' }, 40058, 40008, 40035, 44004, 45002, 47001),
]);

/** Type `wecom`: group robots of WeCom. */
export function wecom(settings: ChannelSettings): ChannelType {
  const base = baseOf(settings, 'wecom', 'https://qyapi.weixin.qq.com');
  const hook: HookForm = { base, field: 'key', path: '/cgi-bin/webhook/send', parameter: 'key' };
  const keyOf = ({ key, url }: Config) => hookCredential(hook, key, url);
  return defineChannelType({
    name: 'wecom',
    config: Config,
    sealed: ['key', 'url'],
    // the vendor takes 20
    buckets: [{ count: 18, perMs: 60_000, of: 'credential' }],
    credential: keyOf,
    urls: () => judgedUrls(base),
    problem: ({ key, url }) => hookProblem(hook, key, url),
    deliver: async ({ message, config, nowMs, send }, isPlain) => {
      const key = keyOf(config);
      const response = await send({
        method: 'POST',
        url: hookUrl(hook, key),
        isExempt: base.isOwn,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(bodyOf(message, config.mentioned_mobiles ?? [], isPlain)),
        secrets: [key],
      });
      return outcomeOfCode(response, { nowMs, codeOf: (json) => json['errcode'], meanings });
    },
  });
}

function bodyOf(message: Message, mobiles: readonly string[], isPlain: boolean): object {
  const mentioned = mentionsPeople(message) ? mobiles : [];
  if (!isPlain && mentioned.length === 0)
    return {
      msgtype: 'markdown',
      markdown: { content: contentOf(message, colouredFormat(message), MAX_MARKDOWN_BYTES) },
    };
  return {
    msgtype: 'text',
    text: {
      content: contentOf(message, plainFormat(plainText), MAX_TEXT_BYTES),
      ...(mentioned.length === 0 ? {} : { mentioned_mobile_list: mentioned }),
    },
  };
}

/** Template cards have rows of links, no buttons, and cut texts after 26 characters: Markdown has the colour and all of the text. */
function colouredFormat(message: Message): Format {
  const colour = colours[toneOf(message)];
  return { ...format, title: (text) => `**${wecomColoured(wecomMarkdown(text), colour)}**` };
}

/** `info` is green, `comment` grey and `warning` orange. */
const colours = { good: 'info', bad: 'warning', warning: 'warning', neutral: 'comment' } as const;

function contentOf(message: Message, chosen: Format, mostBytes: number): string {
  return fitted(
    message,
    (shorter) => linesOf(shorter, chosen).join('\n'),
    (content) => byteLength(content) <= mostBytes,
  );
}
