import { type TSchema, Type } from 'typebox';
import { type MeasurementType, measurements, type ProbeResults } from './index.js';

/** Fields that the agent adds to every engine's result. */
export const runFields = {
  started_at: Type.String({
    format: 'date-time',
    description: 'Start on the node, by its clock as corrected by the control plane.',
  }),
  duration_ms: Type.Number({ minimum: 0, description: 'Start to end on the node’s monotonic clock.' }),
  disturbed: Type.Boolean({
    description: 'True if the measuring process was late during the probe; timings may be too high.',
  }),
  loop_lag_ms: Type.Number({ minimum: 0, description: 'Greatest delay of the event loop during the probe.' }),
};

/** An engine's answer with the time and the state of the measuring process around it. */
export type AgentResult<T extends MeasurementType = MeasurementType> = ProbeResults[T] & {
  started_at: string;
  duration_ms: number;
  disturbed: boolean;
  loop_lag_ms: number;
};

/** Schema of `AgentResult` for a type: what travels over the link and what `vantage-agent probe --json` prints. */
export function agentResultSchema(type: MeasurementType): TSchema {
  return Type.Object({ ...measurements[type].Result.properties, ...runFields }, { additionalProperties: false });
}
