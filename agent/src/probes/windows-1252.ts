/** Characters of the bytes 0x80 to 0x9F, in which windows-1252 differs from ISO-8859-1 (Encoding standard, index windows-1252). */
const differing = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

const codes = Uint16Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 && byte <= 0x9f ? differing.charCodeAt(byte - 0x80) : byte,
);

/**
 * Text in windows-1252, which has a character for each byte. Our own, since the TextDecoder of some versions of Node reads
 * it as ISO-8859-1.
 */
export function decodeWindows1252(bytes: Uint8Array): string {
  const text = new Uint16Array(bytes.length);
  for (let at = 0; at < bytes.length; at += 1) text[at] = codes[bytes[at] as number] as number;
  return Buffer.from(text.buffer).toString('utf16le');
}
