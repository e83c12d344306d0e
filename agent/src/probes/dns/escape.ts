/** A name in presentation format, absolute, so with its final dot (RFC 1035 section 5.1). */
export function presentName(name: string): string {
  return name === '.' ? '.' : `${escapeName(name)}.`;
}

/** Without quotation marks: blanks and what a zone file gives a meaning to are escaped too. */
export function escapeName(name: string): string {
  return escapeText(name).replace(/[\s;()@$]/g, (character) => `\\${decimal(character.charCodeAt(0))}`);
}

/** The inside of a quoted string: `"` and `\` escaped, anything but printable ASCII as three decimal digits. */
export function escapeText(text: string | Buffer): string {
  return [...(typeof text === 'string' ? Buffer.from(text) : text)]
    .map((byte) => {
      if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
      return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\${decimal(byte)}`;
    })
    .join('');
}

function decimal(byte: number): string {
  return String(byte).padStart(3, '0');
}
