import { type Static, Type } from 'typebox';
import { monitorTypeNames } from './index.js';

/** What a node is to check, how often, and when that is news: the JSON of an assignment on the wire. */
export const AssignmentSpecSchema = Type.Object(
  {
    type: Type.Enum([...monitorTypeNames], { type: 'string' }),
    target: Type.String({ minLength: 1, maxLength: 2048 }),
    /** Of the type, defaults filled in; with its secrets. */
    config: Type.Object({}, { additionalProperties: true }),
    interval_s: Type.Integer({ minimum: 1, maximum: 86_400 }),
    consecutive_fail: Type.Integer({ minimum: 1, maximum: 100 }),
    consecutive_ok: Type.Integer({ minimum: 1, maximum: 100 }),
  },
  // what a newer control plane adds is passed over
  { additionalProperties: true },
);
export type AssignmentSpec = Static<typeof AssignmentSpecSchema>;
