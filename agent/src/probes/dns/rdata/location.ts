import { MalformedMessage, type WireReader } from '../../../net/dns/wire-reader.js';

/** Origin of latitude and longitude: the equator and the prime meridian. */
const ORIGIN = 0x80000000;
/** Altitude counts from 100 km below the ellipsoid, in centimetres. */
const ALTITUDE_ORIGIN = 10_000_000;

/** A place on earth (RFC 1876). */
export function location(data: WireReader): string {
  if (data.u8() !== 0) throw new MalformedMessage('an undefined version of LOC');
  const [size, horizontal, vertical] = [precision(data.u8()), precision(data.u8()), precision(data.u8())];
  const latitude = degrees(data.u32(), ['N', 'S']);
  const longitude = degrees(data.u32(), ['E', 'W']);
  const altitude = data.u32() - ALTITUDE_ORIGIN;
  const metres = `${altitude < 0 ? '-' : ''}${(Math.abs(altitude) / 100).toFixed(2)}m`;
  return [latitude, longitude, metres, size, horizontal, vertical].join(' ');
}

/** Thousandths of a second of arc. */
function degrees(value: number, [positive, negative]: readonly [string, string]): string {
  const arc = Math.abs(value - ORIGIN);
  const seconds = `${Math.floor(arc / 1000) % 60}.${String(arc % 1000).padStart(3, '0')}`;
  const minutes = Math.floor(arc / 60_000) % 60;
  return `${Math.floor(arc / 3_600_000)} ${minutes} ${seconds} ${value >= ORIGIN ? positive : negative}`;
}

/** A digit and a power of ten, of centimetres. */
function precision(byte: number): string {
  const [base, exponent] = [byte >> 4, byte & 15];
  if (base > 9 || exponent > 9) throw new MalformedMessage('a precision of LOC out of range');
  return exponent > 1 ? `${base * 10 ** (exponent - 2)}m` : `${((base * 10 ** exponent) / 100).toFixed(2)}m`;
}
