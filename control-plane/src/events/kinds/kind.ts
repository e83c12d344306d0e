import type { idPrefixes } from '@vantage/shared/ids.js';
import { type TProperties, type TSchema, Type } from 'typebox';

/** A kind of event. */
export interface KindDefinition<P extends TSchema = TSchema> {
  /** Type of the subject; the event belongs to the owner of the subject. */
  readonly subject: keyof typeof idPrefixes;
  readonly payload: P;
}

export function defineKind<P extends TSchema>(subject: KindDefinition['subject'], payload: P): KindDefinition<P> {
  return { subject, payload };
}

/** An object with these members and no others. */
export const record = <T extends TProperties>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });

/** ISO 8601, UTC. */
export const instant = Type.String({ format: 'date-time' });
