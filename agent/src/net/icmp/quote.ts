// An ICMP error quotes the packet it is about: its IP header and at least 8 bytes more, which is the start of
//
//   echo: | type | code | checksum | identifier | sequence | payload ...
//   UDP:  | source port | destination port | length | checksum | payload ...
//   TCP:  | source port | destination port | sequence number | ...
import type { Family } from './address.js';
import { decodeIpv4Header } from './ipv4.js';
import { protocols } from './protocols.js';

const ipv6HeaderBytes = 40;
const quotedTransportBytes = 8;
const maxExtensionHeaders = 4;

interface QuotedDestination {
  /** Destination of the quoted packet: a view of 4 or 16 bytes. */
  readonly destination: Buffer;
}
/** An echo request. */
export interface QuotedEcho extends QuotedDestination {
  readonly kind: 'echo';
  readonly identifier: number;
  readonly sequence: number;
  /** A view of what was quoted of it, often nothing. */
  readonly payload: Buffer;
}
/** A UDP datagram or a TCP segment. */
export interface QuotedPorts extends QuotedDestination {
  readonly kind: 'udp' | 'tcp';
  readonly sourcePort: number;
  readonly destinationPort: number;
  /** UDP: the checksum. TCP: the sequence number. */
  readonly label: number;
}
/** A packet of ours, as an error message shows it. */
export type Quote = QuotedEcho | QuotedPorts;

/** Decodes a quoted packet; null if it is truncated, not a first fragment, or of a protocol that we do not send. */
export function decodeQuote(family: Family, bytes: Buffer): Quote | null {
  return family === 4 ? decodeQuoteV4(bytes) : decodeQuoteV6(bytes);
}

function decodeQuoteV4(bytes: Buffer): Quote | null {
  const header = decodeIpv4Header(bytes);
  if (header === null || header.fragmentOffset > 0) return null;
  return decodeTransport(header.protocol, bytes.subarray(header.headerBytes), bytes.subarray(16, 20));
}

function decodeQuoteV6(bytes: Buffer): Quote | null {
  if (bytes.length < ipv6HeaderBytes || bytes.readUInt8(0) >> 4 !== 6) return null;
  const start = skipExtensionHeaders(bytes, bytes.readUInt8(6));
  if (start === null) return null;
  return decodeTransport(start.protocol, bytes.subarray(start.offset), bytes.subarray(24, 40));
}

/** Past hop-by-hop, routing and destination options, which a network on the way may have added. RFC 8200 4. */
function skipExtensionHeaders(bytes: Buffer, firstProtocol: number): { protocol: number; offset: number } | null {
  let protocol = firstProtocol;
  let offset = ipv6HeaderBytes;
  for (let count = 0; count <= maxExtensionHeaders; count += 1) {
    if (protocol !== 0 && protocol !== 43 && protocol !== 60) return { protocol, offset };
    if (offset + 2 > bytes.length) return null;
    protocol = bytes.readUInt8(offset);
    offset += (bytes.readUInt8(offset + 1) + 1) * 8;
  }
  return null;
}

function decodeTransport(protocol: number, bytes: Buffer, destination: Buffer): Quote | null {
  if (bytes.length < quotedTransportBytes) return null;
  switch (protocol) {
    case protocols.icmp:
    case protocols.icmpV6:
      return decodeEcho(bytes, destination);
    case protocols.udp:
      return decodePorts('udp', bytes, destination, bytes.readUInt16BE(6));
    case protocols.tcp:
      return decodePorts('tcp', bytes, destination, bytes.readUInt32BE(4));
    default:
      return null;
  }
}

function decodeEcho(bytes: Buffer, destination: Buffer): QuotedEcho | null {
  const type = bytes.readUInt8(0);
  if (type !== 8 && type !== 128) return null;
  return {
    kind: 'echo',
    destination,
    identifier: bytes.readUInt16BE(4),
    sequence: bytes.readUInt16BE(6),
    payload: bytes.subarray(8),
  };
}

function decodePorts(kind: 'udp' | 'tcp', bytes: Buffer, destination: Buffer, label: number): QuotedPorts {
  return { kind, destination, sourcePort: bytes.readUInt16BE(0), destinationPort: bytes.readUInt16BE(2), label };
}
