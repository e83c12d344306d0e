/** Octets with ASCII letters in lower case (RFC 4343). Lengths of labels are below the letters, so a name on the wire may be folded whole. */
export function lowerCase(octets: Buffer): Buffer {
  return Buffer.from(octets.map((octet) => (octet >= 0x41 && octet <= 0x5a ? octet + 0x20 : octet)));
}
