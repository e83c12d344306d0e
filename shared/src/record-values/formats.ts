import { addressPrefix } from './address-prefix.js';
import {
  algorithm,
  base32,
  base64,
  certificateType,
  type Field,
  hardware,
  hexDigits,
  ipv4,
  ipv6,
  joinedStrings,
  locator,
  name,
  nsap,
  repeated,
  salt,
  seconds,
  string,
  tag,
  text,
  time,
  typeName,
  types,
  u8,
  u16,
  u32,
} from './fields.js';
import { location } from './location.js';
import { serviceParams } from './service-params.js';
import { WrittenValue } from './written-value.js';

const digest = [u16, algorithm, u8, hexDigits];
const publicKey = [u16, u8, algorithm, base64];
const signature = [typeName, algorithm, u8, u32, time, time, u16, name, base64];
const association = [u8, u8, u8, hexDigits];
const preferenceAndName = [u16, name];

/** Fields of the data of each type that nodes show in presentation format. */
export const recordFormats: Readonly<Record<string, readonly Field[]>> = {
  A: [ipv4],
  AAAA: [ipv6],
  AFSDB: preferenceAndName,
  APL: [repeated(addressPrefix)],
  AVC: [joinedStrings],
  CAA: [u8, tag, text],
  CDNSKEY: publicKey,
  CDS: digest,
  CERT: [certificateType, u16, algorithm, base64],
  CNAME: [name],
  CSYNC: [u32, u16, types],
  DHCID: [base64],
  DLV: digest,
  DNAME: [name],
  DNSKEY: publicKey,
  DS: digest,
  EUI48: [hardware(6)],
  EUI64: [hardware(8)],
  GPOS: [string, string, string],
  HINFO: [string, string],
  HTTPS: [u16, name, serviceParams],
  ISDN: [repeated(string)],
  KEY: publicKey,
  KX: preferenceAndName,
  L32: [u16, ipv4],
  L64: [u16, locator],
  LOC: [location],
  LP: preferenceAndName,
  MB: [name],
  MD: [name],
  MF: [name],
  MG: [name],
  MINFO: [name, name],
  MR: [name],
  MX: preferenceAndName,
  // flags and names of services in any letter case (RFC 3403 section 4.1, RFC 6117 section 4.2)
  NAPTR: [u16, u16, tag, tag, string, name],
  NID: [u16, locator],
  NINFO: [joinedStrings],
  NS: [name],
  NSAP: [nsap],
  'NSAP-PTR': [name],
  NSEC: [name, types],
  NSEC3: [u8, u8, u16, salt, base32, types],
  NSEC3PARAM: [u8, u8, u16, salt],
  OPENPGPKEY: [base64],
  PTR: [name],
  PX: [u16, name, name],
  RESINFO: [joinedStrings],
  RKEY: publicKey,
  RP: [name, name],
  RRSIG: signature,
  RT: preferenceAndName,
  SIG: signature,
  SMIMEA: association,
  SOA: [name, name, u32, seconds, seconds, seconds, seconds],
  SPF: [joinedStrings],
  SRV: [u16, u16, u16, name],
  SSHFP: [u8, u8, hexDigits],
  SVCB: [u16, name, serviceParams],
  TA: digest,
  TALINK: [name, name],
  TLSA: association,
  TXT: [joinedStrings],
  URI: [u16, u16, text],
  X25: [string],
  ZONEMD: [u32, u8, u8, hexDigits],
};

/** A shorter way to write a value, which says nothing of the octets that are left out in front. */
interface ShortForm {
  readonly leftOut: number;
  readonly fields: readonly Field[];
}

const nameAndPort: Field = {
  read: (value) => {
    const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(value.word()) ?? [];
    return Buffer.concat([u16.read(new WrittenValue(port, 'zoneFile')), name.read(new WrittenValue(host, 'zoneFile'))]);
  },
  fold: (data) => Buffer.concat([data.take(2), data.name()]),
};

/** Servers without their preference, priority and weight. */
export const shortForms: Readonly<Record<string, ShortForm>> = {
  MX: { leftOut: 2, fields: [name] },
  SRV: { leftOut: 4, fields: [nameAndPort] },
};
