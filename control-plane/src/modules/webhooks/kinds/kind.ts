import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import type { EventKind, EventOf, PayloadOf } from '../../../events/index.js';

/** Facts of the installation that payloads show. */
export interface PayloadContext {
  /** Address of the API, without a final slash. */
  readonly publicUrl: string;
}

/** Kind of webhook event: what receivers get, and how it is made from an event. */
export interface WebhookKind<K extends EventKind = EventKind, D extends TSchema = TSchema> {
  /** One sentence: when it is sent. */
  readonly summary: string;
  /** Type of the subject, whose owner receives the event. */
  readonly subject: 'monitor' | 'node' | 'alert event' | 'webhook endpoint';
  /** Schema of `data` in the full form. */
  readonly full: D;
  /** Schema of `data` in the thin form: ids alone. */
  readonly thin: TSchema;
  /** Example of `data` in the full form. */
  readonly example: Static<D>;
  /** Example of an event's payload; `dataOf` makes `example` from it. */
  readonly eventExample?: PayloadOf<K>;
  /** Creates the full form. Absent: no event of the outbox leads to this kind. */
  readonly dataOf?: (event: EventOf<K>, context: PayloadContext) => Static<D>;
  /** Creates the thin form from the full one. */
  readonly thinOf: (data: Static<D>) => Readonly<Record<string, unknown>>;
}

/** Types a kind by its event and its schema, for lists. */
export function defineWebhookKind<K extends EventKind, D extends TSchema>(
  kind: WebhookKind<K, D> & Required<Pick<WebhookKind<K, D>, 'dataOf' | 'eventExample'>>,
): WebhookKind<K, D> {
  return kind;
}

/** An object with these members; further ones may be added later without a new version. */
export const open = <T extends TProperties>(properties: T) => Type.Object(properties);
