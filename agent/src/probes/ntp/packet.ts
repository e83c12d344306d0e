// The header of NTP (RFC 5905 section 7.3), 48 bytes; extension fields and a digest may follow.
//
//    0  leap (2 bits), version (3), mode (3)     1  stratum     2  poll     3  precision
//    4  root delay                               8  root dispersion
//   12  reference identifier                    16  reference timestamp
//   24  origin timestamp                        32  receive timestamp
//   40  transmit timestamp
import { leapIndicators } from '@vantage/shared/probe-types/ntp.js';
import { shortToMs } from './timestamp.js';

const HEADER_BYTES = 48;
const CLIENT_MODE = 3;
const SERVER_MODE = 4;
const VERSION = 4;

/** A server's reply, with its times. */
export interface NtpReply {
  readonly leap: (typeof leapIndicators)[number];
  /** 1 to 7. */
  readonly version: number;
  /** Stratum as in the packet: 0 is a kiss-o'-death or a server without time. */
  readonly stratum: number;
  /** Log2 of seconds. */
  readonly poll: number;
  /** Log2 of seconds. */
  readonly precision: number;
  readonly rootDelayMs: number;
  readonly rootDispersionMs: number;
  readonly referenceId: Buffer;
  /** The transmit timestamp of the request that is answered. */
  readonly origin: bigint;
  readonly receivedAt: bigint;
  readonly sentAt: bigint;
}

/**
 * A request that shows nothing of the node (draft-ietf-ntp-data-minimization): all zero but version, mode and `cookie`,
 * a random number where the node's time would stand; the answer repeats it.
 */
export function encodeRequest(cookie: bigint): Buffer {
  const packet = Buffer.alloc(HEADER_BYTES);
  packet.writeUInt8((VERSION << 3) | CLIENT_MODE, 0);
  packet.writeBigUInt64BE(cookie, 40);
  return packet;
}

/** A server's answer; null for what is none: too short, of another mode, without version or times. */
export function decodeReply(packet: Buffer): NtpReply | null {
  if (packet.length < HEADER_BYTES) return null;
  const first = packet.readUInt8(0);
  const leap = leapIndicators[first >> 6];
  const version = (first >> 3) & 7;
  if (leap === undefined || version === 0 || (first & 7) !== SERVER_MODE) return null;
  return {
    leap,
    version,
    stratum: packet.readUInt8(1),
    poll: packet.readInt8(2),
    precision: packet.readInt8(3),
    rootDelayMs: shortToMs(packet.readUInt32BE(4)),
    rootDispersionMs: shortToMs(packet.readUInt32BE(8)),
    referenceId: Buffer.from(packet.subarray(12, 16)),
    origin: packet.readBigUInt64BE(24),
    receivedAt: packet.readBigUInt64BE(32),
    sentAt: packet.readBigUInt64BE(40),
  };
}
