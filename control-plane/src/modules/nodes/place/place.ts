import { regionOf } from '@vantage/shared/places/places.js';
import type { DerivedPlace } from '../../../geo/index.js';

/** Sources of the place of a node. */
export const locationSources = ['declared', 'derived', 'confirmed'] as const;
export type LocationSource = (typeof locationSources)[number];

/** Place of a node as its operator declares it, by the agent or with the enrollment token. */
export interface DeclaredPlace {
  readonly country: string | null;
  readonly province: string | null;
  /** UN M49 subregion. */
  readonly region: string | null;
  readonly city: string | null;
  readonly asn: number | null;
  readonly provider: string | null;
}

/** Place of a node as it is shown and used for selection. */
export interface NodePlace extends DeclaredPlace {
  readonly latitude: number | null;
  readonly longitude: number | null;
  readonly isp: string | null;
}

/** Facts derived from the address when an admin confirmed the declared place. */
export interface ConfirmedAgainst {
  readonly country: string | null;
  readonly asn: number | null;
}

/** All facts about the place of a node. */
export interface PlaceFacts {
  readonly declared: DeclaredPlace;
  /** Null if its address is in no database. */
  readonly derived: DerivedPlace | null;
  /** Null if no admin has confirmed the declared place. */
  readonly confirmedAgainst: ConfirmedAgainst | null;
}

interface JudgedPlace {
  readonly place: NodePlace;
  readonly source: LocationSource;
  /** True if the address contradicts the declared place, and no admin has confirmed that place. */
  readonly isMismatch: boolean;
}

/**
 * Determines the place of a node: each field is derived from its address or, if the address does not give it, declared. If an
 * admin has confirmed the declared place, the declared fields count. A confirmation ends when the address moves to another
 * country or network.
 */
export function judgePlace({ declared, derived, confirmedAgainst }: PlaceFacts): JudgedPlace {
  const isConfirmed = confirmedAgainst !== null && derived !== null && hasSameBasis(confirmedAgainst, derived);
  if (isConfirmed) return { place: confirmedPlace(declared, derived), source: 'confirmed', isMismatch: false };
  return {
    place: derived === null ? undetermined(declared) : derivedPlace(declared, derived),
    source: derived?.country === undefined ? 'declared' : 'derived',
    isMismatch: differingFields(declared, derived).length > 0,
  };
}

/**
 * Fields in which the derived place contradicts the declared one. Cities are not compared: databases are off by tens of
 * kilometres, and spell cities differently; nor are providers, which have many names.
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

/** Facts that a confirmation is based on: if they change, it ends. */
export function confirmationBasis(derived: DerivedPlace | null): ConfirmedAgainst {
  return { country: derived?.country ?? null, asn: derived?.asn ?? null };
}

function hasSameBasis(confirmed: ConfirmedAgainst, derived: DerivedPlace): boolean {
  const basis = confirmationBasis(derived);
  return confirmed.country === basis.country && confirmed.asn === basis.asn;
}

function undetermined(declared: DeclaredPlace): NodePlace {
  return { ...declared, latitude: null, longitude: null, isp: null };
}

/** Derived place; missing fields are taken from the declared place, as far as they are consistent with the derived ones. */
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

/**
 * Derived name of the provider, or the declared name, if the derived name begins with it as whole words: `Hetzner` for
 * `Hetzner Online GmbH`.
 */
function providerOf({ provider: said }: DeclaredPlace, { provider: found = null }: DerivedPlace): string | null {
  if (found === null || said === null) return found ?? said;
  return `${found.toLowerCase()} `.startsWith(`${said.toLowerCase()} `) ? said : found;
}
