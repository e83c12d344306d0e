import { regionOf } from '@vantage/shared/places/places.js';
import type { DerivedPlace } from '../../geo/index.js';

/** Whose word it is where a node stands. */
export const locationSources = ['declared', 'derived', 'confirmed'] as const;
export type LocationSource = (typeof locationSources)[number];

/** Where its operator says that a node stands. */
export interface DeclaredPlace {
  readonly country: string | null;
  readonly province: string | null;
  /** UN M49 subregion. */
  readonly region: string | null;
  readonly city: string | null;
  readonly asn: number | null;
  readonly provider: string | null;
}

/** Where a node stands, as everybody sees it and selection takes it. */
export interface NodePlace extends DeclaredPlace {
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly isp: string | null;
}

/** What the address said when an admin confirmed what the node declares. */
export interface ConfirmedAgainst {
  readonly country: string | null;
  readonly asn: number | null;
}

/** All that is known of where a node stands. */
export interface PlaceFacts {
  readonly declared: DeclaredPlace;
  /** Null: its address says nothing, or there is no database. */
  readonly derived: DerivedPlace | null;
  /** Null: nobody confirmed what it declares. */
  readonly confirmedAgainst: ConfirmedAgainst | null;
}

interface JudgedPlace {
  readonly place: NodePlace;
  readonly source: LocationSource;
  /** The address says otherwise, and nobody has confirmed what is declared. */
  readonly isMismatch: boolean;
}

/**
 * Where a node stands: what its address says, what it declares where the address says nothing, or what it declares where
 * an admin has confirmed that. A confirmation ends when the address moves to another country or network.
 */
export function judgePlace({ declared, derived, confirmedAgainst }: PlaceFacts): JudgedPlace {
  const isConfirmed = confirmedAgainst !== null && derived !== null && isSameWhere(confirmedAgainst, derived);
  if (isConfirmed) return { place: confirmedPlace(declared, derived), source: 'confirmed', isMismatch: false };
  return {
    place: derived === null ? undetermined(declared) : derivedPlace(declared, derived),
    source: derived?.country === undefined ? 'declared' : 'derived',
    isMismatch: differingFields(declared, derived).length > 0,
  };
}

/**
 * In what an address contradicts what is declared. Not in the city: databases place one some tens of kilometres off, and
 * spell it in their own way; nor in the provider, whose names are many.
 */
export function differingFields(
  declared: DeclaredPlace,
  derived: DerivedPlace | null,
): ('country' | 'province' | 'asn')[] {
  return (['country', 'province', 'asn'] as const).filter((field) => {
    const [said, found] = [declared[field], derived?.[field] ?? null];
    return said !== null && found !== null && said !== found;
  });
}

/** What a confirmation holds against. */
export function whereOf(derived: DerivedPlace | null): ConfirmedAgainst {
  return { country: derived?.country ?? null, asn: derived?.asn ?? null };
}

function isSameWhere(confirmed: ConfirmedAgainst, derived: DerivedPlace): boolean {
  const now = whereOf(derived);
  return confirmed.country === now.country && confirmed.asn === now.asn;
}

function undetermined(declared: DeclaredPlace): NodePlace {
  return { ...declared, latitude: null, longitude: null, isp: null };
}

/** What the address leaves open is taken as declared, as long as it can be true beside the rest. */
function derivedPlace(declared: DeclaredPlace, derived: DerivedPlace): NodePlace {
  const country = derived.country ?? declared.country;
  const isSameCountry = country === declared.country;
  const province = derived.province ?? (isSameCountry ? declared.province : null);
  const isSameProvince = isSameCountry && (declared.province === null || province === declared.province);
  return {
    country,
    province,
    region: country === null ? declared.region : regionOf(country),
    city: derived.city ?? (isSameProvince ? declared.city : null),
    latitude: derived.latitude ?? null,
    longitude: derived.longitude ?? null,
    asn: derived.asn ?? declared.asn,
    isp: derived.isp ?? null,
    provider: providerOf(declared, derived),
  };
}

function confirmedPlace(declared: DeclaredPlace, derived: DerivedPlace): NodePlace {
  const country = declared.country ?? derived.country ?? null;
  const isThere = country === (derived.country ?? null);
  const province = declared.province ?? (isThere ? (derived.province ?? null) : null);
  const asn = declared.asn ?? derived.asn ?? null;
  return {
    country,
    province,
    region: country === null ? declared.region : regionOf(country),
    city: declared.city ?? (isThere && province === (derived.province ?? null) ? (derived.city ?? null) : null),
    latitude: isThere ? (derived.latitude ?? null) : null,
    longitude: isThere ? (derived.longitude ?? null) : null,
    asn,
    isp: asn === (derived.asn ?? null) ? (derived.isp ?? null) : null,
    provider: declared.provider ?? derived.provider ?? null,
  };
}

/** A declared name with which the derived one begins is its short form: `Hetzner` of `Hetzner Online GmbH`. */
function providerOf({ provider: said }: DeclaredPlace, { provider: found = null }: DerivedPlace): string | null {
  if (found === null || said === null) return found ?? said;
  return `${found.toLowerCase()} `.startsWith(`${said.toLowerCase()} `) ? said : found;
}
