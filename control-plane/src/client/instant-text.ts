const DAY_MS = 86_400_000;

/** An instant of the API for people: `14:02:11 UTC`; more than a day from now with its date. */
export function instantText(instant: string, nowMs: number): string {
  const isNear = Math.abs(nowMs - Date.parse(instant)) < DAY_MS;
  return `${isNear ? instant.slice(11, 19) : tableInstant(instant)} UTC`;
}

/** An instant in a table whose heading says UTC: `2026-11-30 14:02:11`. */
export function tableInstant(instant: string): string {
  return `${instant.slice(0, 10)} ${instant.slice(11, 19)}`;
}
