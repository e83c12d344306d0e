/**
 * One's complement sum of 16-bit big-endian words, folded to 16 bits and NOT inverted; an odd last byte counts as the
 * high half of a word. `initial` is the sum of what comes before, `start` where to begin. RFC 1071.
 */
export function onesComplementSum(bytes: Buffer, initial = 0, start = 0): number {
  let sum = initial;
  const even = start + ((bytes.length - start) & ~1);
  // runs for every received packet: without the checks of readUInt16BE it takes a fifth of the time
  for (let offset = start; offset < even; offset += 2) sum += ((bytes[offset] ?? 0) << 8) | (bytes[offset + 1] ?? 0);
  if (even < bytes.length) sum += bytes.readUInt8(even) << 8;
  return fold(sum);
}

/** The Internet checksum of RFC 1071: 0 over a message that carries its own correct checksum. */
export function internetChecksum(bytes: Buffer, initial = 0, start = 0): number {
  return ~onesComplementSum(bytes, initial, start) & 0xffff;
}

/** `a - b` in one's complement arithmetic over 16 bits. */
export function onesComplementDifference(a: number, b: number): number {
  return fold(a + (~b & 0xffff));
}

/**
 * Sum of the pseudo header that UDP and TCP put before their own bytes. RFC 768, RFC 9293 and, for IPv6, RFC 8200 8.1:
 * both layouts add up to the same as addresses, protocol and length.
 */
export function pseudoHeaderSum(source: Buffer, destination: Buffer, protocol: number, length: number): number {
  return onesComplementSum(destination, onesComplementSum(source, protocol + length));
}

function fold(sum: number): number {
  let folded = sum;
  while (folded > 0xffff) folded = (folded & 0xffff) + (folded >>> 16);
  return folded;
}
