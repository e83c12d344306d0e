import type { Family } from './address.js';
import { internetChecksum, onesComplementDifference, onesComplementSum, pseudoHeaderSum } from './checksum.js';
import { protocols } from './protocols.js';

/** Both ends of a flow; it never changes during a trace (Paris traceroute). */
export interface FlowEnds {
  readonly family: Family;
  /** 4 or 16 bytes. */
  readonly source: Buffer;
  readonly destination: Buffer;
  readonly sourcePort: number;
  readonly destinationPort: number;
}

const udpHeaderBytes = 8;

/**
 * A UDP datagram whose last two payload bytes make its checksum come out as `checksum`, 1 to 0xfffe: the one field of
 * the quoted 8 bytes that may differ without leaving the flow. RFC 768.
 */
export function encodeUdp(ends: FlowEnds, checksum: number, payloadBytes: number): Buffer {
  const bytes = Buffer.alloc(udpHeaderBytes + payloadBytes);
  bytes.writeUInt16BE(ends.sourcePort, 0);
  bytes.writeUInt16BE(ends.destinationPort, 2);
  bytes.writeUInt16BE(bytes.length, 4);
  const sum = onesComplementSum(bytes, pseudoHeaderSum(ends.source, ends.destination, protocols.udp, bytes.length));
  bytes.writeUInt16BE(onesComplementDifference(~checksum & 0xffff, sum), bytes.length - 2);
  bytes.writeUInt16BE(checksum, 6);
  return bytes;
}

const synBytes = 24;
const flags = { syn: 0x02, rst: 0x04, ack: 0x10 } as const;

/** A TCP SYN with a maximum segment size option, without which some firewalls drop it. RFC 9293 3.1. */
export function encodeTcpSyn(ends: FlowEnds, sequence: number): Buffer {
  const bytes = Buffer.alloc(synBytes);
  bytes.writeUInt16BE(ends.sourcePort, 0);
  bytes.writeUInt16BE(ends.destinationPort, 2);
  bytes.writeUInt32BE(sequence, 4);
  bytes[12] = (synBytes / 4) << 4;
  bytes[13] = flags.syn;
  bytes.writeUInt16BE(64240, 14);
  bytes.writeUInt16BE(0x0204, 20);
  bytes.writeUInt16BE(ends.family === 4 ? 1460 : 1440, 22);
  bytes.writeUInt16BE(
    internetChecksum(bytes, pseudoHeaderSum(ends.source, ends.destination, protocols.tcp, synBytes)),
    16,
  );
  return bytes;
}

/** A segment that can be the answer to a SYN. */
export interface TcpReply {
  readonly name: 'tcp_syn_ack' | 'tcp_rst';
  readonly sourcePort: number;
  readonly destinationPort: number;
  /** One more than the sequence number of the SYN. */
  readonly acknowledgement: number;
}

/** Decodes SYN+ACK and RST+ACK; null for every other segment. */
export function decodeTcpReply(segment: Buffer): TcpReply | null {
  if (segment.length < 20) return null;
  const bits = segment.readUInt8(13) & (flags.syn | flags.rst | flags.ack);
  if (bits !== (flags.syn | flags.ack) && bits !== (flags.rst | flags.ack)) return null;
  return {
    name: bits === (flags.syn | flags.ack) ? 'tcp_syn_ack' : 'tcp_rst',
    sourcePort: segment.readUInt16BE(0),
    destinationPort: segment.readUInt16BE(2),
    acknowledgement: segment.readUInt32BE(8),
  };
}
