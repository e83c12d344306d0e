import { ApiError } from '../../../http/errors.js';

/** 409 for a policy that conflicts with others, or with the monitors that name it. */
export function policyConflict(field: string, message: string): ApiError {
  return new ApiError('ALERT_RULE_CONFLICT', { details: { [field]: [{ code: 'conflict', message }] } });
}
