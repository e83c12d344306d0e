import { createHmac, randomBytes } from 'node:crypto';
import { checkRequestHeaders } from '@vantage/shared/target-policy/headers.js';
import { TargetError } from '@vantage/shared/target-policy/target-error.js';
import { type Static, Type } from 'typebox';
import { bodyFormOf, bodyTypes } from '../../../config/body-form.js';
import { judge, type OutboundResponse } from '../../../deliver/index.js';
import { type Attempt, type ConfigProblem, defineChannelType, type Outcome } from './channel-type.js';
import { type BodyError, fillBody, parseBody } from './template/body-template.js';
import { valuesOf } from './template/variables.js';

const config = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2_048,
      description: 'Address, https; without a user name or password. Sealed, since it often holds a token.',
      example: 'https://hooks.example.com/alerts?key=abc',
    }),
    method: Type.Enum(['POST', 'PUT'], {
      type: 'string',
      default: 'POST',
      description: 'Method of the request.',
      example: 'POST',
    }),
    headers: Type.Record(Type.String({ minLength: 1, maxLength: 64 }), Type.String({ maxLength: 2_048 }), {
      maxProperties: 20,
      default: {},
      description: 'Further request headers. Their values are sealed.',
      example: { Authorization: 'Bearer abc' },
    }),
    body: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 8_192,
        description:
          'Body in place of the event as JSON, with placeholders such as `{{title}}`, `{{text}}`, `{{severity}}`, `{{monitor.name}}` and `{{link}}`. Values are escaped by `content_type` and stay in their places; `{{title|json}}` is a JSON string with its quotation marks.',
        example: '{"message": "{{title}}"}',
      }),
    ),
    content_type: Type.String({
      pattern: '^[\\w.+-]+/[\\w.+-]+(?:; ?charset=[\\w-]+)?$',
      maxLength: 100,
      default: 'application/json',
      description: `Content-Type of the request: ${bodyTypes}.`,
      example: 'application/json',
    }),
    sign: Type.Boolean({
      default: false,
      description:
        'Signs requests as Standard Webhooks do. The secret is shown once, in the response to the request that turns signing on.',
      example: true,
    }),
    secret: Type.Optional(
      Type.String({
        pattern: '^whsec_[A-Za-z0-9+/]{32,88}={0,2}$',
        description: 'Secret of the signature; created if `sign` is true and none is given. Sealed.',
        example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      }),
    ),
  },
  {
    additionalProperties: false,
    title: 'WebhookChannelConfig',
    description: 'Configuration of a channel of type webhook.',
  },
);
type WebhookConfig = Static<typeof config>;

/** HTTP request to an address of the owner, as a Standard Webhooks event or with a body of the owner's own. */
export const webhookType = defineChannelType({
  name: 'webhook',
  config,
  sealed: ['url', 'headers', 'secret'],
  // a signature does not show its secret
  bound: ['headers'],
  buckets: [{ count: 60, perMs: 60_000, of: 'channel' }],
  credential: ({ url }) => url,
  urls: ({ url }) => [url],
  problem: ({ body, content_type, headers }) => bodyProblem(body, content_type) ?? headersProblem(headers),
  generate: ({ sign, secret }) =>
    sign && secret === undefined ? { secret: `whsec_${randomBytes(32).toString('base64')}` } : {},
  async deliver(attempt) {
    const { body, content_type: contentType } = attempt.config;
    // of a channel that was stored before its type was refused
    if (body !== undefined && bodyFormOf(contentType) === null)
      return { kind: 'refused', of: 'channel', error: `content_type ${typeRefusal(contentType)}` };
    const response = await attempt.send(requestOf(attempt));
    return outcomeOf(response, attempt.nowMs);
  },
});

function bodyProblem(body: string | undefined, contentType: string): ConfigProblem | null {
  const form = bodyFormOf(contentType);
  if (form === null) return { field: 'content_type', code: 'format', message: typeRefusal(contentType) };
  const parsed = body === undefined ? null : parseBody(body, form);
  const [error] = parsed === null || parsed.ok ? [] : parsed.errors;
  return error === undefined ? null : { field: 'body', code: 'format', message: `${placeOf(error)} ${error.message}` };
}

function typeRefusal(contentType: string): string {
  return `must be ${bodyTypes}, not "${contentType}": there is no rule by which values could be escaped`;
}

function placeOf({ path, line, column }: BodyError): string {
  const place = `line ${line}, column ${column}`;
  return path === null || path === '' ? place : `${path}: ${place}`;
}

function headersProblem(headers: WebhookConfig['headers']): ConfigProblem | null {
  try {
    checkRequestHeaders(headers);
    return null;
  } catch (error) {
    if (error instanceof TargetError) return { field: 'headers', code: 'format', message: error.message };
    throw error;
  }
}

function requestOf({ message, config: settings, nowMs }: Attempt<WebhookConfig>) {
  const { url, method, headers, content_type: contentType, secret, sign } = settings;
  const body = bodyOf({ message, config: settings });
  const timestamp = String(Math.floor(nowMs / 1_000));
  const signature =
    sign && secret !== undefined
      ? { 'webhook-signature': signatureOf({ id: message.id, timestamp, body, secret }) }
      : {};
  const own = { 'content-type': contentType, 'webhook-id': message.id, 'webhook-timestamp': timestamp, ...signature };
  return { method, url, body, headers: { ...withoutNames(headers, Object.keys(own)), ...own } };
}

function withoutNames(headers: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name.toLowerCase())));
}

function bodyOf({ message, config }: Pick<Attempt<WebhookConfig>, 'message' | 'config'>): string {
  const form = bodyFormOf(config.content_type);
  const parsed = config.body === undefined || form === null ? null : parseBody(config.body, form);
  if (parsed === null || !parsed.ok) return JSON.stringify(message.payload);
  const { customText, timezone = 'UTC' } = message;
  const values = { ...valuesOf(message), ...(customText === null ? {} : { text: customText }) };
  return fillBody(parsed.body, { values, timezone });
}

/** Signature of a Standard Webhooks request (https://www.standardwebhooks.com): HMAC-SHA256 over id, time and body. */
export function signatureOf(of: {
  readonly id: string;
  readonly timestamp: string;
  readonly body: string;
  readonly secret: string;
}): string {
  const key = Buffer.from(of.secret.slice('whsec_'.length), 'base64');
  const digest = createHmac('sha256', key).update(`${of.id}.${of.timestamp}.${of.body}`).digest('base64');
  return `v1,${digest}`;
}

function outcomeOf({ status, headers }: OutboundResponse, nowMs: number): Outcome {
  const verdict = judge(status, headers, nowMs);
  if (verdict.ok) return { kind: 'accepted', providerId: null };
  const error = `HTTP ${status}`;
  if (verdict.reason === 'gone') return { kind: 'refused', of: 'channel', error };
  // a 404 may be a deployment in progress: the delivery ends with its time
  return { kind: 'retry', error, retryAfterMs: verdict.retryAfterMs };
}
