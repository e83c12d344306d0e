const unitsMs = { ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const PATTERN = /^(\d+(?:\.\d+)?) ?(ms|s|m|min|h|d)$/i;

/** Milliseconds of a duration such as `5s`, `500ms` or `1.5h`; null if it is none. A number alone has no unit, and is none. */
export function parseDuration(text: string): number | null {
  const [, amount = '', unit = ''] = PATTERN.exec(text.trim()) ?? [];
  if (unit === '') return null;
  return Math.round(Number(amount) * unitsMs[unit.toLowerCase() as keyof typeof unitsMs]);
}

/** A duration as `parseDuration` reads it: in seconds, or in milliseconds where it has a part of a second. */
export function durationText(ms: number): string {
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
}
