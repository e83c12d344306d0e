import { domainToASCII } from 'node:url';
import { fieldError } from '../../http/errors.js';
import { isMailAddress } from '../../setting-values.js';

/** The address as it is stored and compared: trimmed, lower case, the domain in A-labels (RFC 5890). @throws ApiError VALIDATION_FAILED */
export function parseEmail(text: string): string {
  const email = text.trim().toLowerCase();
  const at = email.lastIndexOf('@');
  // as mail programs write it: two spellings of one domain are one address
  const domain = domainToASCII(email.slice(at + 1));
  const address = `${email.slice(0, at + 1)}${domain}`;
  if (domain !== '' && isMailAddress(email) && isMailAddress(address)) return address;
  throw fieldError('email', 'format', 'must be an e-mail address');
}
