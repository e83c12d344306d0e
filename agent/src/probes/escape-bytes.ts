/** Printable ASCII as it is; anything else as `\n`, `\r`, `\t` or `\xHH`, so that no byte is lost or acts on a screen. */
export function escapeBytes(bytes: Uint8Array): string {
  return Array.from(bytes, escapeByte).join('');
}

function escapeByte(byte: number): string {
  switch (byte) {
    case 0x09:
      return '\\t';
    case 0x0a:
      return '\\n';
    case 0x0d:
      return '\\r';
    case 0x5c:
      return '\\\\';
    default:
      return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
  }
}
