import { domainToASCII } from 'node:url';
import { parseHost, TargetError } from '@vantage/shared/target-policy/host.js';
import { isMailAddress } from '../../../config/setting-values.js';
import { fieldError } from '../../../http/errors.js';

/**
 * Converts an address to the form that is stored and compared: trimmed, lower case, the domain in A-labels (RFC 5890)
 * without a final dot.
 * @throws ApiError VALIDATION_FAILED
 */
export function parseEmail(text: string): string {
  const email = text.trim().toLowerCase();
  const at = email.lastIndexOf('@');
  // as mail programs write it: two spellings of one domain give one address
  const domain = domainToASCII(email.slice(at + 1)).replace(/\.$/, '');
  const address = `${email.slice(0, at + 1)}${domain}`;
  if (domain !== '' && isMailAddress(email) && isMailAddress(address)) return address;
  throw fieldError('email', 'format', 'must be an e-mail address');
}

/**
 * As `parseEmail`, for an address that mail is sent to: its domain must be a public name. The recipient of mail to an address
 * literal (RFC 5321 section 4.1.3) or to a local name depends on the mail server. @throws ApiError VALIDATION_FAILED
 */
export function parseDeliverableEmail(text: string): string {
  // the normalised form of `@[192.0.2.1]` is not a plain address
  const email = parseEmail(text);
  const domain = email.slice(email.lastIndexOf('@') + 1);
  if (isPublicName(domain)) return email;
  const message =
    'must have a public domain after the @, for example ada@example.com, not an IP address or a local name';
  throw fieldError('email', 'refused', message);
}

/** Domains of one mail service, which ignores dots in local parts. */
const dotlessDomains: ReadonlySet<string> = new Set(['gmail.com', 'googlemail.com']);

/**
 * Name of the mailbox that an address most likely leads to, for limits alone: mail is sent to the address as it is written. Letter
 * case, a tag from the first `+` on, and at Gmail dots make no other mailbox (RFC 5233 has tags; servers without them are few).
 */
export function mailboxKey(address: string): string {
  const at = address.lastIndexOf('@');
  const written = address.slice(at + 1).toLowerCase();
  const domain = domainToASCII(written).replace(/\.$/, '') || written;
  const local = address.slice(0, at).toLowerCase();
  // what begins with the sign has no name before it
  const untagged = local.replace(/(?<=.)\+.*$/s, '');
  return dotlessDomains.has(domain) ? `${untagged.replaceAll('.', '')}@gmail.com` : `${untagged}@${domain}`;
}

function isPublicName(domain: string): boolean {
  try {
    return parseHost(domain).kind === 'name';
  } catch (error) {
    if (error instanceof TargetError) return false;
    throw error;
  }
}
