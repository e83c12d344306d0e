import type { ProbeError, ProbeErrorCode } from '@vantage/shared/probe-types/error-codes.js';
import { TargetError } from '@vantage/shared/target-policy/host.js';

/** Thrown inside an engine to end a probe with a closed error code; the engine turns it into a result. */
export class ProbeFailure extends Error {
  override readonly name = 'ProbeFailure';

  constructor(
    readonly code: ProbeErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** The error member of a result; anything unforeseen is `internal`, without its stack. */
export function toProbeError(error: unknown): ProbeError {
  if (error instanceof ProbeFailure) return { code: error.code, message: error.message.slice(0, 500) };
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'internal', message: message.slice(0, 500) };
}

/** Runs a check of the target policy; what it refuses ends the probe with `target_not_allowed`. */
export function refusing<T>(check: () => T): T {
  return refusingAs((cause) => new ProbeFailure('target_not_allowed', cause.message, { cause }), check);
}

/** Runs a check of the target policy; what it refuses ends the probe with the failure that `failureOf` makes of it. */
export function refusingAs<T>(failureOf: (refusal: TargetError) => ProbeFailure, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof TargetError ? failureOf(error) : error;
  }
}
