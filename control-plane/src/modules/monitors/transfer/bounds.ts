import type { AddNote } from './entry.js';

/** A number within what is possible here; where that changes it, it says so. */
export function bounded(
  value: number,
  {
    field,
    least,
    most,
    unit,
  }: { readonly field: string; readonly least: number; readonly most: number; readonly unit: string },
  note: AddNote,
): number {
  const whole = Math.min(most, Math.max(least, Math.ceil(value)));
  if (whole !== value)
    note(field, `${value} becomes ${whole}: here it is a whole number of ${unit} from ${least} to ${most}`);
  return whole;
}
