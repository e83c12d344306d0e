/**
 * True if a JSON value has at most `characters` in its texts and names, each value and member counting as one more, and at most
 * `depth` levels of lists and objects. Stops at the first that is too many.
 */
export function isWithin(value: unknown, characters: number, depth: number): boolean {
  return roomAfter(value, characters, depth) >= 0;
}

/** Characters that are left after a value; negative: there are too many, or too many levels. */
function roomAfter(value: unknown, room: number, depth: number): number {
  if (typeof value === 'string') return room - value.length - 1;
  if (typeof value !== 'object' || value === null) return room - 1;
  if (depth === 0) return -1;
  let left = room - 1;
  for (const [name, member] of Object.entries(value)) {
    left = roomAfter(member, left - (Array.isArray(value) ? 0 : name.length), depth - 1);
    if (left < 0) return left;
  }
  return left;
}
