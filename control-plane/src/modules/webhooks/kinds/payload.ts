import { compileSchema } from '@vantage/shared/validation.js';
import { type TSchema, Type } from 'typebox';
import {
  type EventOf,
  type KindDefinition,
  type PayloadContext,
  type WebhookEventKind,
  webhookEventKinds,
} from '../../../events/index.js';
import { type WebhookKindName, webhookKinds } from './index.js';

/** Forms of `data`: everything, or ids alone. */
export const payloadForms = ['full', 'thin'] as const;
export type PayloadForm = (typeof payloadForms)[number];

/** Version of payloads. Additions do not change it. */
export const PAYLOAD_VERSION = 1;

/** Event as endpoints get it, in the full form. */
export interface WebhookEvent {
  /** `evt_…`, the same in every attempt and redelivery. */
  readonly id: string;
  readonly kind: WebhookKindName;
  readonly at: Date;
  readonly sequence: number;
  readonly isTest: boolean;
  readonly data: unknown;
}

/** `data` of an event does not fit the schema of its kind; values are not repeated. */
export class WebhookPayloadError extends Error {
  override readonly name = 'WebhookPayloadError';

  constructor(kind: string, fields: readonly string[]) {
    super(`the payload of a "${kind}" webhook is wrong in ${fields.map((field) => `"${field}"`).join(', ')}`);
  }
}

const checks = new Map<WebhookKindName, ReturnType<typeof compileSchema>>();

/** `data` of an event in the full form, checked. @throws WebhookPayloadError */
export function fullDataOf({ kind, payload }: EventOf<WebhookEventKind>, context: PayloadContext): unknown {
  const { webhook } = webhookEventKinds[kind] as KindDefinition;
  return checkedData(kind, webhook.dataOf(payload, context));
}

/** Checks `data` in the full form, in which nothing may be that the schema does not name. @throws WebhookPayloadError */
export function checkedData(kind: WebhookKindName, data: unknown): unknown {
  const check = checks.get(kind) ?? compileSchema(closed(webhookKinds[kind].full));
  checks.set(kind, check);
  const checked = check(data);
  if (!checked.ok) throw new WebhookPayloadError(kind, Object.keys(checked.details));
  return data;
}

/** A schema that takes no members but those it names: for receivers more may be added, here a row must not slip in whole. */
function closed(schema: TSchema): TSchema {
  return JSON.parse(JSON.stringify(schema), (_, part) =>
    part?.properties === undefined || part.type !== 'object' ? part : { ...part, additionalProperties: false },
  );
}

/** Body of a request, as JSON: the same bytes in every attempt. */
export function bodyOf({ id, kind, at, sequence, isTest, data }: WebhookEvent, form: PayloadForm): string {
  const shown = form === 'full' ? data : webhookKinds[kind].thinOf(data);
  const head = { id, type: kind, version: PAYLOAD_VERSION, timestamp: at.toISOString(), sequence, test: isTest };
  return JSON.stringify({ ...head, data: shown });
}

/** Schema of a request's body, for documents. */
export function bodySchema(kind: WebhookKindName, form: PayloadForm) {
  const { full, thin } = webhookKinds[kind];
  return Type.Object({
    id: Type.String({ description: '`evt_…`: the same in every attempt and redelivery; also in header `webhook-id`.' }),
    type: Type.Literal(kind),
    version: Type.Literal(PAYLOAD_VERSION),
    timestamp: Type.String({ format: 'date-time', description: 'Time when it happened.' }),
    sequence: Type.Integer({ description: 'Larger for each later event of the same subject.' }),
    test: Type.Boolean({ description: 'True for resources of test keys, and for tests of an endpoint.' }),
    data: form === 'full' ? full : thin,
  });
}

/** Example of a request's body. */
export function bodyExample(kind: WebhookKindName, form: PayloadForm): unknown {
  const event = {
    id: 'evt_1FZ3ybQXhhsV3cDKtVoMjX',
    kind,
    at: new Date('2026-11-21T09:16:02.000Z'),
    sequence: 4711,
    isTest: kind === 'webhook.test',
    data: webhookKinds[kind].example,
  };
  return JSON.parse(bodyOf(event, form));
}
