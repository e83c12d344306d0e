/**
 * Greatest length of a header that is read, ten times what browsers send; sorting the entries of 16 KB takes a
 * millisecond.
 */
const MAX_CHARACTERS = 1_024;

/** Accept-* header to negotiate by; undefined, as if none was sent, if it is too long. */
export function acceptHeader(value: string | undefined): string | undefined {
  return value === undefined || value.length > MAX_CHARACTERS ? undefined : value;
}
