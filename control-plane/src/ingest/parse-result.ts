import { idPrefixes, isId } from '@vantage/shared/ids.js';
import { isProbeType, type ProbeType, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { agentResultSchema } from '@vantage/shared/probe-types/node-result.js';
import type { ResultMessage } from '@vantage/shared/protocol/codec.js';
import { MAX_RESULT_BYTES } from '@vantage/shared/protocol/limits.js';
import { findUnstorableText } from '@vantage/shared/text.js';
import { compileTest } from '@vantage/shared/validation.js';
import type { StoreRow } from './store.js';

/** Why a row is not stored; its number is passed over. */
export type RejectCode = 'unknown_task' | 'unknown_type' | 'malformed' | 'out_of_range';

type Parsed = { readonly row: Omit<StoreRow, 'sequence'> } | { readonly reject: RejectCode };

interface CommonFields {
  readonly [field: string]: unknown;
  started_at: string;
  success: boolean;
  error: { code: string } | null;
}

const isOfType = new Map<ProbeType, (value: unknown) => boolean>(
  probeTypeNames.map((type) => [type, compileTest(agentResultSchema(type))]),
);

/**
 * Checks one delivered result wholly, before it meets PostgreSQL: an id that can exist, the schema of its type, text
 * that can be stored. `started_at` is moved to the control plane's clock by the agent's best estimate.
 */
export function parseResult(message: ResultMessage): Parsed {
  const taskId = message.taskId ?? '';
  const probeType = message.probeType ?? '';
  if (!isId(idPrefixes.probeTask, taskId)) return { reject: 'unknown_task' };
  if (!isProbeType(probeType)) return { reject: 'unknown_type' };
  const value = parseJson(message.resultJson ?? new Uint8Array());
  if (value === undefined || !isOfType.get(probeType)?.(value) || findUnstorableText(value) !== null) {
    return { reject: 'malformed' };
  }
  const result = value as CommonFields;
  const startedAt = correctedInstant(result.started_at, message);
  if (startedAt === null) return { reject: 'out_of_range' };
  result.started_at = startedAt;
  const outcome = result.error?.code ?? 'success';
  const resultJson = JSON.stringify(result);
  return { row: { taskId, probeType, result, resultJson, isSuccess: result.success, outcome } };
}

function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length > MAX_RESULT_BYTES) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** The agent's wall clock plus its offset; null when that is no instant. A negative uncertainty means no exchange yet. */
function correctedInstant(startedAt: string, message: ResultMessage): string | null {
  const offsetMs = (message.uncertaintyMs ?? -1) < 0 ? 0 : (message.clockOffsetMs ?? 0);
  const instantMs = Date.parse(startedAt) + offsetMs;
  if (!(instantMs >= 0 && instantMs < 8.64e15)) return null;
  return new Date(instantMs).toISOString();
}
