import { ipv6Text } from '../../../net/dns/record-data.js';
import type { WireReader } from '../../../net/dns/wire-reader.js';
import { fields, hex, ipv4, name, quoted, type RdataPrinter, repeated, u16, u32 } from './text.js';

const preferenceAndName = fields(u16, name);
const groups: RdataPrinter = (data) => [1, 2, 3, 4].map(() => data.u16().toString(16)).join(':');
const dashed = (count: number): RdataPrinter => {
  return (data) => data.bytes(count).toString('hex').match(/../g)?.join('-') ?? '';
};

/** Addresses, names, numbers and strings. */
export const plainPrinters: Readonly<Record<string, RdataPrinter>> = {
  A: ipv4,
  AAAA: (data) => ipv6Text(data.bytes(16)),
  AFSDB: preferenceAndName,
  APL: repeated(addressPrefix),
  AVC: repeated(quoted),
  CNAME: name,
  DNAME: name,
  EUI48: dashed(6),
  EUI64: dashed(8),
  GPOS: fields(quoted, quoted, quoted),
  HINFO: fields(quoted, quoted),
  ISDN: repeated(quoted),
  KX: preferenceAndName,
  L32: fields(u16, ipv4),
  L64: fields(u16, groups),
  LP: preferenceAndName,
  MB: name,
  MD: name,
  MF: name,
  MG: name,
  MINFO: fields(name, name),
  MR: name,
  MX: preferenceAndName,
  NID: fields(u16, groups),
  NINFO: repeated(quoted),
  NS: name,
  NSAP: (data) => `0x${hex(data.rest()).toLowerCase()}`,
  'NSAP-PTR': name,
  PTR: name,
  PX: fields(u16, name, name),
  RP: fields(name, name),
  RT: preferenceAndName,
  SOA: fields(name, name, u32, u32, u32, u32, u32),
  SPF: repeated(quoted),
  TALINK: fields(name, name),
  TXT: repeated(quoted),
  X25: quoted,
};

/** RFC 3123: family, prefix length, negation and the address without its trailing zeros. */
function addressPrefix(data: WireReader): string {
  const family = data.u16();
  const bits = data.u8();
  const head = data.u8();
  const bytes = Buffer.alloc(family === 1 ? 4 : 16);
  data.bytes(head & 0x7f).copy(bytes);
  const address = family === 1 ? bytes.join('.') : ipv6Text(bytes);
  return `${head & 0x80 ? '!' : ''}${family}:${address}/${bits}`;
}
