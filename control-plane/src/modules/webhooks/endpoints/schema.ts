import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { nullable } from '@vantage/shared/nullable.js';
import { type Static, Type } from 'typebox';
import { IsTestSchema } from '../../../http/is-test.js';
import { PAYLOAD_VERSION, payloadForms } from '../kinds/payload.js';

/** Mask shown in place of the value of a header; when it is sent back, the value is kept. */
export const MASK = '********';

/** Greatest number of endpoints of an account. */
export const MAX_ENDPOINTS = 20;

/** Greatest number of hours for which a replaced secret goes on signing. */
const MAX_OVERLAP_HOURS = 168;
const DEFAULT_OVERLAP_HOURS = 24;

const strict = { additionalProperties: false };
const dateTime = (description: string) =>
  nullable(Type.String({ format: 'date-time', examples: ['2026-11-21T09:16:00.000Z'] }), description);

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'https URL without user name; it must not lead to a private network.',
  examples: ['https://hooks.example/vantage'],
});
const Events = Type.Array(Type.String({ maxLength: 64 }), {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  description:
    'Kinds of events, all kinds of a subject (`monitor.*`), or `*`. `GET /v1/webhooks/event-types` lists them.',
  examples: [['monitor.down', 'monitor.up']],
});
const Description = nullable(Type.String({ maxLength: 500 }), 'Your note about the endpoint.');
const Payload = Type.Enum([...payloadForms], {
  type: 'string',
  description: '`full`: names, reasons and times; `thin`: ids alone, to be looked up.',
});
const Filter = nullable(
  Type.Object(
    {
      monitor_ids: Type.Optional(
        Type.Array(Type.String({ maxLength: 64, pattern: idPattern(idPrefixes.monitor) }), {
          minItems: 1,
          maxItems: 200,
          uniqueItems: true,
          description: 'Only events of these monitors.',
        }),
      ),
      tags_any: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
          minItems: 1,
          maxItems: 20,
          uniqueItems: true,
          description: 'Only events of monitors with at least one of these tags.',
        }),
      ),
    },
    strict,
  ),
  'Narrows the events to those of some monitors; both parts must match. Events of nodes match no filter. Null: no filter.',
);
const Headers = Type.Record(Type.String({ pattern: '^[!-~]{1,64}$' }), Type.String({ maxLength: 1024 }), {
  maxProperties: 10,
  description: `Request headers in addition to ours, for a token of your receiver. Values are shown as ${MASK}; one that is sent back like this is kept.`,
  examples: [{ authorization: 'Bearer 0123456789' }],
});

/** Body of POST /v1/webhooks. */
export const EndpointCreateSchema = Type.Object(
  {
    url: Url,
    events: Events,
    description: Type.Optional(Description),
    payload: Type.Optional(Payload),
    filter: Type.Optional(Filter),
    headers: Type.Optional(Headers),
  },
  strict,
);

/** Body of PATCH /v1/webhooks/{id}. */
export const EndpointChangeSchema = Type.Object(
  {
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    description: Type.Optional(Description),
    payload: Type.Optional(Payload),
    filter: Type.Optional(Filter),
    headers: Type.Optional(Headers),
    status: Type.Optional(
      Type.Enum(['active', 'paused'], {
        type: 'string',
        description: '`active` enables the endpoint again, also after it was disabled.',
      }),
    ),
  },
  strict,
);

/** Endpoint as the API shows it. */
export const EndpointSchema = Type.Object(
  {
    id: Type.String({ examples: ['whe_1FZ3ybQXhhsV3cDKtVoMjX'] }),
    user_id: Type.String({ examples: ['u_1FZ3ybQXhhsV3cDKtVoMjX'] }),
    url: Url,
    events: Events,
    description: Description,
    status: Type.Enum(['active', 'paused', 'disabled'], {
      type: 'string',
      description: '`disabled`: by the service, see `disabled_reason`.',
    }),
    disabled_reason: nullable(
      Type.Enum(['failing', 'gone'], { type: 'string' }),
      '`failing`: no success for 120 hours; `gone`: the endpoint replied 410. Null: it is not disabled.',
    ),
    disabled_at: dateTime('Null: it is not disabled.'),
    failing_since: dateTime(
      'First failure since the last success; null: the last attempt succeeded, or there was none.',
    ),
    payload: Payload,
    version: Type.Literal(PAYLOAD_VERSION, { description: 'Version of the payloads.' }),
    filter: Filter,
    headers: Headers,
    secret_hint: Type.String({ description: 'Last characters of the secret.', examples: ['k8Qw'] }),
    previous_secret_expires_at: dateTime('Time until which the previous secret signs too; null: it does not.'),
    last_success_at: dateTime('Null: no event was delivered yet.'),
    last_failure_at: dateTime('Null: no attempt has failed yet.'),
    is_test: IsTestSchema,
    created_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { ...strict, title: 'WebhookEndpoint' },
);

/** Body of POST /v1/webhooks/{id}/rotate-secret. */
export const RotateSchema = Type.Object(
  {
    overlap_hours: Type.Integer({
      minimum: 0,
      maximum: MAX_OVERLAP_HOURS,
      default: DEFAULT_OVERLAP_HOURS,
      description: 'Hours for which the current secret signs in addition to the new one. 0: it ends immediately.',
    }),
  },
  strict,
);

export type EndpointView = Static<typeof EndpointSchema>;
export type EndpointCreate = Static<typeof EndpointCreateSchema>;
export type EndpointChange = Static<typeof EndpointChangeSchema>;
