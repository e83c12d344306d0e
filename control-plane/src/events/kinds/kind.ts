import type { idPrefixes } from '@vantage/shared/ids.js';
import { type Static, type TProperties, type TSchema, Type } from 'typebox';

/** Facts of the installation that webhooks show. */
export interface PayloadContext {
  /** Address of the API, without a final slash. */
  readonly publicUrl: string;
}

/** Form in which the owner of an event sees it. `P`: payload of the event; `D`: what is seen. */
export interface ShownForm<P extends TSchema = TSchema, D extends TSchema = TSchema> {
  /** One sentence: when it happens. */
  readonly summary: string;
  /** Schema of `data` in the full form. */
  readonly full: D;
  /** Example of an event's payload; `dataOf` makes `example` from it. */
  readonly eventExample: Static<P>;
  /** Example of `data` in the full form. */
  readonly example: Static<D>;
  /** Creates the full form. */
  dataOf(payload: Static<P>, context: PayloadContext): Static<D>;
}

/** Webhook that endpoints get of an event. */
export interface WebhookForm<P extends TSchema = TSchema, D extends TSchema = TSchema> extends ShownForm<P, D> {
  /** Schema of `data` in the thin form: ids alone. */
  readonly thin: TSchema;
  /** Creates the thin form from the full one. */
  thinOf(data: Static<D>): Readonly<Record<string, unknown>>;
}

/** A kind of event. */
export interface KindDefinition<P extends TSchema = TSchema, D extends TSchema = TSchema> {
  /** Type of the subject; the event belongs to the owner of the subject. */
  readonly subject: keyof typeof idPrefixes;
  readonly payload: P;
  readonly shown: ShownForm<P, D>;
  readonly webhook: WebhookForm<P, D>;
}

/** A kind of event that streams show, and no webhook sends. */
export interface QuietKind<P extends TSchema = TSchema, D extends TSchema = TSchema>
  extends Omit<KindDefinition<P, D>, 'webhook'> {
  readonly webhook: null;
}

/** Types a kind by its schemas. */
export function defineKind<P extends TSchema, D extends TSchema>(
  subject: KindDefinition['subject'],
  payload: P,
  webhook: WebhookForm<P, D>,
): KindDefinition<P, D> {
  return { subject, payload, shown: webhook, webhook };
}

/** Types a quiet kind by its schemas. */
export function defineQuietKind<P extends TSchema, D extends TSchema>(
  subject: KindDefinition['subject'],
  payload: P,
  shown: ShownForm<P, D>,
): QuietKind<P, D> {
  return { subject, payload, shown, webhook: null };
}

/** An object with these members and no others. */
export const record = <T extends TProperties>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });

/** An object with these members; further ones may be added later without a new version. */
export const open = <T extends TProperties>(properties: T) => Type.Object(properties);

/** ISO 8601, UTC. */
export const instant = Type.String({ format: 'date-time' });
