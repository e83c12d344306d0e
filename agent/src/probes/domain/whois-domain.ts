import { organizationOf, phoneNumber, roleEmail } from './personal-data.js';
import { bareRegistration, type Registration } from './registration.js';
import { cleanText, countryCode, keptEntries, nameServerName } from './registry-text.js';
import { rdapStatusOfEpp } from './status.js';
import { parseWhoisDate } from './whois-date.js';
import { fieldsOf, firstOf, valuesOf, type WhoisField } from './whois-lines.js';

// Labels of registries as of 2026. Names of holders are read nowhere but to recognise that an organisation is none.

const createdLabels = [
  'creation date',
  'registration time', // .cn
  'created',
  'created on',
  'registered on', // .uk
  'registered',
  'registered date', // .kr
  'record created', // .tw
  '登録年月日', // .jp
];
const updatedLabels = [
  'updated date',
  'last-update', // .fr
  'last updated',
  'last updated on',
  'last updated date', // .kr
  'last modified',
  'last-modified',
  'modified',
  'changed', // .de
  '最終更新', // .jp
];
const nameServerLabels = ['name server', 'name servers', 'nserver', 'nameserver', 'nameservers', 'host name'];
/** Top-level domains whose `org` is the name of the holding organisation, and whose persons have `person` instead. */
const orgZones: ReadonlySet<string> = new Set(['ru', 'su', 'xn--p1ai']);

/** Data of a registered domain in the lines of a WHOIS response, all but its expiry. */
export function domainFields(lines: readonly string[], domain: string): Registration {
  const fields = fieldsOf(lines);
  const first = (...labels: string[]) => cleanText(valuesOf(fields, ...labels)[0]);
  const abuseEmail = roleEmail(noContact, first('registrar abuse contact email'));
  const ianaId = first('registrar iana id') ?? '';
  return {
    ...bareRegistration(true),
    registrar: registrarIn(fields),
    registrar_iana_id: /^\d{1,8}$/.test(ianaId) ? Number(ianaId) : null,
    registrar_abuse_email: abuseEmail,
    registrar_abuse_phone: abuseEmail === null ? null : phoneNumber(first('registrar abuse contact phone')),
    registered_at: firstOf(valuesOf(fields, ...createdLabels), parseWhoisDate),
    updated_at: firstOf(valuesOf(fields, ...updatedLabels), parseWhoisDate),
    status: keptEntries(valuesOf(fields, 'domain status', 'status').map(rdapStatusOfEpp)),
    name_servers: keptEntries(
      valuesOf(fields, ...nameServerLabels).map((value) => nameServerName(value.split(/[\s,(]/, 1)[0])),
    ),
    dnssec_signed: isSigned(fields),
    registrant_organization: holderIn(fields, domain.slice(domain.lastIndexOf('.') + 1)),
    registrant_country: countryCode(first('registrant country', 'registrant country/economy')),
  };
}

const noContact = { kind: null, fullName: null, organization: null } as const;

/** Without the tag that .uk writes after the name. */
function registrarIn(fields: readonly WhoisField[]): string | null {
  const [name] = valuesOf(fields, 'registrar', 'sponsoring registrar', 'registrar name', 'authorized agency');
  return cleanText(name?.replace(/\s*\[Tag = .*$/, '').replace(/\(https?:.*$/, ''));
}

function isSigned(fields: readonly WhoisField[]): boolean | null {
  if (valuesOf(fields, 'ds-rdata', 'ds', 'ds record', 'dnskey', 'dsrecord').length > 0) return true;
  return firstOf(valuesOf(fields, 'dnssec'), (value) => {
    if (/^(?:signed|yes|active)/i.test(value)) return true;
    return /^(?:unsigned|no|inactive)/i.test(value) ? false : null;
  });
}

function holderIn(fields: readonly WhoisField[], topLevel: string): string | null {
  const own = orgZones.has(topLevel) ? valuesOf(fields, 'org') : [];
  const [organization = own[0]] = valuesOf(fields, 'registrant organization', 'registrant organisation');
  const fullName = cleanText(valuesOf(fields, 'registrant name', 'registrant')[0]);
  return organizationOf({ kind: null, fullName, organization: cleanText(organization) });
}
