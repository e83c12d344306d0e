import { idPrefixes, isId } from '@vantage/shared/ids.js';
import {
  isMeasurementType,
  type MeasurementType,
  measurementOf,
  measurements,
} from '@vantage/shared/probe-types/index.js';
import { agentResultSchema } from '@vantage/shared/probe-types/node-result.js';
import type { ResultMessage } from '@vantage/shared/protocol/codec.js';
import { parseDelivered } from '@vantage/shared/protocol/delivered-json.js';
import { compileTest } from '@vantage/shared/validation.js';
import type { TaskResultRow } from './batch.js';

/** Reason why a row is not stored; its number is skipped. */
export type RejectCode = 'unknown_task' | 'unknown_type' | 'unknown_kind' | 'wrong_lane' | 'malformed' | 'out_of_range';

type Parsed = { readonly row: Omit<TaskResultRow, 'sequence'> } | { readonly reject: RejectCode };

interface CommonFields {
  readonly [field: string]: unknown;
  started_at: string;
  success: boolean;
  error: { code: string } | null;
}

/** Adds to a checked result the data that only the control plane knows. */
export type Annotate = (probeType: MeasurementType, result: object) => void;

const isOfType = new Map<MeasurementType, (value: unknown) => boolean>(
  (Object.keys(measurements) as MeasurementType[]).map((type) => [type, compileTest(agentResultSchema(type))]),
);

/** Greatest distance of a measurement's time ahead of this clock. */
const MAX_AHEAD_MS = 120_000;

/**
 * Validates one delivered result of a one-shot probe completely, before it is sent to PostgreSQL: a possible id, the
 * schema and limits of its type, text that can be stored, a time that is not in the future. `started_at` is converted to the
 * control plane's clock by the agent's best estimate; `annotate` adds to the result.
 */
export function parseResult(message: ResultMessage, nowMs: number, annotate: Annotate = () => {}): Parsed {
  const taskId = message.taskId ?? '';
  const probeType = message.probeType ?? '';
  if (!isId(idPrefixes.probeTask, taskId)) return { reject: 'unknown_task' };
  if (!isMeasurementType(probeType)) return { reject: 'unknown_type' };
  const { maxResultBytes, exceedsLimits } = measurementOf(probeType);
  const bytes = message.resultJson ?? new Uint8Array();
  const value = bytes.length > maxResultBytes ? undefined : parseDelivered(bytes);
  if (value === undefined || !isOfType.get(probeType)?.(value)) return { reject: 'malformed' };
  if (exceedsLimits?.(value)) return { reject: 'malformed' };
  const result = value as CommonFields;
  const startedAt = correctedInstant(result.started_at, message, nowMs + MAX_AHEAD_MS);
  if (startedAt === null) return { reject: 'out_of_range' };
  result.started_at = startedAt;
  annotate(probeType, result);
  const outcome = result.error?.code ?? 'success';
  const resultJson = JSON.stringify(result);
  return { row: { writer: null, taskId, probeType, result, resultJson, isSuccess: result.success, outcome } };
}

/**
 * Agent's wall clock plus its offset; null if that is not an instant, or is in the future. A negative uncertainty means
 * that no exchange took place yet.
 */
function correctedInstant(startedAt: string, message: ResultMessage, latestMs: number): string | null {
  const offsetMs = (message.uncertaintyMs ?? -1) < 0 ? 0 : (message.clockOffsetMs ?? 0);
  const instantMs = Date.parse(startedAt) + offsetMs;
  if (!(instantMs >= 0 && instantMs <= latestMs)) return null;
  return new Date(instantMs).toISOString();
}
