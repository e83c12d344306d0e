import { type Static, Type } from 'typebox';
import { idPattern, idPrefixes } from '../ids.js';
import { nullable } from '../nullable.js';
import { checkOutcomes } from './node-reducer.js';

// Reports about monitors that nodes deliver in lane check. Times are server time, milliseconds since the epoch.
//
//   kind "check"   one check of one slot, and what the node's reducer made of it
//   kind "missed"  slots that were not run, from one to another   (report-kinds.ts)

/** `undecided`: too few checks in a row have said the same since the node has the assignment. */
const verdicts = ['ok', 'degraded', 'failing', 'undecided'] as const;
/**
 * Reasons why slots were not run: the agent was not running, it was behind, a part of it failed, or its own network
 * was down.
 */
export const missedReasons = ['stopped', 'behind', 'agent_fault', 'uplink_lost'] as const;
export type MissedReason = (typeof missedReasons)[number];

const instant = Type.Number({ minimum: 0, maximum: 8.64e15 });
const Assigned = {
  monitor_id: Type.String({ pattern: idPattern(idPrefixes.monitor) }),
  /** Generation of the assignment that the check was made under. */
  generation: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
};

/** State of a monitor as its node reports it after a check. */
export const NodeStateSchema = Type.Object(
  {
    verdict: Type.Enum([...verdicts], { type: 'string' }),
    /** Slot of the check that made it so. */
    since_ms: instant,
    /** Checks in a row that are as bad as the newest, or as good. */
    streak: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  },
  { additionalProperties: false },
);

/** The body of a newest state: what the node says after its newest check. */
export type NodeStateReport = Static<typeof NodeStateSchema>;

/** Body of a report about one check. */
export const CheckReportSchema = Type.Object(
  {
    ...Assigned,
    /** Time at which the check was due. */
    slot_ms: instant,
    /** Delay between the due time and the start of the check. */
    late_ms: Type.Number({ minimum: 0, maximum: 1e9 }),
    outcome: Type.Enum([...checkOutcomes], { type: 'string' }),
    response_ms: nullable(Type.Number({ minimum: 0, maximum: 1e9 }), 'Null without a response.'),
    status_code: nullable(Type.Integer({ minimum: 0, maximum: 9999 }), 'Of HTTP.'),
    error: nullable(
      Type.Object(
        { code: Type.String({ maxLength: 64 }), message: Type.String({ maxLength: 1000 }) },
        { additionalProperties: false },
      ),
      'Null if, and only if, the outcome is ok.',
    ),
    /** Request that caused the check, for a check outside the grid; absent for all others. */
    request: Type.Optional(Type.String({ maxLength: 64 })),
    state: nullable(
      NodeStateSchema,
      'State after this check; null for a check outside of the grid, which a user requested.',
    ),
    /** Every slot of this node that was due before has a report in front of this one; only what was assigned later has none. */
    through_ms: instant,
  },
  { additionalProperties: false },
);
export type CheckReport = Static<typeof CheckReportSchema>;

/** Slots that were not run. */
export const MissedReportSchema = Type.Object(
  {
    ...Assigned,
    first_slot_ms: instant,
    last_slot_ms: instant,
    count: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    reason: Type.Enum([...missedReasons], { type: 'string' }),
    through_ms: instant,
  },
  { additionalProperties: false },
);
export type MissedReport = Static<typeof MissedReportSchema>;
