import { type Field, numberOctets, words } from './fields.js';

/** Origin of latitude and longitude in thousandths of a second of arc: the equator and the prime meridian. */
const ORIGIN = 2 ** 31;
/** Altitude counts from 100 km below the ellipsoid, in centimetres. */
const ALTITUDE_ORIGIN = 10_000_000;
/** Size and precisions that are meant where none are written, in metres (RFC 1876 section 3). */
const DEFAULTS = ['1', '10000', '10'];

/** A place on earth: degrees, minutes and seconds, altitude, size, precisions; all but degrees and altitude may be missing. */
export const location: Field = {
  read: (value) => {
    const parts = words(value);
    const latitude = degreesOf(parts, { positive: 'N', negative: 'S', most: 90 });
    const longitude = degreesOf(parts, { positive: 'E', negative: 'W', most: 180 });
    const [altitude = '', ...given] = parts;
    if (given.length > DEFAULTS.length) throw new RangeError('too many fields');
    const sizes = DEFAULTS.map((usual, i) => precisionOf(centimetres(given[i] ?? usual)));
    const height = numberOctets(centimetres(altitude) + ALTITUDE_ORIGIN, 4);
    return Buffer.concat([Buffer.of(0, ...sizes), latitude, longitude, height]);
  },
  fold: (data) => data.take(16),
};

/** Takes the fields up to the hemisphere out of `parts`. */
function degreesOf(
  parts: string[],
  { positive, negative, most }: { readonly positive: string; readonly negative: string; readonly most: number },
): Buffer {
  const end = parts.findIndex((part) => [positive, negative].includes(part.toUpperCase()));
  const [degrees = Number.NaN, minutes = 0, seconds = 0, ...more] = parts.slice(0, end).map(numberOf);
  const isPositive = parts[end]?.toUpperCase() === positive;
  if (end < 1 || more.length > 0 || degrees > most || minutes >= 60 || seconds >= 60) throw new RangeError('no place');
  parts.splice(0, end + 1);
  const arc = Math.round(((degrees * 60 + minutes) * 60 + seconds) * 1000);
  return numberOctets(isPositive ? ORIGIN + arc : ORIGIN - arc, 4);
}

function centimetres(text: string): number {
  return Math.round(numberOf(text.replace(/m$/i, '')) * 100);
}

function numberOf(text: string): number {
  if (!/^-?\d{1,9}(?:\.\d{1,3})?$/.test(text)) throw new RangeError('not a number');
  return Number(text);
}

/** A digit and a power of ten. */
function precisionOf(value: number): number {
  const exponent = value < 10 ? 0 : Math.min(9, String(value).length - 1);
  return (Math.floor(value / 10 ** exponent) << 4) | exponent;
}
