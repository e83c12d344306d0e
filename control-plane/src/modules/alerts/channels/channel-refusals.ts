import type { FieldErrors } from '@vantage/shared/validation.js';
import { ApiError } from '../../../http/errors.js';

/** 422 for a channel that cannot be used as it is written. */
export function channelInvalid(
  field: string,
  message: string,
  code: FieldErrors[string][number]['code'] = 'refused',
): ApiError {
  return new ApiError('ALERT_CHANNEL_INVALID', { details: { [field]: [{ code, message }] } });
}
