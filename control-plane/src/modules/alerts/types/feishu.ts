import { createHmac } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { codes, type Json, type Meaning, outcomeOfCode } from './answers.js';
import { type ChannelType, defineChannelType } from './channel-type.js';
import { type HookForm, hookCredential, hookProblem, hookUrl } from './fields/hook-address.js';
import { KeywordSchema, keywordLine } from './fields/keyword.js';
import { byteLength } from './formats/cut.js';
import { larkMarkdown } from './formats/lark-markdown.js';
import { plainText } from './formats/plain-text.js';
import { bodyLines, type Format, fitted, linesOf, plainFormat } from './lines.js';
import type { Message } from './message.js';
import { baseOf, type ChannelSettings, judgedUrls } from './settings.js';
import { toneOf } from './tone.js';

// https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot

/** Greatest number of bytes of a request; the vendor takes 20 KB. */
const MAX_BODY_BYTES = 19_000;
const MAX_PLAIN_BYTES = 4_000;

const format: Format = {
  title: (text) => text,
  fact: (label, value) => `**${larkMarkdown(label)}**: ${larkMarkdown(value)}`,
  item: (text) => larkMarkdown(`• ${text}`),
  note: larkMarkdown,
  custom: larkMarkdown,
  link: (label) => label,
};

/** Code of a bot that was called too often. */
const TOO_OFTEN = 11232;
/** Code of a body that is wrong; and, by its words, of a bot that was called too often. */
const BAD_REQUEST = 9499;

const meanings: ReadonlyMap<number, Meaning> = new Map([
  ...codes({ kind: 'accepted' }, 0),
  // too often, for one robot and for all of a tenant
  ...codes({ kind: 'retry', afterMs: null }, TOO_OFTEN, 99991400),
  // signature or clock, address, keyword, token, bot switched off
  ...codes({ kind: 'refused', of: 'channel' }, 19021, 19022, 19024, 19001, 19007),
  // body, parameter, card
  ...codes({ kind: 'refused', of: 'message' }, BAD_REQUEST, 19002, 19003, 11246),
]);

/** Type `feishu`: custom bots of Feishu. */
export function feishu(settings: ChannelSettings): ChannelType {
  const { hookOf, Config } = feishuConfig('feishu', 'https://open.feishu.cn');
  return cardBot('feishu', Config, hookOf(settings));
}

type FeishuConfig = ReturnType<typeof feishuConfig>['Config'];

/** Configuration and address of the custom bots of Feishu, or of Lark, the same service outside of China. */
export function feishuConfig(name: 'feishu' | 'lark', origin: string) {
  const title = name === 'feishu' ? 'FeishuChannelConfig' : 'LarkChannelConfig';
  const Config = Type.Object(
    {
      token: Type.Optional(
        Type.String({
          pattern: '^[A-Za-z0-9_-]{8,128}$',
          description: 'Token of the custom bot: the end of its webhook address.',
          example: 'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx',
        }),
      ),
      url: Type.Optional(
        Type.String({
          format: 'uri',
          pattern: '^https?://',
          maxLength: 2048,
          description: 'Webhook address of the custom bot, in place of `token`.',
          example: `${origin}/open-apis/bot/v2/hook/xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`,
        }),
      ),
      secret: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 256,
          pattern: '^\\S+$',
          description: 'Secret of the security setting "signature"; each attempt is signed with it.',
          example: 'exampleexampleexample',
        }),
      ),
      keyword: Type.Optional(KeywordSchema),
    },
    { additionalProperties: false, title, description: `Configuration of a channel of type ${name}.` },
  );
  const hookOf = (settings: ChannelSettings): HookForm => ({
    base: baseOf(settings, name, origin),
    field: 'token',
    path: '/open-apis/bot/v2/hook/',
    parameter: null,
  });
  return { Config, hookOf };
}

/** Type of channels whose messages are cards of Feishu. */
export function cardBot(name: string, config: FeishuConfig, hook: HookForm): ChannelType {
  const { base } = hook;
  const tokenOf = ({ token, url }: Static<FeishuConfig>) => hookCredential(hook, token, url);
  return defineChannelType({
    name,
    config,
    sealed: ['token', 'url', 'secret'],
    // the vendor takes 100 and 5
    buckets: [
      { count: 90, perMs: 60_000, of: 'credential' },
      { count: 4, perMs: 1_000, of: 'credential' },
    ],
    credential: tokenOf,
    urls: () => judgedUrls(base),
    problem: ({ token, url }) => hookProblem(hook, token, url),
    deliver: async ({ message, config: { token, url, secret, keyword }, nowMs, send }, isPlain) => {
      const credential = hookCredential(hook, token, url);
      const head = signature(secret, nowMs);
      const response = await send({
        method: 'POST',
        url: hookUrl(hook, credential),
        isExempt: base.isOwn,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify(isPlain ? plainBody(message, head, keyword) : cardBody(message, head, keyword)),
        secrets: [credential],
      });
      return outcomeOfCode(response, { nowMs, codeOf, meanings });
    },
  });
}

/** Fields that sign an attempt; none without a secret. `nowMs`: at this attempt, the vendor allows an hour. */
function signature(secret: string | undefined, nowMs: number): object {
  if (secret === undefined) return {};
  const timestamp = String(Math.trunc(nowMs / 1_000));
  return { timestamp, sign: createHmac('sha256', `${timestamp}\n${secret}`).digest('base64') };
}

/** Older bots answer with `StatusCode` alone. */
function codeOf(json: Json): unknown {
  const code = json['code'] ?? json['StatusCode'];
  return code === BAD_REQUEST && /too many request/i.test(String(json['msg'])) ? TOO_OFTEN : code;
}

function cardBody(message: Message, head: object, keyword: string | undefined): object {
  return fitted(
    message,
    (shorter) => ({ ...head, msg_type: 'interactive', card: cardOf(shorter, keyword) }),
    (body) => byteLength(JSON.stringify(body)) <= MAX_BODY_BYTES,
  );
}

function cardOf(message: Message, keyword: string | undefined): object {
  const { headline } = message;
  const sentence = headline === undefined ? [] : [`**${larkMarkdown(headline)}**`];
  const body = [...sentence, ...bodyLines(message, format)];
  // the vendor looks for the keyword in what it shows
  const [extra] = keywordLine(`${message.title}\n${body.join('\n')}`, keyword);
  const text = body.join('\n');
  const buttons = message.links.map(({ label, url }, index) => ({
    tag: 'button',
    text: { tag: 'plain_text', content: label },
    url,
    type: index === 0 ? 'primary' : 'default',
  }));
  return {
    config: { wide_screen_mode: true },
    header: { template: colours[toneOf(message)], title: { tag: 'plain_text', content: plainText(message.title) } },
    elements: [
      ...(text === '' ? [] : [{ tag: 'div', text: { tag: 'lark_md', content: text } }]),
      ...(extra === undefined ? [] : [{ tag: 'div', text: { tag: 'plain_text', content: extra } }]),
      ...(buttons.length === 0 ? [] : [{ tag: 'action', actions: buttons }]),
    ],
  };
}

const colours = { good: 'green', bad: 'red', warning: 'orange', neutral: 'blue' } as const;

function plainBody(message: Message, head: object, keyword: string | undefined): object {
  return fitted(
    message,
    (shorter) => {
      const lines = linesOf(shorter, plainFormat(plainText));
      const text = [...lines, ...keywordLine(lines.join('\n'), keyword)].join('\n');
      return { ...head, msg_type: 'text', content: { text } };
    },
    (body) => byteLength(JSON.stringify(body)) <= MAX_PLAIN_BYTES,
  );
}
