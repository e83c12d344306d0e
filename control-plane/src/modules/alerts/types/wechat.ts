import { type Static, Type } from 'typebox';
import type { OutboundResponse } from '../../../deliver/index.js';
import { accepted, codes, jsonOf, type Meaning, outcomeOfCode } from './answers.js';
import { type Attempt, type ChannelType, type ConfigProblem, defineChannelType, type Outcome } from './channel-type.js';
import { oneLine } from './formats/characters.js';
import { cut } from './formats/cut.js';
import type { Message } from './message.js';
import { type Base, baseOf, type ChannelSettings, judgedUrls } from './settings.js';
import { fillTemplate } from './template/fill-template.js';
import { parseTemplate } from './template/parse-template.js';
import { valuesOf } from './template/variables.js';

// Template messages of official accounts:
// https://developers.weixin.qq.com/doc/offiaccount/Message_Management/Template_Message_Interface.html
// https://developers.weixin.qq.com/doc/offiaccount/Basic_Information/getStableAccessToken.html

/** Greatest length of a field that the vendor takes. */
const MAX_FIELD = 200;
/** Length that fields of every kind take, for the form that is sent when the usual one was refused. */
const MAX_PLAIN_FIELD = 20;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Distance of Asia/Shanghai from UTC, where clocks never change. */
const SHANGHAI_MS = 8 * 3_600_000;
/** Time after midnight at which the daily count of the vendor has surely begun again. */
const AFTER_MIDNIGHT_MS = 5 * MINUTE_MS;

const Config = Type.Object(
  {
    app_id: Type.String({
      pattern: '^wx[0-9A-Za-z]{8,40}$',
      description: 'AppID of the official account.',
      example: 'wx0123456789abcdef',
    }),
    app_secret: Type.String({
      pattern: '^[0-9A-Za-z]{16,64}$',
      description: 'AppSecret of the official account.',
      example: '0123456789abcdef0123456789abcdef',
    }),
    template_id: Type.String({
      pattern: '^[0-9A-Za-z_-]{10,100}$',
      description: 'Id of the message template.',
      example: 'ngqIpbwh8bUfcSsECmogfXcV14J0tQlEpBO27izEYtY',
    }),
    to: Type.Array(Type.String({ pattern: '^[0-9A-Za-z_-]{10,64}$', example: 'oGZUI0egBJY1zhBYw2KhdUfwVJJE' }), {
      minItems: 1,
      maxItems: 20,
      uniqueItems: true,
      description: 'OpenIDs of followers of the account; each gets a message of its own.',
      example: ['oGZUI0egBJY1zhBYw2KhdUfwVJJE'],
    }),
    fields: Type.Record(Type.String({ pattern: '^[A-Za-z][0-9A-Za-z_]{0,39}$' }), Type.String({ maxLength: 500 }), {
      additionalProperties: false,
      minProperties: 1,
      maxProperties: 20,
      description: 'Fields of the template, each with text and placeholders.',
      example: { first: '{{title}}', keyword1: '{{monitor.name}}', keyword2: '{{alert.started_at|date}}' },
    }),
  },
  {
    additionalProperties: false,
    title: 'WechatChannelConfig',
    description: 'Configuration of a channel of type wechat: template messages of an official account.',
  },
);
type Config = Static<typeof Config>;

/** Errors about the token: another one is worth a try. */
const staleToken: ReadonlySet<number> = new Set([40001, 42001, 40014]);

const meanings = (nowMs: number): ReadonlyMap<number, Meaning> =>
  new Map([
    ...codes({ kind: 'accepted' }, 0),
    ...codes({ kind: 'retry', afterMs: null }, -1, ...staleToken),
    ...codes({ kind: 'retry', afterMs: untilNextDay(nowMs) }, 45009),
    // AppID, AppSecret, template; address of this server
    ...codes({ kind: 'refused', of: 'channel' }, 40013, 40125, 40037, 40164),
    // not a follower, no such follower
    ...codes({ kind: 'refused', of: 'recipient' }, 43004, 40003),
    // a value that its field does not take
    ...codes({ kind: 'refused', of: 'message' }, 47003, 47001),
  ]);

/** Type `wechat`: template messages of an official account, one for each follower. */
export function wechat(settings: ChannelSettings): ChannelType {
  const base = baseOf(settings, 'wechat', 'https://api.weixin.qq.com');
  return defineChannelType({
    name: 'wechat',
    config: Config,
    sealed: ['app_secret'],
    buckets: [{ count: 60, perMs: MINUTE_MS, of: 'credential' }],
    credential: ({ app_id }) => app_id,
    // the vendor delivers only to people who follow the account: they need no verification
    recipients: ({ to }) => to,
    urls: () => judgedUrls(base),
    problem: ({ fields }) => fieldProblem(fields),
    deliver: async (attempt, isPlain) => {
      const first = await tokenFrom(base, attempt, false);
      if (typeof first !== 'string') return first;
      const response = await sendTemplate(base, attempt, { token: first, isPlain });
      if (!staleToken.has(codeIn(response))) return outcomeOf(response, attempt.nowMs);
      const second = await tokenFrom(base, attempt, true);
      if (typeof second !== 'string') return second;
      return outcomeOf(await sendTemplate(base, attempt, { token: second, isPlain }), attempt.nowMs);
    },
  });
}

/** An access token, or what the attempt came to without one. `isFresh`: the one before is refused. */
async function tokenFrom(
  base: Base,
  { config, nowMs, send }: Attempt<Config>,
  isFresh: boolean,
): Promise<string | Outcome> {
  const { app_id, app_secret } = config;
  const response = await send({
    method: 'POST',
    url: `${base.origin}/cgi-bin/stable_token`,
    isExempt: base.isOwn,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      grant_type: 'client_credential',
      appid: app_id,
      secret: app_secret,
      force_refresh: isFresh,
    }),
  });
  const token = jsonOf(response)?.['access_token'];
  if (response.status === 200 && typeof token === 'string' && token !== '') return token;
  return outcomeOf(response, nowMs);
}

function sendTemplate(
  base: Base,
  { message, config, recipient, send }: Attempt<Config>,
  { token, isPlain }: { readonly token: string; readonly isPlain: boolean },
): Promise<OutboundResponse> {
  const link = message.links[0]?.url;
  return send({
    method: 'POST',
    url: `${base.origin}/cgi-bin/message/template/send?access_token=${encodeURIComponent(token)}`,
    isExempt: base.isOwn,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      touser: recipient,
      template_id: config.template_id,
      ...(link === undefined ? {} : { url: link }),
      data: dataOf(message, config.fields, isPlain ? MAX_PLAIN_FIELD : MAX_FIELD),
    }),
    secrets: [token],
  });
}

/** Fields of the template, filled. */
function dataOf(message: Message, fields: Config['fields'], mostUnits: number): object {
  const filling = { values: valuesOf(message), timezone: message.timezone ?? 'UTC' };
  const written = Object.entries(fields).map(([name, template]) => {
    const parsed = parseTemplate(template);
    const text = parsed.ok ? fillTemplate(parsed.parts, filling) : '';
    return [name, { value: cut(oneLine(text), mostUnits) }] as const;
  });
  return Object.fromEntries(written);
}

function fieldProblem(fields: Config['fields']): ConfigProblem | null {
  for (const [name, template] of Object.entries(fields)) {
    const parsed = parseTemplate(template);
    const [error] = parsed.ok ? [] : parsed.errors;
    if (error !== undefined)
      return { field: `fields.${name}`, code: 'format', message: `column ${error.column} ${error.message}` };
  }
  return null;
}

function outcomeOf(response: OutboundResponse, nowMs: number): Outcome<Config> {
  const outcome = outcomeOfCode(response, { nowMs, codeOf: (json) => json['errcode'], meanings: meanings(nowMs) });
  if (outcome.kind !== 'accepted') return outcome;
  const id = jsonOf(response)?.['msgid'];
  return accepted(typeof id === 'number' || typeof id === 'string' ? String(id) : null);
}

function codeIn(response: OutboundResponse): number {
  const code = jsonOf(response)?.['errcode'];
  return typeof code === 'number' ? code : Number.NaN;
}

/** Time until it is next five minutes past midnight in Asia/Shanghai. */
function untilNextDay(nowMs: number): number {
  return DAY_MS - ((nowMs + SHANGHAI_MS - AFTER_MIDNIGHT_MS) % DAY_MS);
}
