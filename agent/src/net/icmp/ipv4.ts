const minHeaderBytes = 20;

/** Fields of an IPv4 header (RFC 791 3.1) that a reader of raw packets needs. */
export interface Ipv4Header {
  /** Length of the header, options included. */
  readonly headerBytes: number;
  readonly ttl: number;
  readonly protocol: number;
  /** Fragment offset in units of 8 bytes; above 0 no transport header follows. */
  readonly fragmentOffset: number;
}

/** Decodes a header; null where the bytes do not start with a whole IPv4 header. */
export function decodeIpv4Header(bytes: Buffer): Ipv4Header | null {
  if (bytes.length < minHeaderBytes) return null;
  const first = bytes.readUInt8(0);
  const headerBytes = (first & 0x0f) * 4;
  if (first >> 4 !== 4 || headerBytes < minHeaderBytes || bytes.length < headerBytes) return null;
  return {
    headerBytes,
    ttl: bytes.readUInt8(8),
    protocol: bytes.readUInt8(9),
    fragmentOffset: bytes.readUInt16BE(6) & 0x1fff,
  };
}
