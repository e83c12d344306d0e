import { placeComplaints } from '@vantage/shared/complaints.js';
import { isCountry, isProvince, parseRegion, provinceCountry, regionOf } from '@vantage/shared/places/places.js';
import type { Static } from 'typebox';
import { type ApiError, fieldError } from '../../http/errors.js';
import type { EnrollRequestSchema } from './schema.js';

/** ISO 3166 codes of a country and a province, in upper case. */
export interface Place {
  readonly country: string | null;
  readonly province: string | null;
}

/** Country, province and region of a declaration, validated. */
export interface ParsedPlace extends Place {
  /** UN M49 subregion. */
  readonly region: string | null;
}

/**
 * Parses a country and a province, and checks that they exist and that the province is in the country. A province alone
 * determines its country. @throws ApiError VALIDATION_FAILED for one of `fields`
 */
export function parsePlace(
  { country, province }: { readonly country: string | undefined; readonly province: string | undefined },
  fields: { readonly country: string; readonly province: string },
): Place {
  const countryCode = country?.toUpperCase() ?? null;
  const provinceCode = province?.toUpperCase() ?? null;
  if (countryCode !== null && !isCountry(countryCode))
    throw wrong(fields.country, `${placeComplaints.country}, for example "DE"`);
  if (provinceCode === null) return { country: countryCode, province: null };
  if (!isProvince(provinceCode)) throw wrong(fields.province, `${placeComplaints.province}, for example "DE-BY"`);
  const owner = provinceCountry(provinceCode);
  if (countryCode !== null && owner !== countryCode) throw wrong(fields.province, `is not in ${countryCode}`);
  return { country: owner, province: provinceCode };
}

/** As `parsePlace`, with a region that exists and contains the country. @throws ApiError VALIDATION_FAILED */
export function parseDeclaredPlace({
  country,
  province,
  region,
}: NonNullable<Static<typeof EnrollRequestSchema>['declared']>): ParsedPlace {
  const place = parsePlace({ country, province }, { country: 'declared.country', province: 'declared.province' });
  if (region === undefined) return { ...place, region: null };
  const known = parseRegion(region);
  if (known === null) throw wrong('declared.region', 'must be a UN M49 subregion, for example "Western Europe"');
  const own = place.country === null ? null : regionOf(place.country);
  if (own !== null && own !== known) throw wrong('declared.region', `is not the region of ${place.country}`);
  return { ...place, region: known };
}

function wrong(field: string, message: string): ApiError {
  return fieldError(field, 'format', message);
}
