import { recordTypeName } from '@vantage/shared/record-values/record-types.js';
import { absoluteName } from '../../../net/dns/name.js';
import { MalformedMessage, type WireReader } from '../../../net/dns/wire-reader.js';

/** Reads the data of one type and writes them as dig does; what is left over makes them malformed. */
export type RdataPrinter = (data: WireReader) => string;

/** Readers and printers of single fields of record data. */
export const name: RdataPrinter = (data) => absoluteName(data.domainName());
export const u8: RdataPrinter = (data) => String(data.u8());
export const u16: RdataPrinter = (data) => String(data.u16());
export const u32: RdataPrinter = (data) => String(data.u32());
export const quoted: RdataPrinter = (data) => quote(data.characterString());
export const ipv4: RdataPrinter = (data) => data.bytes(4).join('.');
export const restHex: RdataPrinter = (data) => hex(data.rest());
export const restBase64: RdataPrinter = (data) => data.rest().toString('base64');

/** Fields in order, one blank between them; none for a field that is empty. */
export function fields(...printers: readonly RdataPrinter[]): RdataPrinter {
  return (data) =>
    printers
      .map((print) => print(data))
      .filter((text) => text !== '')
      .join(' ');
}

/** One field again and again, up to the end. */
export function repeated(print: RdataPrinter): RdataPrinter {
  return (data) => {
    const texts: string[] = [];
    while (data.left > 0) texts.push(print(data));
    return texts.join(' ');
  };
}

/** A string in quotation marks (RFC 1035 section 5.1). */
export function quote(bytes: Buffer): string {
  return `"${escapeQuoted(bytes)}"`;
}

/** `"` and `\` escaped, anything but printable ASCII as three decimal digits. */
export function escapeQuoted(bytes: Buffer): string {
  let text = '';
  for (const byte of bytes) {
    if (byte === 0x22 || byte === 0x5c) text += `\\${String.fromCharCode(byte)}`;
    else if (byte >= 0x20 && byte < 0x7f) text += String.fromCharCode(byte);
    else text += `\\${String(byte).padStart(3, '0')}`;
  }
  return text;
}

/** Upper case, as dig writes it. */
export function hex(bytes: Buffer): string {
  return bytes.toString('hex').toUpperCase();
}

/** Types as bits, in windows of 256 (RFC 4034 section 4.1.2). */
export const typeBitmap: RdataPrinter = (data) => {
  const names: string[] = [];
  let last = -1;
  while (data.left > 0) {
    const window = data.u8();
    const bits = data.bytes(data.u8());
    if (window <= last || bits.length === 0 || bits.length > 32) throw new MalformedMessage('a bitmap out of order');
    last = window;
    bits.forEach((byte, i) => {
      for (let bit = 0; bit < 8; bit += 1)
        if (byte & (0x80 >> bit)) names.push(recordTypeName(window * 256 + i * 8 + bit));
    });
  }
  return names.join(' ');
};
