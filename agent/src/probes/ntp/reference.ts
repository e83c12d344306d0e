import type { NtpReply } from './packet.js';

/** Stratum of a server without time, which travels as 0 (RFC 5905 section 7.3). */
const UNSYNCHRONISED = 16;

/** The stratum as people know it: 1 to 15, or 16 for a server that is not synchronised. */
export function stratumOf({ stratum }: NtpReply): number {
  return stratum === 0 || stratum > UNSYNCHRONISED ? UNSYNCHRONISED : stratum;
}

/**
 * The reference identifier as ntpq shows it: at stratum 0 and 1 a name of up to four characters, above an IPv4 address,
 * which for a server that follows another one over IPv6 is a hash of its address.
 */
export function referenceOf({ stratum, referenceId }: NtpReply): string {
  const name = stratum <= 1 ? asciiOf(referenceId) : null;
  return name ?? [...referenceId].join('.');
}

/** The code of a kiss-o'-death (RFC 5905 section 7.4); null for any other answer. */
export function kissCode({ stratum, referenceId }: NtpReply): string | null {
  return stratum === 0 ? asciiOf(referenceId) : null;
}

/** True if the server itself says that its time is not to be used. */
export function isUnsynchronised(reply: NtpReply): boolean {
  return reply.leap === 'unsynchronised' || stratumOf(reply) === UNSYNCHRONISED;
}

/** One to four printable characters, padded with zeros at the end. */
function asciiOf(bytes: Buffer): string | null {
  return /^([\x21-\x7e]{1,4})\0*$/.exec(bytes.toString('latin1'))?.[1] ?? null;
}
