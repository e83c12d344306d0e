import type { JsonAnswer } from '../http/fetch-json.js';
import { entitiesOf, entityWithRole, isObject, publicContact, registrarName } from './rdap-card.js';
import { bareRegistration, type Registration } from './registration.js';
import { keptEntries, nameServerName } from './registry-text.js';
import { rdapStatus } from './status.js';
import { dateReader } from './whois-date.js';

type Answer = Pick<JsonAnswer, 'statusCode' | 'contentType' | 'value'>;

const readDate = dateReader('');

/** Entries of a list of a response that are read. */
const MAX_ENTRIES = 100;

/**
 * Reads the answer to a question for a domain (RFC 9083 section 5.3); null where it says nothing of it. 404
 * counts where it is one of RDAP (RFC 7480 section 5.3), and not some page.
 */
export function readRdapDomain(answer: Answer, domain: string): Registration | null {
  if (isNotFound(answer)) return bareRegistration(false);
  const { statusCode, value } = answer;
  if (statusCode !== 200 || !isObject(value) || value['objectClassName'] !== 'domain') return null;
  const name = value['ldhName'];
  if (typeof name !== 'string' || name.toLowerCase().replace(/\.$/, '') !== domain) return null;
  const entities = entitiesOf(value['entities']);
  const { organization, country } = publicContact(entityWithRole(entities, 'registrant'));
  return {
    ...bareRegistration(true),
    ...registrarIn(entityWithRole(entities, 'registrar')),
    ...datesIn(value['events']),
    status: statusIn(value['status']),
    name_servers: keptEntries(listOf(value['nameservers']).map((one) => nameServerName(memberOf(one, 'ldhName')))),
    dnssec_signed: booleanOf(memberOf(value['secureDNS'], 'delegationSigned')),
    registrant_organization: organization,
    registrant_country: country,
  };
}

/** True for an answer of RDAP that there is no such object. */
export function isNotFound({ statusCode, contentType, value }: Answer): boolean {
  return statusCode === 404 && /json/i.test(contentType) && isObject(value);
}

/** Dates of the events of a response (RFC 9083 section 4.5). */
export function datesIn(events: unknown): Pick<Registration, 'registered_at' | 'updated_at' | 'expires_at'> {
  const dateOf = (action: string) => {
    const event = listOf(events).find((one) => memberOf(one, 'eventAction') === action);
    const date = memberOf(event, 'eventDate');
    // not Date.parse: some registries leave the zone out, and it would take that of the node
    return typeof date === 'string' ? readDate(date) : null;
  };
  return {
    registered_at: dateOf('registration'),
    updated_at: dateOf('last changed'),
    expires_at: dateOf('expiration'),
  };
}

/** Status values of a response. */
export function statusIn(value: unknown): string[] {
  return keptEntries(listOf(value).map(rdapStatus));
}

/** Members of a registrar: its abuse contact is an entity below it (RDAP response profile of gTLDs, section 2.4). */
function registrarIn(registrar: Readonly<Record<string, unknown>> | null) {
  if (registrar === null) return {};
  const abuse = publicContact(entityWithRole(entitiesOf(registrar['entities']), 'abuse'));
  const id = listOf(registrar['publicIds']).find((one) => memberOf(one, 'type') === 'IANA Registrar ID');
  const number = String(memberOf(id, 'identifier') ?? '');
  return {
    registrar: registrarName(registrar),
    registrar_iana_id: /^\d{1,8}$/.test(number) ? Number(number) : null,
    registrar_abuse_email: abuse.roleEmail,
    registrar_abuse_phone: abuse.rolePhone,
  };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value.slice(0, MAX_ENTRIES) : [];
}

function memberOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function booleanOf(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}
