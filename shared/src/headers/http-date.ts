const MAX_LENGTH = 100;
/** Characters between the parts of a date (RFC 6265 section 5.1.1); the colons of a time are none. */
const between = /[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+/;
const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

/**
 * Date of a header, as browsers read those of cookies (RFC 6265 section 5.1.1): all three forms of RFC 9110 section 5.6.7, and parts
 * in any order. It is always in UTC, whatever zone it names and whatever the zone of this machine. Milliseconds since the epoch; null
 * if there is no date with a time.
 */
export function readHttpDate(text: string): number | null {
  if (text.length > MAX_LENGTH) return null;
  const [time, others] = taken(text.split(between), /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?!\d)/);
  const [day, rest] = taken(others, /^(\d{1,2})(?!\d)/);
  const [name, last] = taken(rest, /^([a-z]{3})/i, ([letters = '']) => months.includes(letters.toLowerCase()));
  const [year] = taken(last, /^(\d{2,4})(?!\d)/);
  if (time === null || day === null || name === null || year === null) return null;
  const [hour = 0, minute = 0, second = 0] = time.map(Number);
  if (hour > 23 || minute > 59 || second > 59) return null;
  const month = months.indexOf(String(name[0]).toLowerCase());
  const atMs = Date.UTC(fullYear(Number(year[0])), month, Number(day[0]), hour, minute, second);
  // a day that the month does not have
  return new Date(atMs).getUTCMonth() === month && Number(day[0]) > 0 ? atMs : null;
}

type Groups = readonly string[];

/** Groups of the first part that matches, and the other parts; null if none does. */
function taken(
  parts: readonly string[],
  pattern: RegExp,
  isIt: (groups: Groups) => boolean = () => true,
): readonly [Groups | null, readonly string[]] {
  for (const [index, part] of parts.entries()) {
    const groups = pattern.exec(part)?.slice(1);
    if (groups !== undefined && isIt(groups)) return [groups, parts.toSpliced(index, 1)];
  }
  return [null, parts];
}

function fullYear(year: number): number {
  if (year >= 100) return year;
  return year + (year < 70 ? 2000 : 1900);
}
