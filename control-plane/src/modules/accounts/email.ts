import { fieldError } from '../../http/errors.js';

/** The address as it is stored and compared: trimmed, lower case. @throws ApiError VALIDATION_FAILED */
export function parseEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (email.length <= 254 && /^[^\s@\p{C}<>,;:"()[\]\\]+@[^\s@\p{C}<>,;:"()[\]\\]+$/u.test(email)) return email;
  throw fieldError('email', 'format', 'must be an e-mail address');
}
