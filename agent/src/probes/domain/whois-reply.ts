import { isCalendarDate } from './rdap-reply.js';
import type { Registration } from './registration.js';

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

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Reads an answer; null where it says nothing of the domain. */
export function readWhois(text: string, domain: string): Registration | null {
  const lines = linesOf(text);
  for (const expiry of expiryLines) {
    const expiresAt = firstOf(lines, (line) => parseWhoisDate(expiry.exec(line)?.[1] ?? ''));
    if (expiresAt !== null) return { isRegistered: true, expiresAt };
  }
  if (lines.some((line) => unregisteredLines.test(line))) return { isRegistered: false };
  const name = domain.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const isNamed = new RegExp(`^\\s*(?:domain(?: name)?|\\[domain name\\])\\W{0,20}${name}\\s*$`, 'im').test(
    lines.join('\n'),
  );
  return isNamed ? { isRegistered: true, expiresAt: null } : null;
}

/** The server that the root of WHOIS names for a top-level domain; null where it names none. */
export function referredServer(text: string): string | null {
  return firstOf(
    linesOf(text),
    (line) => /^(?:whois|refer):\s*([a-z0-9.-]{1,253})$/i.exec(line)?.[1]?.toLowerCase() ?? null,
  );
}

const MAX_LINES = 2_000;
const MAX_LINE = 300;

/** Lines that say something, one by one: patterns that go beyond a line take time that grows with its square. */
function linesOf(text: string): string[] {
  const lines = text.split('\n', MAX_LINES).map((line) => line.slice(0, MAX_LINE).trim());
  return lines.filter((line) => line !== '');
}

function firstOf<T>(lines: readonly string[], read: (line: string) => T | null): T | null {
  for (const line of lines) {
    const found = read(line);
    if (found !== null) return found;
  }
  return null;
}

/** A date in any of the forms that registries write, ISO 8601; without a zone it is UTC. Null for what is none. */
export function parseWhoisDate(written: string): string | null {
  const text = written.trim();
  const iso =
    /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]+(\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?/i.exec(
      text,
    );
  if (iso !== null) {
    const [, year, month, day, hour = '0', minute = '0', second = '0', zone = 'Z'] = iso;
    return dateOf([year, month, day, hour, minute, second].map(Number), zoneMinutes(zone));
  }
  const named = /^(\d{1,2})[- ]([A-Za-z]{3})[a-z]*[- ](\d{4})/.exec(text);
  if (named !== null)
    return dateOf([Number(named[3]), months.indexOf((named[2] ?? '').toLowerCase()) + 1, Number(named[1])]);
  const dayFirst = /^(\d{1,2})[./](\d{1,2})[./](\d{4})/.exec(text);
  if (dayFirst !== null) return dateOf([Number(dayFirst[3]), Number(dayFirst[2]), Number(dayFirst[1])]);
  const digits = /^(\d{4})(\d{2})(\d{2})(?!\d)/.exec(text);
  return digits === null ? null : dateOf(digits.slice(1).map(Number));
}

function zoneMinutes(zone: string): number {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  const offset = Number(hours) * 60 + Number(minutes);
  return sign === '-' ? -offset : offset;
}

/** Date of these parts; null where no such day exists. */
function dateOf(parts: readonly number[], offsetMinutes = 0): string | null {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  const atMs = Date.UTC(year, month - 1, day, hour, minute, second);
  const isDay = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day && month >= 1 && month <= 12;
  const moved = atMs - offsetMinutes * 60_000;
  return isDay && isCalendarDate(moved) ? new Date(moved).toISOString() : null;
}
