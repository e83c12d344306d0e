import type { AddNote } from './entry.js';

/** Number limited to the permitted range; adds a note if that changes it. */
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
    note(field, `${value} was changed to ${whole}: must be a whole number of ${unit} from ${least} to ${most}`);
  return whole;
}
