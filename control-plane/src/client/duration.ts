import { InvalidArgumentError } from 'commander';

const FORM = /^(?=.)(?:(\d{1,4})d)?(?:(\d{1,5})h)?(?:(\d{1,6})m(?:in)?)?(?:(\d{1,9})s?)?$/;
const SECONDS = [86_400, 3_600, 60, 1] as const;
const NAMES = ['d', 'h', 'min', 's'] as const;

/** Seconds of a duration as it is written: `90`, `30s`, `5m`, `1h30m`, `2d`. @throws InvalidArgumentError */
export function parseDuration(text: string): number {
  const match = FORM.exec(text);
  if (match === null) throw new InvalidArgumentError('must be a duration such as 30s, 5m, 2h or 1d');
  return SECONDS.reduce((sum, seconds, i) => sum + seconds * Number(match[i + 1] ?? 0), 0);
}

/** A duration for people, in its two greatest units: `2 h 5 min`. Less than zero counts as zero. */
export function durationText(seconds: number): string {
  let rest = Math.max(0, Math.round(seconds));
  const counts = SECONDS.map((size) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count;
  });
  const first = counts.findIndex((count) => count > 0);
  if (first === -1) return '0 s';
  const shown = [first, first + 1].filter((i) => (counts[i] ?? 0) > 0);
  return shown.map((i) => `${counts[i]} ${NAMES[i]}`).join(' ');
}
