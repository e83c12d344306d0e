import type { Cidr } from './address-ranges.js';

/** Notation of addresses below one kind of reverse zone: most significant label last. */
interface ReverseZone {
  readonly name: string;
  readonly family: 4 | 6;
  readonly addressBits: number;
  readonly labelBits: number;
  /** Value of a label; null for a label that is not part of an address. */
  readonly valueOf: (label: string) => number | null;
}

const nibbles = { family: 6, addressBits: 128, labelBits: 4, valueOf: nibbleOf } as const;

/** RFC 1035 section 3.5, RFC 3596 section 2.5; ip6.int is what RFC 4159 retired, and private servers may still have. */
const reverseZones: readonly ReverseZone[] = [
  { name: 'in-addr.arpa', family: 4, addressBits: 32, labelBits: 8, valueOf: octetOf },
  { name: 'ip6.arpa', ...nibbles },
  { name: 'ip6.int', ...nibbles },
];

/**
 * The addresses that a name in a reverse zone is about, as the smallest prefix its labels give; null for a name in no
 * such zone. Reading ends at the first label that is no part of an address, so that a classless zone (RFC 2317) and
 * whatever else stands below a network count as that network. `name` is in lower case, without final dot and escapes.
 */
export function findReversePrefix(name: string): Cidr | null {
  const zone = reverseZones.find((one) => name === one.name || name.endsWith(`.${one.name}`));
  if (zone === undefined) return null;
  const { family, addressBits, labelBits, valueOf } = zone;
  let bits = 0;
  let value = 0n;
  for (const label of name.slice(0, -zone.name.length).split('.').reverse()) {
    // the empty one comes before the dot of the zone's own name
    if (label === '') continue;
    const number = valueOf(label);
    if (number === null || bits === addressBits) break;
    value = (value << BigInt(labelBits)) | BigInt(number);
    bits += labelBits;
  }
  const hostBits = BigInt(addressBits - bits);
  const first = value << hostBits;
  return { family, first, last: first | ((1n << hostBits) - 1n) };
}

function octetOf(label: string): number | null {
  return /^(?:0|[1-9]\d{0,2})$/.test(label) && Number(label) <= 255 ? Number(label) : null;
}

function nibbleOf(label: string): number | null {
  return /^[\da-f]$/.test(label) ? Number.parseInt(label, 16) : null;
}
