import { type Static, Type } from 'typebox';
import { monitorTypeNames } from './index.js';

/** Target, settings, interval and thresholds of a monitor on a node: the JSON of an assignment on the wire. */
export const AssignmentSpecSchema = Type.Object(
  {
    type: Type.Enum([...monitorTypeNames], { type: 'string' }),
    target: Type.String({ minLength: 1, maxLength: 2048 }),
    /** Settings of the type, with defaults filled in and with secrets. */
    config: Type.Object({}, { additionalProperties: true }),
    interval_s: Type.Integer({ minimum: 1, maximum: 86_400 }),
    consecutive_fail: Type.Integer({ minimum: 1, maximum: 100 }),
    consecutive_ok: Type.Integer({ minimum: 1, maximum: 100 }),
  },
  // fields that a newer control plane adds are ignored
  { additionalProperties: true },
);
export type AssignmentSpec = Static<typeof AssignmentSpecSchema>;
