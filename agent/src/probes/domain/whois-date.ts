import { isCalendarDate } from './registry-text.js';

/** Reads a date as a registry writes it; ISO 8601, or null for what is no date, or one whose order is not known. */
export type DateReader = (written: string) => string | null;

/** Parts of a date by the names of their groups. */
type Parts = Readonly<Record<string, string | undefined>>;

/** Shapes of dates, one line each. Groups that a shape does not have are read from the time behind it. */
const shapes: readonly RegExp[] = [
  // 2028-03-31, 2028/3/31, 2028. 12. 31., 2028年12月31日
  /^(?<year>\d{4})\s?[-/.年년]\s?(?<month>\d{1,2})\s?[-/.月월]\s?(?<day>\d{1,2})(?!\d)[日일.]?/u,
  // 2028-Aug-22
  /^(?<year>\d{4})[-/. ](?<name>\p{L}{3,10})[-/. ](?<day>\d{1,2})(?!\d)/u,
  // 14-Feb-2028, 7 Oct 2028, 1st of March 2028
  /^(?<day>\d{1,2})(?:st|nd|rd|th|\.)?[-/, ]{1,2}(?:of |de )?(?<name>\p{L}{3,10})\.?[-/, ]{1,2}(?:de )?(?<year>\d{4})(?!\d)/u,
  // 14-FEB-28
  /^(?<day>\d{1,2})-(?<name>\p{L}{3})-(?<short>\d\d)(?!\d)/u,
  // July 6 2028, Jul 6th, 2028
  /^(?<name>\p{L}{3,10})\.?[- ](?<day>\d{1,2})(?:st|nd|rd|th)?[-, ]{1,2}(?<year>\d{4})(?!\d)/u,
  // Mar 27 23:59:00 UTC 2028, as C's asctime and date(1) write it
  /^(?<name>\p{L}{3}) (?<day>\d{1,2}) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?: (?<zone>[A-Z]{1,5}|[+-]\d{4}))? (?<year>\d{4})(?!\d)/u,
  // 31-03-2028, 31.3.2028, 31/03/2028, 03/31/2028
  /^(?<one>\d{1,2})(?<mark>[-/.])(?<other>\d{1,2})[-/.](?<year>\d{4})(?!\d)/,
  // 20281231, 20281231235959, 20281231T235959Z
  /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)(?:T?(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d))?(?!\d)/,
];
const timeBehind =
  /^[T, ]{0,3}(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.\d{1,9})?)? ?(?<half>[ap]\.?m\b)? ?\(?(?:UTC|GMT)? ?(?<zone>[+-]\d{1,2}(?::?\d\d)?|[a-z]{1,5}\b)?/i;
const weekday = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}[,. ]+/i;

/** First letters of the names of months: English, German, French, Spanish, Portuguese, Italian, Dutch, Scandinavian, Malay, Turkish, Russian. */
const monthNames: readonly RegExp[] = [
  /^(?:jan|ene|gen|oca|янв)/,
  /^(?:feb|fev|fév|şub|фев)/,
  /^(?:mar|mär|maa|mrt|mac|мар)/,
  /^(?:apr|abr|avr|nis|апр)/,
  /^(?:may|mai|maj|mei|mag|май|мая)/,
  /^(?:jun|juin|giu|haz|июн)/,
  /^(?:jul|juil|lug|tem|июл)/,
  /^(?:aug|ago|aoû|agu|ogo|ağu|авг)/,
  /^(?:sep|set|eyl|сен)/,
  /^(?:oct|okt|out|ott|eki|окт)/,
  /^(?:nov|kas|ноя)/,
  /^(?:dec|dez|dic|déc|des|dis|ara|дек)/,
];

/** Minutes that zones are ahead of UTC. Abbreviations with several meanings (CST, IST) are not among them. */
const zoneMinutes: Readonly<Record<string, number>> = {
  ART: -180,
  BRT: -180,
  BST: 60,
  CEST: 120,
  CET: 60,
  CLST: -180,
  CLT: -240,
  EDT: -240,
  EEST: 180,
  EET: 120,
  EST: -300,
  HKT: 480,
  ICT: 420,
  JST: 540,
  KST: 540,
  MSK: 180,
  NZDT: 780,
  NZST: 720,
  PDT: -420,
  PST: -480,
  SGT: 480,
  TRT: 180,
  WEST: 60,
};

/**
 * Countries that write the month first, or both ways (CLDR), and domains that are run from elsewhere. All others write the day
 * first.
 */
const monthFirstCountries: ReadonlySet<string> = new Set(
  'ag as bz ca cc cf fm ga gq gu io ky la me mh ml mp nu ph pr pw sc tk to tv um us vc vi ws'.split(' '),
);
/** Countries of the solar Hijri calendar, whose registries may write 1407 for 2028. */
const solarHijriCountries: ReadonlySet<string> = new Set(['af', 'ir']);
/** Years of two digits below this one are of the century that began in 2000: no name was registered before 1985. */
const FIRST_YEARS = 85;
const BUDDHIST_YEARS = 543;
const DAY_MS = 86_400_000;

/**
 * Reader of the dates of a registry, by the top-level domain and the lines of its response. A time without a zone is UTC,
 * whatever the zone of the node. Which of two numbers is the day follows from another date of the response where a number
 * is above 12, else from the country; elsewhere such a date is not read.
 */
export function dateReader(topLevel: string, lines: readonly string[] = []): DateReader {
  const isDayFirst = dayOrder(topLevel, lines);
  return (written) => {
    const text = written.replace(/\s+/g, ' ').trim().replace(weekday, '');
    for (const shape of shapes) {
      const found = shape.exec(text);
      if (found === null) continue;
      const behind = timeBehind.exec(text.slice(found[0].length))?.groups ?? {};
      const date = momentOf({ ...behind, ...definedIn(found.groups ?? {}) }, topLevel, isDayFirst);
      if (date !== null) return date;
    }
    return null;
  };
}

function definedIn(parts: Parts): Parts {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
}

/** True if the day is first. Null if not known. */
function dayOrder(topLevel: string, lines: readonly string[]): boolean | null {
  const pairs = lines.flatMap((line) =>
    [...line.matchAll(/(?<!\d)(\d{1,2})([-/])(\d{1,2})\2\d{4}(?!\d)/g)].map(([, one, , other]) =>
      [one, other].map(Number),
    ),
  );
  const isDaySeen = pairs.some(([one = 0, other = 0]) => one > 12 && other <= 12);
  const isMonthSeen = pairs.some(([one = 0, other = 0]) => one <= 12 && other > 12);
  if (isDaySeen !== isMonthSeen) return isDaySeen;
  return isDaySeen || topLevel.length !== 2 || monthFirstCountries.has(topLevel) ? null : true;
}

function momentOf(parts: Parts, topLevel: string, isDayFirst: boolean | null): string | null {
  const day = dayOf(parts, isDayFirst);
  if (day === null) return null;
  const { hour = '0', minute = '0', second = '0', half = '', zone = '' } = parts;
  const hours = half === '' ? Number(hour) : (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0);
  const dayMs = gregorianMs(topLevel, day);
  if (dayMs === null || hours > 24 || Number(minute) > 59 || Number(second) > 60) return null;
  const atMs = dayMs + ((hours * 60 + Number(minute) - offsetOf(zone)) * 60 + Number(second)) * 1000;
  return isCalendarDate(atMs) ? new Date(atMs).toISOString() : null;
}

type Day = readonly [year: number, month: number, day: number];

function dayOf(
  { year: written, short, month, day, name, one, other, mark }: Parts,
  isDayFirst: boolean | null,
): Day | null {
  const year = written ?? (Number(short) < FIRST_YEARS ? `20${short}` : `19${short}`);
  if (one === undefined) {
    const number = name === undefined ? Number(month) : monthOf(name);
    return [Number(year), number, Number(day)];
  }
  const [first, last] = [Number(one), Number(other)];
  if (last > 12) return [Number(year), first, last];
  // no country writes the month first and dots
  if (first > 12 || first === last || mark === '.' || isDayFirst === true) return [Number(year), last, first];
  return isDayFirst === null ? null : [Number(year), first, last];
}

function monthOf(name: string): number {
  return monthNames.findIndex((start) => start.test(name.toLowerCase())) + 1;
}

/** Start of a day in UTC; null where no such day exists. */
function gregorianMs(topLevel: string, [year, month, day]: Day): number | null {
  if (solarHijriCountries.has(topLevel) && year < 1700) return solarHijriMs([year, month, day]);
  const isBuddhist = topLevel === 'th' && year > 2400;
  const startMs = Date.UTC(isBuddhist ? year - BUDDHIST_YEARS : year, month - 1, day);
  return month >= 1 && month <= 12 && new Date(startMs).getUTCDate() === day ? startMs : null;
}

const solarHijri = new Intl.DateTimeFormat('en-u-ca-persian-nu-latn', {
  timeZone: 'UTC',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
});

/** Six months of 31 days, then months of 30; the year begins between 19 and 22 March. */
function solarHijriMs([year, month, day]: Day): number | null {
  const days = (month - 1) * 30 + Math.min(month - 1, 6) + day - 1;
  const earliestMs = Date.UTC(year + 621, 2, 19) + days * DAY_MS;
  const candidates = [0, 1, 2, 3].map((later) => earliestMs + later * DAY_MS);
  return candidates.find((atMs) => isSolarHijri(atMs, [year, month, day])) ?? null;
}

function isSolarHijri(atMs: number, [year, month, day]: Day): boolean {
  const parts = new Map(solarHijri.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]));
  return parts.get('year') === year && parts.get('month') === month && parts.get('day') === day;
}

/** An unknown zone counts as UTC. */
function offsetOf(zone: string): number {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d{1,2}):?(\d\d)?$/.exec(zone) ?? [];
  if (sign === undefined) return zoneMinutes[zone.toUpperCase()] ?? 0;
  return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
}
