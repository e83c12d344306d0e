import { formatAddress, parseAddress } from '@vantage/shared/target-policy/address.js';
import { type Answer, record as codecOf } from 'dns-packet';
import { escapeText, presentName } from './escape.js';

// the library's types leave out its codecs
declare module 'dns-packet' {
  export function record(type: string): { encode(data: unknown): Buffer };
}

/** Types the library knows by number only (RFC 9460). */
const namesOfUnknownTypes: Readonly<Record<string, string>> = { UNKNOWN_64: 'SVCB', UNKNOWN_65: 'HTTPS' };

/** The type as the library names it in questions and answers. */
export function libraryType(type: string): string {
  return Object.entries(namesOfUnknownTypes).find(([, name]) => name === type)?.[0] ?? type;
}

/** The type or class as people name it: RFC 3597 section 5 for numbers without a name. */
export function presentType(type: string): string {
  return namesOfUnknownTypes[type] ?? type.replace('UNKNOWN_', 'TYPE');
}

export function presentClass(name: string | undefined): string {
  return (name ?? 'IN').replace('UNKNOWN_', 'CLASS');
}

/**
 * The data of a record in presentation format, as `dig` prints it (RFC 1035 section 5.1); null for what the library
 * decoded but cannot write again.
 */
export function presentData(answer: Answer): string | null {
  switch (answer.type) {
    case 'A':
      return answer.data;
    case 'AAAA':
      return presentIPv6(answer.data);
    case 'CNAME':
    case 'DNAME':
    case 'NS':
    case 'PTR':
      return presentName(answer.data);
    case 'MX':
      return `${answer.data.preference ?? 0} ${presentName(answer.data.exchange)}`;
    case 'TXT':
      return [answer.data].flat().map(quote).join(' ');
    case 'SOA': {
      const { mname, rname, serial, refresh, retry, expire, minimum } = answer.data;
      // the library has escaped the dots of the mailbox already
      return `${presentName(mname)} ${rname}. ${serial} ${refresh} ${retry} ${expire} ${minimum}`;
    }
    case 'CAA':
      return `${answer.data.flags ?? 0} ${escapeText(answer.data.tag)} ${quote(answer.data.value)}`;
    case 'SRV': {
      const { priority, weight, port, target } = answer.data;
      return `${priority} ${weight} ${port} ${presentName(target)}`;
    }
    case 'DS': {
      const { keyTag, algorithm, digestType, digest } = answer.data;
      return `${keyTag} ${algorithm} ${digestType} ${digest.toString('hex').toUpperCase()}`;
    }
    case 'DNSKEY': {
      const { flags, algorithm, key } = answer.data;
      return `${flags} 3 ${algorithm} ${key.toString('base64')}`;
    }
    case 'HINFO':
      return `${quote(answer.data.cpu)} ${quote(answer.data.os)}`;
    default:
      return presentUnknown(answer);
  }
}

/** RFC 3597 section 5: `\# length hex`. */
function presentUnknown(answer: Answer): string | null {
  const bytes = dataBytes(answer);
  return bytes === null ? null : `\\# ${bytes.length} ${bytes.toString('hex').toUpperCase()}`.trimEnd();
}

function dataBytes(answer: Answer): Buffer | null {
  const data = 'data' in answer ? answer.data : null;
  if (Buffer.isBuffer(data)) return data;
  try {
    // the codec writes the length of the data before it
    return codecOf(answer.type).encode(data).subarray(2);
  } catch {
    return null;
  }
}

/** RFC 5952; a mapped address is the one that it maps, but the record holds an IPv6 address. */
function presentIPv6(text: string): string {
  const parsed = parseAddress(text);
  if (parsed === null) return text;
  return parsed.family === 4 ? `::ffff:${formatAddress(parsed)}` : formatAddress(parsed);
}

function quote(text: string | Buffer): string {
  return `"${escapeText(text)}"`;
}
