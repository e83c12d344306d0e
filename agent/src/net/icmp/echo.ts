// An echo request or reply (RFC 792, RFC 4443 4):
//
//   0       1       2         4           6         8
//   | type  | code  | checksum | identifier | sequence | payload ...
//
// Our payload: | cookie, up to 16 random bytes | 0x10 0x11 0x12 ... | balance, 2 bytes | 1 byte if the size is odd |
// The balance is the complement of the sequence, so that sequence + balance is the same for every packet: the checksum,
// which load balancers take for a flow identifier, stays constant (Paris traceroute, Augustin et al., IMC 2006).
import { randomFillSync } from 'node:crypto';
import type { Family } from './address.js';
import { internetChecksum } from './checksum.js';

const headerBytes = 8;
const maxCookieBytes = 16;
const balanceBytes = 2;

/** A request whose sequence can be changed in place, so that a session needs one buffer for all its packets. */
export class EchoRequest {
  /** The whole ICMP message. For IPv6 the checksum is left to the kernel, which alone knows the source address. */
  readonly bytes: Buffer;
  /** Random bytes a genuine reply repeats; empty if the payload has only space for the balance. */
  readonly cookie: Buffer;
  readonly #family: Family;
  readonly #balanceOffset: number | null;

  /** @param payloadBytes 0 to 1472 */
  constructor(family: Family, identifier: number, payloadBytes: number) {
    this.#family = family;
    this.bytes = Buffer.alloc(headerBytes + payloadBytes);
    const evenBytes = payloadBytes & ~1;
    this.#balanceOffset = evenBytes < balanceBytes ? null : headerBytes + evenBytes - balanceBytes;
    for (let offset = headerBytes; offset < this.bytes.length; offset += 1)
      this.bytes[offset] = (offset + headerBytes) & 0xff;
    const roomBytes = (this.#balanceOffset ?? headerBytes) - headerBytes;
    this.cookie = this.bytes.subarray(headerBytes, headerBytes + Math.min(maxCookieBytes, roomBytes));
    if (this.cookie.length > 0) randomFillSync(this.cookie);
    this.bytes[0] = family === 4 ? 8 : 128;
    this.bytes.writeUInt16BE(identifier, 4);
    this.setSequence(0);
    if (this.#balanceOffset !== null) this.#writeChecksum();
  }

  /** Turns this into the request with number `sequence`, 0 to 65535. */
  setSequence(sequence: number): void {
    this.bytes.writeUInt16BE(sequence, 6);
    if (this.#balanceOffset === null) this.#writeChecksum();
    else this.bytes.writeUInt16BE(~sequence & 0xffff, this.#balanceOffset);
  }

  #writeChecksum(): void {
    if (this.#family === 6) return;
    this.bytes.writeUInt16BE(0, 2);
    this.bytes.writeUInt16BE(internetChecksum(this.bytes), 2);
  }
}

/** True if a payload that starts at `start` begins with the cookie of the request; an empty cookie matches anything. */
export function hasCookie(bytes: Buffer, cookie: Buffer, start = 0): boolean {
  if (bytes.length - start < cookie.length) return false;
  // for 16 bytes a loop is ten times as fast as the call of Buffer.compare
  for (let offset = 0; offset < cookie.length; offset += 1) if (bytes[start + offset] !== cookie[offset]) return false;
  return true;
}

/**
 * True if the payload quoted inside an error is certainly another sender's. Routers may quote 8 bytes only or pad
 * with zeros, and neither proves anything.
 */
export function contradictsCookie(payload: Buffer, cookie: Buffer): boolean {
  if (payload.length < cookie.length || hasCookie(payload, cookie)) return false;
  return payload.subarray(0, cookie.length).some((byte) => byte !== 0);
}
