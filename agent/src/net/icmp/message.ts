import type { MplsEntry } from '@vantage/shared/probe-types/hops.js';
import type { Family } from './address.js';
import { internetChecksum } from './checksum.js';
import { decodeLabelStack, findLabelStack } from './extensions.js';
import { decodeIpv4Header } from './ipv4.js';
import { type IcmpErrorName, icmpErrorName } from './names.js';
import { protocols } from './protocols.js';
import { decodeQuote, type Quote } from './quote.js';

const headerBytes = 8;

/** RFC 792, RFC 4443 4.2. */
export interface EchoReply {
  readonly kind: 'echo-reply';
  readonly identifier: number;
  readonly sequence: number;
  /**
   * The received packet, with its payload from `payloadStart`; a separate view would cost more than everything else.
   */
  readonly bytes: Buffer;
  readonly payloadStart: number;
}

/** An error about a packet, which need not be ours. */
export interface IcmpError {
  readonly kind: 'error';
  readonly name: IcmpErrorName;
  readonly type: number;
  /** Code of the ICMP type that the name stands for. */
  readonly code: number;
  readonly quote: Quote;
  /** Labels under which the quoted packet came to the router, top first; mostly none. */
  readonly mpls: readonly MplsEntry[];
}

/** The two kinds of ICMP messages that answer a probe. */
export type IcmpMessage = EchoReply | IcmpError;

/**
 * Reads an IPv4 packet, header included, as a raw ICMP socket delivers it.
 * @returns null for everything that cannot be an intact answer to a packet of ours
 */
export function decodeIcmpV4(packet: Buffer): IcmpMessage | null {
  const header = decodeIpv4Header(packet);
  if (header === null || header.protocol !== protocols.icmp || header.fragmentOffset > 0) return null;
  return decodeMessageV4(packet, header.headerBytes);
}

/** The same from `start` on, without the IPv4 header, as a SOCK_DGRAM socket delivers it. */
export function decodeMessageV4(bytes: Buffer, start = 0): IcmpMessage | null {
  if (bytes.length < start + headerBytes || internetChecksum(bytes, 0, start) !== 0) return null;
  if (bytes[start] === 0) return decodeEchoReply(bytes, start);
  return decodeError(4, bytes.subarray(start));
}

/** Reads an ICMPv6 message without its IPv6 header; the kernel has verified its checksum. */
export function decodeIcmpV6(message: Buffer): IcmpMessage | null {
  if (message.length < headerBytes) return null;
  return message[0] === 129 ? decodeEchoReply(message, 0) : decodeError(6, message);
}

function decodeEchoReply(bytes: Buffer, start: number): EchoReply {
  return {
    kind: 'echo-reply',
    identifier: bytes.readUInt16BE(start + 4),
    sequence: bytes.readUInt16BE(start + 6),
    bytes,
    payloadStart: start + headerBytes,
  };
}

function decodeError(family: Family, message: Buffer): IcmpError | null {
  const [type, code] = [message.readUInt8(0), message.readUInt8(1)];
  const name = icmpErrorName(family, type, code);
  if (name === null) return null;
  const { quoted, mpls } = divide(family, name, message);
  const quote = decodeQuote(family, quoted);
  return quote === null ? null : { kind: 'error', name, type, code, quote, mpls };
}

/**
 * Length after which older routers append extensions: before RFC 4884 they padded the packet to 128 bytes, without
 * saying so.
 */
const unsaidQuoteBytes = 128;

/**
 * The quoted packet and the extensions behind it: their place shows in a length, counted in words of 4 (IPv4) or 8 bytes
 * (IPv6), that was zero before RFC 4884. In the two other messages those bytes are an MTU or a pointer.
 */
function divide(family: Family, name: IcmpErrorName, message: Buffer): { quoted: Buffer; mpls: MplsEntry[] } {
  const bytes = message.subarray(headerBytes);
  if (name === 'packet_too_big' || (name === 'parameter_problem' && family === 6)) return { quoted: bytes, mpls: [] };
  const lengthBytes = family === 4 ? message.readUInt8(5) * 4 : message.readUInt8(4) * 8;
  if (lengthBytes === 0) return { quoted: bytes, mpls: findLabelStack(bytes.subarray(unsaidQuoteBytes)) };
  return { quoted: bytes.subarray(0, lengthBytes), mpls: decodeLabelStack(bytes.subarray(lengthBytes)) };
}
