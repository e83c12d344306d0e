import { bareRegistration, type Registration } from './registration.js';
import { parseWhoisDate } from './whois-date.js';
import { domainFields } from './whois-domain.js';
import { firstOf, linesOf } from './whois-lines.js';

// WHOIS has no format (RFC 3912): each registry has its own. Lines of registries as of 2026.

/** Labels before the expiry date in registries' replies, best first; those that registrars use come last. */
const expiryLines: readonly RegExp[] = [
  /^\s*Registry Expiry Date:\s*(.+)$/im, // most generic ones (ICANN)
  /^\s*Expiration Time:\s*(.+)$/im, // .cn
  /^\s*paid-till:\s*(.+)$/im, // .ru, .su
  /^\s*(?:Expiry|Expiration|Expire) date:\s*(.+)$/im, // .uk, .fr, .sg, .in
  /^\s*(?:Record expires on|Expires on|Expires|Expire|validity|Valid until|Renewal date|renewal):\s*(.+)$/im, // .se, .cz, .br, .am
  /^\s*Record expires on\s+(\d.+)$/im, // .tw
  /^\s*expires\.+:\s*(.+)$/im, // .fi
  /^\s*\[(?:有効期限|Expires on)\]\s*(.+)$/im, // .jp
  /^\s*domain_datebilleduntil:\s*(.+)$/im, // .nz
  /^\s*Registrar Registration Expiration Date:\s*(.+)$/im,
];

/** Lines in which registries report that a name is not registered. */
const unregisteredLines =
  /^\W*(?:no match(?:ing record)?\b|not found\b|no data found\b|no entries found\b|no object found\b|nothing found\b|domain not found\b|the queried object does not exist\b|status:\s*(?:free|available)\b|no such domain\b|.{0,80}\bis (?:free|available for registration)\b)/im;

/** Reads an answer about a domain; null where it says nothing of it. */
export function readWhois(text: string, domain: string): Registration | null {
  const lines = linesOf(text);
  for (const expiry of expiryLines) {
    const expiresAt = firstOf(lines, (line) => parseWhoisDate(expiry.exec(line)?.[1] ?? ''));
    if (expiresAt !== null) return { ...domainFields(lines, domain), expires_at: expiresAt };
  }
  if (lines.some((line) => unregisteredLines.test(line))) return bareRegistration(false);
  const name = domain.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const isNamed = new RegExp(`^\\s*(?:domain(?: name)?|\\[domain name\\])\\W{0,20}${name}\\s*$`, 'im').test(
    lines.join('\n'),
  );
  return isNamed ? domainFields(lines, domain) : null;
}
