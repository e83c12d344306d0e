import { formatAddress } from '@vantage/shared/target-policy/address.js';
import type { DnsMessage, DnsRecord } from './message.js';
import { MalformedMessage } from './wire-reader.js';

const nameTypes = new Set(['CNAME', 'DNAME', 'NS', 'PTR']);

/** The address in an A or AAAA record as canonical text, an IPv4-mapped one as IPv6; null for any other record. */
export function addressOf(record: DnsRecord): string | null {
  const data = record.data().rest();
  if (record.type === 'A' && data.length === 4) return data.join('.');
  if (record.type === 'AAAA' && data.length === 16) return ipv6Text(data);
  return null;
}

/** The name a CNAME, DNAME, NS or PTR record points to; null for any other record, or for data that is no name. */
export function targetNameOf(record: DnsRecord): string | null {
  if (!nameTypes.has(record.type)) return null;
  try {
    return record.data().domainName();
  } catch (error) {
    if (error instanceof MalformedMessage) return null;
    throw error;
  }
}

/** RFC 5952; a mapped address is written with the IPv4 address it maps. */
export function ipv6Text(data: Buffer): string {
  const isMapped = data.subarray(0, 10).every((byte) => byte === 0) && data.readUInt16BE(10) === 0xffff;
  if (isMapped) return `::ffff:${data.subarray(12).join('.')}`;
  return formatAddress({ family: 6, value: BigInt(`0x${data.toString('hex')}`) });
}

/** True if two replies have the same code and the same records, whatever their order and time to live. */
export function isSameAnswer(a: DnsMessage, b: DnsMessage): boolean {
  return a.rcode === b.rcode && essence(a) === essence(b);
}

function essence({ answers }: DnsMessage): string {
  return answers
    .map((record) => {
      const data = targetNameOf(record)?.toLowerCase() ?? record.data().rest().toString('hex');
      return `${record.name.toLowerCase()} ${record.type} ${data}`;
    })
    .sort()
    .join('\n');
}
