import type { SoaNumbers } from '@vantage/shared/probe-types/zone-audit.js';
import type { DnsRecord } from '../../net/dns/message.js';
import { MalformedMessage, type WireReader } from '../../net/dns/wire-reader.js';
import type { KeyId } from './facts.js';

/** Numbers of a SOA record; null for any other record, and for data that are none. */
export function soaOf(record: DnsRecord): SoaNumbers | null {
  return read(record, 'SOA', (data) => {
    data.domainName();
    data.domainName();
    const [serial, refresh, retry, expire, minimum] = [data.u32(), data.u32(), data.u32(), data.u32(), data.u32()];
    return { serial, refresh, retry, expire, minimum };
  });
}

/** Name of the server in an MX record; null for any other record, and for one that says that there is no mail (RFC 7505). */
export function mailServerOf(record: DnsRecord): string | null {
  const name = read(record, 'MX', (data) => {
    data.u16();
    return data.domainName();
  });
  return name === '.' ? null : name;
}

/** Key that a DS record refers to; null for any other record. */
export function dsKeyOf(record: DnsRecord): KeyId | null {
  return read(record, 'DS', (data) => ({ tag: data.u16(), algorithm: data.u8() }));
}

/** Key of a DNSKEY record, with its tag (RFC 4034 appendix B); null for any other record. */
export function keyOf(record: DnsRecord): KeyId | null {
  return read(record, 'DNSKEY', (data) => {
    const bytes = data.rest();
    let sum = 0;
    for (const [index, byte] of bytes.entries()) sum += index % 2 === 0 ? byte << 8 : byte;
    return { tag: (sum + (sum >>> 16)) & 0xffff, algorithm: bytes[3] ?? 0 };
  });
}

/** Strings of a TXT record, joined; null for any other record. */
export function textOf(record: DnsRecord): string | null {
  return read(record, 'TXT', (data) => {
    const strings: string[] = [];
    while (data.left > 0) strings.push(data.characterString().toString('utf8'));
    return strings.join('');
  });
}

function read<T>(record: DnsRecord, type: string, parse: (data: WireReader) => T): T | null {
  if (record.type !== type) return null;
  try {
    return parse(record.data());
  } catch (error) {
    if (error instanceof MalformedMessage) return null;
    throw error;
  }
}
