import { createHmac } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { codes, type Meaning, outcomeOfCode } from './answers.js';
import { type ChannelType, defineChannelType } from './channel-type.js';
import { type HookForm, hookCredential, hookProblem, hookUrl } from './fields/hook-address.js';
import { KeywordSchema, keywordLine } from './fields/keyword.js';
import { mentionsPeople, mobilesSchema } from './fields/mobiles.js';
import { byteLength, cut } from './formats/cut.js';
import { dingtalkLink, dingtalkMarkdown } from './formats/dingtalk-markdown.js';
import { plainText } from './formats/plain-text.js';
import { bodyLines, type Format, fitted, linesOf, linkLines, plainFormat, sentenceOf } from './lines.js';
import type { Link, Message } from './message.js';
import { baseOf, type ChannelSettings, judgedUrls } from './settings.js';
import { withCircle } from './tone.js';

// https://open.dingtalk.com/document/orgapp/custom-robot-access
// https://open.dingtalk.com/document/orgapp/customize-robot-security-settings

const MAX_BODY_BYTES = 19_000;
const MAX_TITLE = 100;
/** Greatest number of bytes of the plain form, which is sent when the usual one was refused. */
const MAX_PLAIN_BYTES = 4_000;
/** Time for which the vendor blocks a robot that sent too often. */
const BLOCKED_MS = 600_000;

const Config = Type.Object(
  {
    access_token: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{8,256}$',
        description: 'Token of the group robot: the parameter `access_token` of its webhook address.',
        example: 'c5e0cf1e1c5e0cf1e1c5e0cf1e1c5e0cf1e1c5e0cf1e1c5e0cf1e1c5e0cf1e1c',
      }),
    ),
    url: Type.Optional(
      Type.String({
        format: 'uri',
        pattern: '^https?://',
        maxLength: 2048,
        description: 'Webhook address of the group robot, in place of `access_token`.',
        example: 'https://oapi.dingtalk.com/robot/send?access_token=c5e0cf1e1c5e0cf1e1c5e0cf1e1c5e0cf1e1',
      }),
    ),
    secret: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        pattern: '^\\S+$',
        description: 'Secret of the security setting "signature"; each attempt is signed with it.',
        example: 'SECexampleexampleexampleexampleexample',
      }),
    ),
    keyword: Type.Optional(KeywordSchema),
    at_mobiles: Type.Optional(
      mobilesSchema('Phone numbers of members of the group who are mentioned while something is wrong.'),
    ),
  },
  {
    additionalProperties: false,
    title: 'DingtalkChannelConfig',
    description: 'Configuration of a channel of type dingtalk.',
  },
);
type Config = Static<typeof Config>;

const format: Format = {
  title: (text) => `#### ${dingtalkMarkdown(text)}`,
  fact: (label, value) => `- ${dingtalkMarkdown(label)}: ${dingtalkMarkdown(value)}`,
  item: (text) => `- ${dingtalkMarkdown(text)}`,
  note: (text) => `> ${dingtalkMarkdown(text)}`,
  custom: (text) => dingtalkMarkdown(text).replace(/\n/g, '\n\n'),
  link: dingtalkLink,
};

const meanings: ReadonlyMap<number, Meaning> = new Map([
  ...codes({ kind: 'accepted' }, 0),
  ...codes({ kind: 'retry', afterMs: null }, -1),
  ...codes({ kind: 'retry', afterMs: BLOCKED_MS }, 130101, 410100),
  // 310000: signature, keyword or address; the rest: token unknown, robot switched off or removed, group dissolved
  ...codes({ kind: 'refused', of: 'channel' }, 310000, 300001, 300005, 400101, 400102, 400106, 400013),
  ...codes({ kind: 'refused', of: 'message' }, 460101, 430101, 430102, 430103, 430104, 400105, 40035),
]);

/** Type `dingtalk`: group robots of DingTalk. */
export function dingtalk(settings: ChannelSettings): ChannelType {
  const base = baseOf(settings, 'dingtalk', 'https://oapi.dingtalk.com');
  const hook: HookForm = { base, field: 'access_token', path: '/robot/send', parameter: 'access_token' };
  const tokenOf = ({ access_token, url }: Config) => hookCredential(hook, access_token, url);
  return defineChannelType({
    name: 'dingtalk',
    config: Config,
    sealed: ['access_token', 'url', 'secret'],
    // the vendor takes 20, and blocks the robot for ten minutes after the next one
    buckets: [{ count: 18, perMs: 60_000, of: 'credential' }],
    credential: tokenOf,
    urls: () => judgedUrls(base),
    problem: ({ access_token, url }) => hookProblem(hook, access_token, url),
    deliver: async ({ message, config, nowMs, send }, isPlain) => {
      const token = tokenOf(config);
      const response = await send({
        method: 'POST',
        url: `${hookUrl(hook, token)}${signature(config.secret, nowMs)}`,
        isExempt: base.isOwn,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify(isPlain ? plainBody(message, config) : markdownBody(message, config)),
        secrets: [token],
      });
      return outcomeOfCode(response, { nowMs, codeOf: (json) => json['errcode'], meanings });
    },
  });
}

/** Parameters that sign an attempt; empty without a secret. `nowMs`: at this attempt, the vendor allows an hour. */
function signature(secret: string | undefined, nowMs: number): string {
  if (secret === undefined) return '';
  const timestamp = String(Math.trunc(nowMs));
  const sign = createHmac('sha256', secret).update(`${timestamp}\n${secret}`).digest('base64');
  return `&timestamp=${timestamp}&sign=${encodeURIComponent(sign)}`;
}

/** A card with buttons; Markdown if there are none, or people to mention, which cards cannot. */
function markdownBody(message: Message, config: Config): object {
  const mobiles = mentioned(message, config);
  const isCard = message.links.length > 0 && mobiles.length === 0;
  return fitted(
    message,
    (shorter) => {
      const lines = [format.title(withCircle(sentenceOf(shorter), message)), ...bodyLines(shorter, format)];
      const shown = isCard ? lines : [...lines, ...linkLines(shorter, format)];
      // notifications show the title, as text
      const content = {
        title: cut(plainText(shorter.title), MAX_TITLE),
        text: withAdditions(shown, mobiles, config).join('\n\n'),
      };
      return isCard
        ? { msgtype: 'actionCard', actionCard: { ...content, btnOrientation: '1', btns: shorter.links.map(buttonOf) } }
        : { msgtype: 'markdown', markdown: content, at: { atMobiles: mobiles, isAtAll: false } };
    },
    (body) => byteLength(JSON.stringify(body)) <= MAX_BODY_BYTES,
  );
}

function buttonOf({ label, url }: Link): object {
  return { title: label, actionURL: url };
}

function plainBody(message: Message, config: Config): object {
  const mobiles = mentioned(message, config);
  return fitted(
    message,
    (shorter) => ({
      msgtype: 'text',
      text: { content: withAdditions(linesOf(shorter, plainFormat(plainText)), mobiles, config).join('\n') },
      at: { atMobiles: mobiles, isAtAll: false },
    }),
    (body) => byteLength(JSON.stringify(body)) <= MAX_PLAIN_BYTES,
  );
}

/** Lines with the keyword, and with the numbers that the vendor wants to see in the text of a mention. */
function withAdditions(lines: readonly string[], mobiles: readonly string[], { keyword }: Config): readonly string[] {
  const names = mobiles.length === 0 ? [] : [mobiles.map((mobile) => `@${mobile}`).join(' ')];
  return [...lines, ...names, ...keywordLine(lines.join('\n'), keyword)];
}

function mentioned(message: Message, { at_mobiles = [] }: Config): readonly string[] {
  return mentionsPeople(message) ? at_mobiles : [];
}
