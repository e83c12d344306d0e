import { algorithms, certificateTypes } from '@vantage/shared/record-values/mnemonics.js';
import { recordTypeName } from '@vantage/shared/record-values/record-types.js';
import type { WireReader } from '../../../net/dns/wire-reader.js';
import { fields, hex, name, type RdataPrinter, restBase64, restHex, typeBitmap, u8, u16, u32 } from './text.js';

const digest = fields(u16, u8, u8, restHex);
const publicKey = fields(u16, u8, u8, restBase64);
const fingerprint = fields(u8, u8, restHex);
const association = fields(u8, u8, u8, restHex);
const typeName: RdataPrinter = (data) => recordTypeName(data.u16());
const saltHex: RdataPrinter = (data) => hex(data.characterString()) || '-';
const signature = fields(typeName, u8, u8, u32, time, time, u16, name, restBase64);

/** DNSSEC, and keys and certificates of other protocols. */
export const securityPrinters: Readonly<Record<string, RdataPrinter>> = {
  CDNSKEY: publicKey,
  CDS: digest,
  CERT: fields(named(u16, certificateTypes), u16, named(u8, algorithms), restBase64),
  CSYNC: fields(u32, u16, typeBitmap),
  DHCID: restBase64,
  DLV: digest,
  DNSKEY: publicKey,
  DS: digest,
  KEY: publicKey,
  NSEC: fields(name, typeBitmap),
  NSEC3: fields(u8, u8, u16, saltHex, (data) => base32Hex(data.characterString()), typeBitmap),
  NSEC3PARAM: fields(u8, u8, u16, saltHex),
  OPENPGPKEY: restBase64,
  RKEY: publicKey,
  RRSIG: signature,
  SIG: signature,
  SMIMEA: association,
  SSHFP: fingerprint,
  TA: digest,
  TLSA: association,
  ZONEMD: fields(u32, u8, u8, restHex),
};

function named(print: RdataPrinter, names: Readonly<Record<number, string>>): RdataPrinter {
  return (data) => {
    const number = print(data);
    return names[Number(number)] ?? number;
  };
}

/** YYYYMMDDHHmmSS in UTC; the 32 bits wrap in 2106 (RFC 4034 section 3.1.5). */
function time(data: WireReader): string {
  return new Date(data.u32() * 1000).toISOString().replace(/[-:T]/g, '').slice(0, 14);
}

/** RFC 4648 section 7, without padding (RFC 5155 section 3.3). */
function base32Hex(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => Number.parseInt(five.padEnd(5, '0'), 2).toString(32).toUpperCase())
    .join('');
}
