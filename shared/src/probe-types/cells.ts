/** Milliseconds for people: two decimals below ten, one above; a dash for nothing. */
export function msCell(value: number | null): string {
  return value === null ? '-' : `${value.toFixed(value < 10 ? 2 : 1)} ms`;
}

/** Text for people; a dash for nothing. Servers choose much of it: what would steer a terminal becomes a dot. */
export function textCell(value: string | number | null): string {
  return value === null ? '-' : String(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '·');
}
