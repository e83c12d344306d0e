import { cutText } from '../assertions/shown.js';

/** Bytes of a check's details at most, as JSON in UTF-8. */
export const MAX_DETAILS_BYTES = 4096;
/** Characters of each text in them at most. */
const MAX_TEXT_LENGTH = 300;

/**
 * Measurements of a probe that help a person who looks at one check, as plain JSON with our own names, the most
 * important first. Each type chooses its details; bodies, headers and query strings are never included, because they
 * can hold secrets.
 */
export type CheckDetails = Readonly<Record<string, unknown>>;

/**
 * Details as they travel: JSON of `MAX_DETAILS_BYTES` at most, which can be stored. Texts are cut; members that are null are left
 * out, and whole ones for which there is no room. Null if nothing is left.
 */
export function writeDetails(details: CheckDetails): string | null {
  const members: string[] = [];
  let bytes = 1;
  for (const [name, value] of Object.entries(details)) {
    if (value === null || value === undefined) continue;
    const member = `${JSON.stringify(name)}:${JSON.stringify(value, storable)}`;
    const size = Buffer.byteLength(member) + 1;
    if (bytes + size > MAX_DETAILS_BYTES) continue;
    members.push(member);
    bytes += size;
  }
  return members.length === 0 ? null : `{${members.join(',')}}`;
}

function storable(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? cutText(value, MAX_TEXT_LENGTH) : value;
}
