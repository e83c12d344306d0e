import type { Cidr } from '@vantage/shared/target-policy/address-ranges.js';
import { blocksOf, contains, parseRange } from './address-blocks.js';
import { organizationOf, roleEmail } from './personal-data.js';
import { bareRegistration, type Registration } from './registration.js';
import { cleanText, countryCode } from './registry-text.js';
import { dateReader } from './whois-date.js';
import { fieldsOf, firstOf, linesOf, paragraphsOf, valuesOf, type WhoisField } from './whois-lines.js';

/** Registries of addresses write the year first. */
const readDate = dateReader('');

/** Number of a person in Brazil, who may hold addresses there. */
const PERSON_NUMBER = /^\d{3}\.\d{3}\.\d{3}-\d{2}$/;

/**
 * Reads an answer of the registry of an address; null where it has no network of it. Of several networks the smallest
 * one that contains the address counts.
 */
export function readWhoisNetwork(text: string, address: string): Registration | null {
  const paragraphs = paragraphsOf(text).map(fieldsOf);
  const networks = paragraphs.flatMap((fields, at) => {
    const range = rangeIn(fields);
    return range !== null && contains(range, address) ? [{ range, fields, after: paragraphs.slice(at + 1) }] : [];
  });
  const [smallest] = networks.toSorted((a, b) => (sizeOf(a.range) < sizeOf(b.range) ? -1 : 1));
  return smallest === undefined ? null : networkOf(smallest, abuseEmailIn(text, paragraphs));
}

interface Found {
  readonly range: Cidr;
  readonly fields: readonly WhoisField[];
  /** Paragraphs below, of which the next organisation is that of the network. */
  readonly after: readonly (readonly WhoisField[])[];
}

function networkOf({ range, fields, after }: Found, abuseEmail: string | null): Registration {
  const next = after.findIndex((paragraph) => rangeIn(paragraph) !== null);
  const below = (next < 0 ? after : after.slice(0, next)).find(
    (paragraph) => valuesOf(paragraph, 'orgname', 'org-name').length > 0,
  );
  const first = (...labels: string[]) => cleanText(valuesOf(fields, ...labels)[0]);
  return {
    ...bareRegistration(true),
    registered_at: firstOf(valuesOf(fields, 'regdate', 'created'), readDate),
    updated_at: firstOf(valuesOf(fields, 'updated', 'last-modified', 'changed'), readDate),
    network: {
      handle: first('nethandle', 'inetnum', 'inet6num', 'netrange'),
      name: first('netname'),
      cidrs: blocksOf(range),
      country: countryCode(first('country')) ?? countryCode(valuesOf(below ?? [], 'country')[0]),
      organization: holderIn(fields, below ?? []),
      abuse_email: abuseEmail,
    },
  };
}

/** Not the descriptions of a network: these often have names and streets. */
function holderIn(network: readonly WhoisField[], organization: readonly WhoisField[]): string | null {
  const [ownerId = ''] = valuesOf(network, 'ownerid');
  const owner = PERSON_NUMBER.test(ownerId) ? undefined : valuesOf(network, 'owner')[0];
  const named = valuesOf(organization, 'orgname', 'org-name')[0] ?? owner;
  return organizationOf({ kind: 'org', fullName: null, organization: cleanText(named) });
}

function abuseEmailIn(text: string, paragraphs: readonly (readonly WhoisField[])[]): string | null {
  const noted = firstOf(
    linesOf(text),
    (line) => /^% Abuse contact for .{1,100} is '([^']{1,200})'/.exec(line)?.[1] ?? null,
  );
  const values = valuesOf(paragraphs.flat(), 'orgabuseemail', 'abuse-mailbox');
  return roleEmail({ kind: null, fullName: null, organization: null }, noted ?? values[0] ?? null);
}

function rangeIn(fields: readonly WhoisField[]): Cidr | null {
  return firstOf(valuesOf(fields, 'netrange', 'inetnum', 'inet6num'), parseRange);
}

function sizeOf({ first, last }: Cidr): bigint {
  return last - first;
}
