// Names are text throughout: labels in presentation format (RFC 1035 section 5.1), no final dot, `.` for the root.
// Bytes that are not printable are escaped, so two names are the same bytes exactly when they are the same text.

/** Characters with a meaning in zone files, and therefore written with a backslash. */
const specialCharacters = new Set([...'"().;\\@$'].map((character) => character.charCodeAt(0)));

/** One label as text, as dig prints it. */
export function escapeLabel(label: Buffer): string {
  let text = '';
  for (const byte of label) {
    if (specialCharacters.has(byte)) text += `\\${String.fromCharCode(byte)}`;
    else if (byte > 0x20 && byte < 0x7f) text += String.fromCharCode(byte);
    else text += `\\${String(byte).padStart(3, '0')}`;
  }
  return text;
}

/** The absolute form, with the final dot. */
export function absoluteName(name: string): string {
  return name === '.' ? '.' : `${name}.`;
}

/** Names compare without case, of ASCII alone (RFC 4343). */
export function isSameName(a: string, b: string): boolean {
  return a === b || a.toLowerCase() === b.toLowerCase();
}

/** True if `name` is `zone` or is below it. */
export function isWithin(name: string, zone: string): boolean {
  if (zone === '.') return true;
  const [lowerName, lowerZone] = [name.toLowerCase(), zone.toLowerCase()];
  if (lowerName === lowerZone) return true;
  if (!lowerName.endsWith(`.${lowerZone}`)) return false;
  // a dot after an odd number of backslashes belongs to a label
  const before = lowerName.slice(0, -(lowerZone.length + 1));
  return (/\\*$/.exec(before)?.[0].length ?? 0) % 2 === 0;
}
