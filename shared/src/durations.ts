const unitsMs = { d: 86_400_000, h: 3_600_000, m: 60_000, min: 60_000, s: 1_000, ms: 1 } as const;
const PART = /(\d+(?:\.\d+)?) ?(ms|min|[dhms])/gi;
const WHOLE = new RegExp(`^(?:${PART.source})+$`, 'i');

/** Milliseconds of a duration such as `5s`, `500ms`, `1.5h` or `1h30m`; null if it is none. A number alone has no unit, and is none. */
export function parseDuration(text: string): number | null {
  if (!WHOLE.test(text.trim())) return null;
  const parts = [...text.matchAll(PART)].map(
    ([, amount, unit = '']) => Number(amount) * unitsMs[unit.toLowerCase() as keyof typeof unitsMs],
  );
  return Math.round(parts.reduce((sum, ms) => sum + ms, 0));
}

/** A duration as it is written in an option, in its greatest whole unit: `5m`, `90s`, `1500ms`. */
export function durationOption(ms: number): string {
  const unit = (['d', 'h', 'm', 's'] as const).find((name) => ms !== 0 && ms % unitsMs[name] === 0);
  return unit === undefined ? `${ms}ms` : `${ms / unitsMs[unit]}${unit}`;
}

/** A duration for people, in its two greatest units: `2 h 5 min`. Less than zero counts as zero. */
export function durationText(ms: number): string {
  let rest = Math.max(0, Math.round(ms / 1_000)) * 1_000;
  const counts = (['d', 'h', 'min', 's'] as const).map((unit) => {
    const count = Math.floor(rest / unitsMs[unit]);
    rest -= count * unitsMs[unit];
    return { count, unit };
  });
  const first = counts.findIndex(({ count }) => count > 0);
  if (first === -1) return '0 s';
  const shown = counts.slice(first, first + 2).filter(({ count }) => count > 0);
  return shown.map(({ count, unit }) => `${count} ${unit}`).join(' ');
}
