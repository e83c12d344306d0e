import { ApiError } from '../../../http/errors.js';

/** Refusal of a new account where only the operator creates accounts. */
export function registrationClosed(): ApiError {
  const message = 'is closed here; ask the operator for an account';
  return new ApiError('FORBIDDEN', { details: { registration: [{ code: 'refused', message }] } });
}
