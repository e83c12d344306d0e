import { bareRegistration, type Registration } from './registration.js';
import { dateReader } from './whois-date.js';
import { domainFields } from './whois-domain.js';
import { fieldsOf, linesOf, valuesOf, type WhoisField } from './whois-lines.js';
import { whoisRefusal } from './whois-referral.js';

// WHOIS has no format (RFC 3912): each registry has its own. Sentences of registries as of 2026.

/** Lines in which registries report that a name is not registered. */
const unregisteredLines =
  /^\W*(?:no match(?:ing record)?\b|not found\b|no data found\b|no entries found\b|no object found\b|nothing found\b|domain not found\b|the queried object does not exist\b|status:\s*(?:free|available)\b|no such domain\b|.{0,80}\bis (?:free|available for registration)\b)/im;

/** Other sentences for this. Long texts may have them in a notice, and a client that is refused may be shown one. */
const unregisteredSentences =
  /\b(?:domain|name|object|dominio|domínio)\b.{0,100}\b(?:not (?:been )?registered|does not exist|(?:was )?not found|is available for (?:registration|purchase)|no se encuentra registrado)\b|\bobject[_ ]not[_ ]found\b|^\W*no (?:data was found|information (?:is )?available|such)\b|\bis not registered\b/i;

/** Lines of a text without a record, notices apart, at most. */
const MAX_SENTENCES = 5;
/** Fields that make a text with the name of the domain a record, although none of them is known. */
const MIN_FIELDS = 3;

/** Reads an answer about a domain; null where it says nothing of it. */
export function readWhois(text: string, domain: string): Registration | null {
  const lines = linesOf(text);
  const fields = fieldsOf(lines);
  const registration = domainFields(fields, domain, dateReader(domain.slice(domain.lastIndexOf('.') + 1), lines));
  if (registration.expires_at !== null) return registration;
  if (lines.some((line) => unregisteredLines.test(line))) return bareRegistration(false);
  if (isRecord(lines, fields, registration, domain)) return registration;
  const isShort = lines.filter((line) => !isNotice(line)).length <= MAX_SENTENCES && whoisRefusal(text) === null;
  return isShort && lines.some((line) => unregisteredSentences.test(line)) ? bareRegistration(false) : null;
}

/** True for a text that names the domain outside of notices, and has data in any form. */
function isRecord(
  lines: readonly string[],
  fields: readonly WhoisField[],
  { registered_at: registeredAt, updated_at: updatedAt, registrar, name_servers: nameServers }: Registration,
  domain: string,
): boolean {
  const escaped = domain.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const name = new RegExp(`(?<![\\w.@-])${escaped}(?![\\w-]|\\.\\w)`, 'i');
  if (!lines.some((line) => !isNotice(line) && name.test(line))) return false;
  const isKnown = registeredAt !== null || updatedAt !== null || registrar !== null || nameServers.length > 0;
  return isKnown || fields.length >= MIN_FIELDS || namesDomain(fields, domain);
}

function isNotice(line: string): boolean {
  return /^[%#>]/.test(line);
}

/** True if a field is the name of the domain. */
function namesDomain(fields: readonly WhoisField[], domain: string): boolean {
  const values = valuesOf(fields, 'domain', 'domain name', 'ドメイン名');
  return values.some((value) => value.trim().toLowerCase() === domain);
}
