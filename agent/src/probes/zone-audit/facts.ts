import type { NameServerOutcome, SoaNumbers } from '@vantage/shared/probe-types/zone-audit.js';
import type { NamedServer } from '../../net/dns/root-hints.js';

/** Name server of a zone, and its response to a question for the SOA record. */
export interface AuditedServer {
  readonly name: string;
  readonly address: string | null;
  readonly outcome: NameServerOutcome;
  /** Response code of a lame server, or `not_authoritative`; null for other outcomes. */
  readonly reason: string | null;
  readonly soa: SoaNumbers | null;
}

/** Mail server of a zone. */
export interface MailServer {
  readonly name: string;
  readonly isAlias: boolean;
  /** Null if there was no valid response. */
  readonly hasAddress: boolean | null;
}

/** Identity of a key in a DS or DNSKEY record (RFC 4034). */
export interface KeyId {
  readonly tag: number;
  readonly algorithm: number;
}

/** Response of a resolver to the same question with validation and, if that failed, without it. */
export interface Validation {
  readonly rcode: string;
  readonly isAuthenticated: boolean;
  /** Null if it was not asked, or there was no response. */
  readonly uncheckedRcode: string | null;
}

/** Observations of a zone that its findings rest on; null is what is not known. */
export interface ZoneFacts {
  readonly zone: string;
  /** Delegation by the parent zone: null where its server also serves the zone, and therefore shows none. */
  parent: readonly NamedServer[] | null;
  /** Name servers in the zone itself. */
  child: readonly string[] | null;
  servers: readonly AuditedServer[];
  hasApexAlias: boolean | null;
  mail: readonly MailServer[] | null;
  ds: readonly KeyId[] | null;
  keys: readonly KeyId[] | null;
  validation: Validation | null;
  caaCount: number | null;
  /** SPF records at the apex. */
  spf: readonly string[] | null;
  hasDmarc: boolean | null;
  /** Values that a random name below the zone has. */
  wildcard: readonly string[] | null;
}

/** Facts of a zone of which nothing is known yet. */
export function unknownFacts(zone: string): ZoneFacts {
  return {
    zone,
    parent: null,
    child: null,
    servers: [],
    hasApexAlias: null,
    mail: null,
    ds: null,
    keys: null,
    validation: null,
    caaCount: null,
    spf: null,
    hasDmarc: null,
    wildcard: null,
  };
}
