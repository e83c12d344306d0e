import { createHash } from 'node:crypto';
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

/** Which assignment a node has of a monitor. */
export interface AssignmentKey {
  readonly monitorId: string;
  readonly generation: number;
}

/** SHA-256 of what a node is to watch, in whatever order; empty when it is nothing. Both sides compare it on connect. */
export function assignmentsDigest(assignments: Iterable<AssignmentKey>): Buffer {
  const lines = [...assignments].map(({ monitorId, generation }) => `${monitorId} ${generation}\n`).sort();
  if (lines.length === 0) return Buffer.alloc(0);
  return createHash('sha256').update(lines.join('')).digest();
}
