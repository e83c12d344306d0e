import { checkRequestHeaders } from '@vantage/shared/target-policy/headers.js';
import { TargetError } from '@vantage/shared/target-policy/target-error.js';
import { parseHttpUrl } from '@vantage/shared/target-policy/url.js';
import { compileSchema } from '@vantage/shared/validation.js';
import { type Static, Type } from 'typebox';
import { bodyFormOf, bodyTypes, contentTypeIn } from './body-form.js';
import { parseOrigin, ValueError } from './setting-values.js';

/** Vendors of alert channels whose address an operator may replace, and the types of these channels. */
export const vendorNames = ['slack', 'telegram', 'wecom', 'dingtalk', 'feishu', 'lark', 'wechat', 'pagerduty'] as const;
export type VendorName = (typeof vendorNames)[number];

/** Other names of channel types, wherever a type is taken; it is stored and shown by its own name. */
export const channelTypeAliases = { wechatwork: 'wecom' } as const satisfies Readonly<Record<string, VendorName>>;

/** Own name of a channel type. */
export function ownTypeName<T extends string>(name: T | keyof typeof channelTypeAliases): T | VendorName {
  return Object.hasOwn(channelTypeAliases, name)
    ? channelTypeAliases[name as keyof typeof channelTypeAliases]
    : (name as T);
}

/** Origin that the operator uses in place of a vendor's own. */
export type ChannelUrls = Readonly<Partial<Record<VendorName, string>>>;

const strict = { additionalProperties: false } as const;

const HttpUrl = Type.String({ maxLength: 2048, pattern: '^https?://[^\\s/@]+(?:/\\S*)?$' });

const GenericGatewaySchema = Type.Object(
  {
    kind: Type.Literal('generic'),
    url: HttpUrl,
    headers: Type.Optional(
      Type.Record(Type.String({ pattern: '^[!-9;-~]{1,64}$' }), Type.String({ maxLength: 4096 }), strict),
    ),
    body: Type.Optional(Type.String({ minLength: 1, maxLength: 16_384 })),
    success_status: Type.Optional(Type.Array(Type.Integer({ minimum: 200, maximum: 299 }), { minItems: 1 })),
    id_path: Type.Optional(Type.String({ pattern: '^[^.\\s]+(?:\\.[^.\\s]+)*$', maxLength: 200 })),
  },
  strict,
);

const TwilioGatewaySchema = Type.Object(
  {
    kind: Type.Literal('twilio'),
    base_url: Type.Optional(HttpUrl),
    account_sid: Type.String({ pattern: '^AC[0-9A-Za-z]{1,62}$' }),
    auth_token: Type.String({ minLength: 1, maxLength: 200 }),
    from: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
    messaging_service_sid: Type.Optional(Type.String({ pattern: '^MG[0-9A-Za-z]{1,62}$' })),
  },
  strict,
);

/** Gateway that takes a JSON body (or another one) and reports an id. */
export type GenericGateway = Readonly<Static<typeof GenericGatewaySchema>>;
/** Gateway with the API of Twilio. */
export type TwilioGateway = Readonly<Static<typeof TwilioGatewaySchema>>;
/** Gateway of the operator for text messages or calls. */
export type Gateway = GenericGateway | TwilioGateway;

const checkGeneric = compileSchema(GenericGatewaySchema);
const checkTwilio = compileSchema(TwilioGatewaySchema);
const checkUrls = compileSchema(Type.Record(Type.String(), Type.String()));

/** Origins by type of channel, from JSON. */
export function parseChannelUrls(text: string): ChannelUrls {
  const value = parseJson(text);
  const unknown = isRecord(value) ? Object.keys(value).filter((name) => !isVendor(ownTypeName(name))) : [];
  if (unknown.length > 0)
    throw new ValueError(`has the unknown type "${unknown.join('", "')}"; there are ${vendorNames.join(', ')}`);
  const urls = checked(checkUrls(value), 'addresses');
  const named = Object.entries(urls).map(
    ([name, url]) => [ownTypeName(name), requestable(parseOrigin(url), name)] as const,
  );
  const twice = named.find(([name], index) => named.findIndex(([other]) => other === name) < index);
  if (twice !== undefined) throw new ValueError(`has the type ${twice[0]} by two names`);
  return Object.freeze(Object.fromEntries(named));
}

/** A secret: the gateway for text messages, from JSON. */
export function parseSmsGateway(text: string): Gateway {
  const gateway = parseGateway(text);
  if (gateway.kind === 'twilio' && (gateway.from === undefined) === (gateway.messaging_service_sid === undefined))
    throw new ValueError('must have either from or messaging_service_sid');
  return gateway;
}

/** A secret: the gateway for calls, from JSON. */
export function parseVoiceGateway(text: string): Gateway {
  const gateway = parseGateway(text);
  if (gateway.kind === 'twilio' && (gateway.from === undefined || gateway.messaging_service_sid !== undefined))
    throw new ValueError('must have from, and no messaging_service_sid: calls come from a number');
  return gateway;
}

function parseGateway(text: string): Gateway {
  const value = parseJson(text);
  const kind = isRecord(value) ? value['kind'] : null;
  if (kind === 'twilio') {
    const twilio = checked(checkTwilio(value), 'a twilio gateway');
    if (twilio.base_url !== undefined) requestable(twilio.base_url, 'base_url');
    return Object.freeze(twilio);
  }
  if (kind !== 'generic') throw new ValueError('must be a JSON object with kind generic or twilio');
  const gateway = checked(checkGeneric(value), 'a generic gateway');
  try {
    checkRequestHeaders(gateway.headers ?? {});
  } catch {
    throw new ValueError('has a header that requests cannot have');
  }
  checkPlaceholders(gateway);
  requestable(gateway.url, 'url');
  return Object.freeze(gateway);
}

/** Checks that values stay in their places: in a body of a form that has a rule. @throws ValueError */
function checkPlaceholders({ url, headers = {}, body }: GenericGateway): void {
  const type = contentTypeIn(headers);
  const form = bodyFormOf(type ?? 'application/json');
  if (form === null) throw new ValueError(`must have a Content-Type that is ${bodyTypes}`);
  if (form !== 'json' && body === undefined)
    throw new ValueError('must have a body, since its Content-Type is not JSON');
  if ([url, ...Object.values(headers)].some((text) => text.includes('{{')))
    throw new ValueError('has a placeholder outside of its body');
}

/** Address to which requests may go, checked as at each of them: the target policy does not judge it, blocked ports stay blocked. @throws ValueError */
export function requestable(url: string, name: string): string {
  try {
    parseHttpUrl(url, name);
    return url;
  } catch (error) {
    if (error instanceof TargetError)
      throw new ValueError(`has an address for ${name} that no request may go to: ${error.message}`);
    throw error;
  }
}

/** Value that a schema accepts. The error names fields, never values. @throws ValueError */
export function checked<T>(
  validation: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly details: object },
  what: string,
): T {
  if (validation.ok) return validation.value;
  const complaints = Object.entries(validation.details as Record<string, readonly { readonly message: string }[]>);
  const texts = complaints.map(([field, [first]]) => `${field} ${first?.message ?? 'is invalid'}`);
  throw new ValueError(`does not describe ${what}: ${texts.join('; ')}`);
}

/** @throws ValueError, which does not quote the text: it may be a secret */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ValueError('is not valid JSON');
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isVendor(name: string): name is VendorName {
  return (vendorNames as readonly string[]).includes(name);
}
