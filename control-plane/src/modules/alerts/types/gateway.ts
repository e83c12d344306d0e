import { type BodyForm, bodyFormOf, contentTypeIn } from '../../../config/body-form.js';
import type { Gateway, GenericGateway, TwilioGateway } from '../../../config/channel-settings.js';
import { judge, type OutboundResponse } from '../../../deliver/index.js';
import { accepted, type Json, jsonOf, outcomeOfStatus, refused, retry } from './answers.js';
import type { Attempt, Outcome, TypeRequest } from './channel-type.js';
import { writeIn } from './template/written-values.js';

// The operator's gateway for text messages and calls. Kind `twilio`:
// https://www.twilio.com/docs/messaging/api/message-resource, https://www.twilio.com/docs/voice/api/call-resource

const TWILIO_ORIGIN = 'https://api.twilio.com';
const DEFAULT_BODY = '{"to": "{{to}}", "text": "{{text}}", "id": "{{id}}"}';
/** Errors that end a recipient: invalid number, opted out, not a mobile number (https://www.twilio.com/docs/api/errors). */
const ofRecipient: ReadonlySet<number> = new Set([21211, 21217, 21610, 21614]);
/** Errors about the text: too long, empty. */
const ofMessage: ReadonlySet<number> = new Set([21617, 21602]);

/** One message or call for a gateway. */
export interface Order {
  /** Number (E.164). */
  readonly to: string;
  readonly text: string;
  /** Id of the delivery, the same for every attempt. */
  readonly id: string;
  /** Further values for the body of kind `generic`. */
  readonly values?: Readonly<Record<string, string>>;
  /** Resource and form fields for kind `twilio`, in addition to numbers. */
  readonly twilio: {
    readonly resource: keyof typeof gatewaySettings;
    readonly fields: Readonly<Record<string, string>>;
  };
}

/** Setting of the gateway for each kind of order. */
export const gatewaySettings = { Messages: 'VANTAGE_SMS_GATEWAY', Calls: 'VANTAGE_VOICE_GATEWAY' } as const;

export async function sendOrder(
  gateway: Gateway | null,
  order: Order,
  { nowMs, send }: Pick<Attempt, 'nowMs' | 'send'>,
): Promise<Outcome> {
  const setting = gatewaySettings[order.twilio.resource];
  if (gateway === null)
    return { kind: 'retry', error: `this installation has no gateway: set ${setting}`, retryAfterMs: null };
  if (gateway.kind === 'twilio') return twilioOutcome(await send(twilioRequest(gateway, order)), nowMs);
  const contentType = contentTypeIn(gateway.headers ?? {}) ?? 'application/json';
  const form = bodyFormOf(contentType);
  if (form === null)
    return { kind: 'retry', error: `the content type in ${setting} is not supported`, retryAfterMs: null };
  return genericOutcome(gateway, await send(genericRequest(gateway, order, { contentType, form })), nowMs);
}

function genericRequest(
  gateway: GenericGateway,
  order: Order,
  { contentType, form }: { readonly contentType: string; readonly form: BodyForm },
): TypeRequest {
  const { url, headers = {}, body = DEFAULT_BODY } = gateway;
  const values = { ...order.values, to: order.to, text: order.text, id: order.id };
  return {
    method: 'POST',
    url,
    isExempt: true,
    headers: { ...(contentTypeIn(headers) === null ? { 'content-type': contentType } : {}), ...headers },
    body: filledText(body, values, form),
    secrets: [...Object.values(headers), ...secretsIn(url)],
  };
}

/** Body with its values, each of which stays in its place by the rule of the form. */
function filledText(body: string, values: Readonly<Record<string, string>>, form: BodyForm): string {
  return body.replace(/\{\{([a-z]{1,20})\}\}/g, (written, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined ? written : writeIn[form](value, { name, isQuoted: false });
  });
}

function genericOutcome(gateway: GenericGateway, response: OutboundResponse, nowMs: number): Outcome {
  const { status } = response;
  const isSuccess = gateway.success_status?.includes(status) ?? (status >= 200 && status < 300);
  if (isSuccess) return idOutcome(gateway, response);
  // a gateway that knows the number to be wrong says so by one of these; what else fails is the operator's to mend
  if (status === 400 || status === 410 || status === 422) return refused('recipient', response);
  const verdict = judge(status, response.headers, nowMs);
  return retry(response, verdict.ok ? null : verdict.retryAfterMs);
}

/** With `id_path` the gateway has the message only if its body has the id. */
function idOutcome({ id_path }: GenericGateway, response: OutboundResponse): Outcome {
  if (id_path === undefined) return accepted(null);
  const id = id_path
    .split('.')
    .reduce<unknown>(
      (value, key) => (Object.hasOwn(Object(value), key) ? (value as Json)[key] : undefined),
      jsonOf(response),
    );
  return typeof id === 'string' || typeof id === 'number' ? accepted(String(id)) : retry(response, null);
}

function twilioRequest(gateway: TwilioGateway, { to, twilio }: Order): TypeRequest {
  const { base_url = TWILIO_ORIGIN, account_sid, auth_token, from, messaging_service_sid } = gateway;
  const credentials = Buffer.from(`${account_sid}:${auth_token}`).toString('base64');
  const form = new URLSearchParams({
    To: to,
    ...(from === undefined ? {} : { From: from }),
    ...(messaging_service_sid === undefined ? {} : { MessagingServiceSid: messaging_service_sid }),
    ...twilio.fields,
  });
  return {
    method: 'POST',
    url: `${base_url.replace(/\/$/, '')}/2010-04-01/Accounts/${account_sid}/${twilio.resource}.json`,
    isExempt: true,
    headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Basic ${credentials}` },
    body: form.toString(),
    // the operator's account, not the channel's: a reader of the log of a channel need not know it
    secrets: [
      auth_token,
      credentials,
      account_sid,
      ...(messaging_service_sid === undefined ? [] : [messaging_service_sid]),
    ],
  };
}

function twilioOutcome(response: OutboundResponse, nowMs: number): Outcome {
  const json = jsonOf(response);
  const sid = json?.['sid'];
  if (response.status === 201) return typeof sid === 'string' ? accepted(sid) : retry(response, null);
  const code = json?.['code'];
  if (typeof code === 'number' && ofRecipient.has(code)) return refused('recipient', response);
  if (typeof code === 'number' && ofMessage.has(code)) return refused('message', response);
  return outcomeOfStatus(response, nowMs);
}

/** Parameters of an address may be keys. */
function secretsIn(url: string): readonly string[] {
  return [...new URL(url).searchParams.values()].filter((value) => value.length >= 8);
}
