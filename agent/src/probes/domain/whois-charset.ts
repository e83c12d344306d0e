import { decodeWindows1252 } from '../windows-1252.js';

/** Charsets in which registries write what is not UTF-8, by top-level domain of the name or server; as of 2026. */
const charsets: ReadonlyMap<string, string> = new Map([
  ['cn', 'gb18030'],
  ['xn--fiqs8s', 'gb18030'],
  ['xn--fiqz9s', 'gb18030'],
  ['hk', 'big5'],
  ['tw', 'big5'],
  ['jp', 'shift_jis'],
  ['kr', 'euc-kr'],
  ['ru', 'koi8-r'],
  ['su', 'koi8-r'],
]);
/** Escape sequences of ISO-2022-JP: all of its bytes are ASCII. */
const JAPANESE = Buffer.from([0x1b, 0x24]);

/** Text of a WHOIS response, which has no declared charset (RFC 3912 section 4): UTF-8, else that of the registry. */
export function decodeWhois(bytes: Buffer, topLevel: string): string {
  if (bytes.includes(JAPANESE)) return new TextDecoder('iso-2022-jp').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const charset = charsets.get(topLevel);
    return charset === undefined ? decodeWindows1252(bytes) : new TextDecoder(charset).decode(bytes);
  }
}
