/** Wall time of an instant in a zone, as a field of date and time has it: `2026-11-30T14:05`. */
export function wallTimeOf(at: string | number, zone: string): string {
  const options = { dateStyle: 'short', timeStyle: 'short', timeZone: zone } as const;
  // the locale of Sweden writes `2026-11-30 14:05`
  return new Intl.DateTimeFormat('sv-SE', options).format(new Date(at)).replace(' ', 'T');
}

/** Instant of a wall time in a zone. One that the zone skips is as much later. */
export function instantOf(wallTime: string, zone: string): string {
  const asUtc = Date.parse(`${wallTime}Z`);
  const offsetAt = (at: number) => Date.parse(`${wallTimeOf(at, zone)}Z`) - Math.floor(at / 60_000) * 60_000;
  const first = asUtc - offsetAt(asUtc);
  return new Date(asUtc - offsetAt(first)).toISOString();
}
