import { TargetError } from '@vantage/shared/target-policy/host.js';
import { ApiError } from '../../../http/errors.js';

/** Result of reading a query. @throws ApiError VALIDATION_FAILED or PROBE_TARGET_INVALID in place of a TargetError */
export function readQuestion<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    const { kind, field, code, message } = error;
    throw new ApiError(kind === 'refused' ? 'PROBE_TARGET_INVALID' : 'VALIDATION_FAILED', {
      details: { [field]: [{ code, message }] },
    });
  }
}
