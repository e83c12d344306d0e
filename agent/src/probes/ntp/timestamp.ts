// NTP timestamps (RFC 5905 section 6): 32 bits of seconds since 1900 and 32 bits of fraction, as one number of 64 bits.
// The seconds overflow in 2036; only the difference of two timestamps is meaningful, and it is correct if they are less
// than 68 years apart, in whichever eras.

/** Milliseconds from 1900 to 1970. */
const UNIX_EPOCH_MS = 2_208_988_800_000;
const UNITS_PER_MS = 2 ** 32 / 1000;

/** An instant of the wall clock, milliseconds since 1970 with fraction, as a timestamp of its era. */
export function toTimestamp(wallMs: number): bigint {
  const seconds = Math.floor(wallMs / 1000);
  // separately, because 64 bits do not fit into a number
  const fraction = BigInt(Math.round((wallMs - seconds * 1000) * UNITS_PER_MS));
  return BigInt.asUintN(64, (BigInt(seconds + UNIX_EPOCH_MS / 1000) << 32n) + fraction);
}

/** `later - earlier` in milliseconds, by the shorter way round. */
export function differenceMs(later: bigint, earlier: bigint): number {
  return Number(BigInt.asIntN(64, later - earlier)) / UNITS_PER_MS;
}

/** The short format: 16 bits of seconds, 16 of fraction. */
export function shortToMs(value: number): number {
  return (value / 2 ** 16) * 1000;
}
