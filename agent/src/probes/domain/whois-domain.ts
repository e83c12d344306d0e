import { organizationOf, phoneNumber, roleEmail } from './personal-data.js';
import { bareRegistration, type Registration } from './registration.js';
import { cleanText, countryCode, keptEntries, nameServerName } from './registry-text.js';
import { rdapStatusOfEpp } from './status.js';
import type { DateReader } from './whois-date.js';
import { expiryRank, isCreatedLabel, isUpdatedLabel } from './whois-labels.js';
import { firstOf, valuesOf, valuesWhere, type WhoisField } from './whois-lines.js';

// Labels of registries as of 2026. Names of holders are read nowhere but to recognise that an organisation is none.

const nameServerLabels = ['name server', 'name servers', 'nserver', 'nameserver', 'nameservers', 'host name'];
/** Top-level domains whose `org` is the name of the holding organisation, and whose persons have `person` instead. */
const orgZones: ReadonlySet<string> = new Set(['ru', 'su', 'xn--p1ai']);

/** Data of a registered domain in the fields of a WHOIS response. */
export function domainFields(fields: readonly WhoisField[], domain: string, readDate: DateReader): Registration {
  const first = (...labels: string[]) => cleanText(valuesOf(fields, ...labels)[0]);
  const abuseEmail = roleEmail(noContact, first('registrar abuse contact email'));
  const ianaId = first('registrar iana id') ?? '';
  return {
    ...bareRegistration(true),
    registrar: registrarIn(fields),
    registrar_iana_id: /^\d{1,8}$/.test(ianaId) ? Number(ianaId) : null,
    registrar_abuse_email: abuseEmail,
    registrar_abuse_phone: abuseEmail === null ? null : phoneNumber(first('registrar abuse contact phone')),
    registered_at: firstOf(valuesWhere(fields, isCreatedLabel), readDate),
    updated_at: firstOf(valuesWhere(fields, isUpdatedLabel), readDate),
    expires_at: expiryIn(fields, readDate),
    status: keptEntries(valuesOf(fields, 'domain status', 'status').map(rdapStatusOfEpp)),
    name_servers: keptEntries(
      valuesOf(fields, ...nameServerLabels).map((value) => nameServerName(value.split(/[\s,(]/, 1)[0])),
    ),
    dnssec_signed: isSigned(fields),
    registrant_organization: holderIn(fields, domain.slice(domain.lastIndexOf('.') + 1)),
    registrant_country: countryCode(first('registrant country', 'registrant country/economy')),
  };
}

/** The date of the registry is better than that of a registrar, wherever they stand. */
function expiryIn(fields: readonly WhoisField[], readDate: DateReader): string | null {
  const ranked = [0, 1, 2].flatMap((rank) => valuesWhere(fields, (label) => expiryRank(label) === rank));
  // of organisations in Japan, the state has it: `Connected (2028/03/31)`
  const states = valuesOf(fields, 'state', '状態').flatMap(
    (value) => /^(?:connected|active|registered) \(([\d/]{8,10})\)/i.exec(value)?.[1] ?? [],
  );
  return firstOf([...ranked, ...states], readDate);
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
