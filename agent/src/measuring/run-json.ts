import { isMeasurementType, measurementOf } from '@vantage/shared/probe-types/index.js';
import { MAX_RESULT_BYTES } from '@vantage/shared/protocol/limits.js';
import type { ProbeRequest, ProbeRunner } from './runner.js';

/** Greatest size that the envelope of a result (task id, times) adds to its JSON, in bytes. */
const ENVELOPE_BYTES = 256;

/** Runs a probe; the answer as the JSON text that travels, an `internal` failure where it would be too large to. */
export async function runJson(
  runner: ProbeRunner,
  request: ProbeRequest,
): Promise<{ resultJson: string; loopLagMs: number }> {
  const result = await runner.run(request);
  const resultJson = JSON.stringify(result);
  const bytes = Buffer.byteLength(resultJson);
  if (bytes <= mostBytes(request.type) - ENVELOPE_BYTES) return { resultJson, loopLagMs: result.loop_lag_ms };
  const message = `the result of ${bytes} bytes is too large`;
  return {
    resultJson: JSON.stringify(runner.refuse(request, { code: 'internal', message })),
    loopLagMs: result.loop_lag_ms,
  };
}

/** Bytes of a result of a type at most; of an unknown type, which is refused, the general limit. */
function mostBytes(type: string): number {
  return isMeasurementType(type) ? measurementOf(type).maxResultBytes : MAX_RESULT_BYTES;
}
