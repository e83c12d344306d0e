// An independent reading of the address rules: bytes in arrays, prefixes compared bit by bit, nothing shared with the
// code under test.

const refusedIPv4 = `
  0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24
  192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4
  240.0.0.0/4 168.63.129.16/32`;

const refusedInGlobalUnicast = '2001::/23 2001:db8::/32 2002::/16 3fff::/20 2620:4f:8000::/48';

/** A prefix as its first bytes say: how many bits of `bytes` count. */
export interface OraclePrefix {
  readonly text: string;
  readonly bytes: readonly number[];
  readonly bits: number;
}

/** The prefixes of the specification that refuse IPv4. */
export const refusedIPv4Prefixes: readonly OraclePrefix[] = refusedIPv4.trim().split(/\s+/).map(prefixOf);

/** The prefixes of the specification that refuse IPv6 inside 2000::/3. */
export const refusedIPv6Prefixes: readonly OraclePrefix[] = refusedInGlobalUnicast.split(' ').map(prefixOf);

/** True if an IPv4 (4 bytes) or IPv6 (16 bytes) address may be probed with empty lists. */
export function mayBeProbed(bytes: readonly number[]): boolean {
  if (bytes.length === 4) return !refusedIPv4Prefixes.some((prefix) => hasPrefix(bytes, prefix));
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  if (isMapped) return mayBeProbed(bytes.slice(12));
  const isGlobalUnicast = (bytes[0] ?? 0) >> 5 === 1;
  return isGlobalUnicast && !refusedIPv6Prefixes.some((prefix) => hasPrefix(bytes, prefix));
}

/** True if the leading bits of an address are those of the prefix; always false for the other family. */
export function hasPrefix(bytes: readonly number[], { bytes: wanted, bits }: OraclePrefix): boolean {
  if (bytes.length !== wanted.length) return false;
  for (let bit = 0; bit < bits; bit += 1) {
    const mask = 0x80 >> (bit % 8);
    if (((bytes[bit >> 3] ?? 0) & mask) !== ((wanted[bit >> 3] ?? 0) & mask)) return false;
  }
  return true;
}

/** Dotted decimal of 4 bytes, all eight groups of 16: canonical for IPv4, not for IPv6. */
export function textOf(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups: string[] = [];
  for (let i = 0; i < 16; i += 2) groups.push((((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0)).toString(16));
  return groups.join(':');
}

/** The last address of a prefix. */
export function lastOf({ bytes, bits }: OraclePrefix): number[] {
  return bytes.map((byte, i) => byte | (0xff >> Math.min(8, Math.max(0, bits - i * 8))));
}

/** The address `step` (1 or -1) away; null past either end. */
export function neighbourOf(bytes: readonly number[], step: 1 | -1): number[] | null {
  const next = [...bytes];
  for (let i = next.length - 1; i >= 0; i -= 1) {
    const value = (next[i] ?? 0) + step;
    next[i] = (value + 256) % 256;
    if (value >= 0 && value <= 255) return next;
  }
  return null;
}

/** Reads `address/bits` where IPv6 has its groups first and then `::`. */
export function prefixOf(text: string): OraclePrefix {
  const [address = '', bits = ''] = text.split('/');
  return {
    text,
    bytes: address.includes(':') ? bytesOfIPv6(address) : address.split('.').map(Number),
    bits: Number(bits),
  };
}

function bytesOfIPv6(text: string): number[] {
  const groups = text
    .split(':')
    .filter((group) => group !== '')
    .map((group) => Number.parseInt(group, 16));
  const bytes = groups.flatMap((group) => [group >> 8, group & 0xff]);
  return [...bytes, ...new Array<number>(16 - bytes.length).fill(0)];
}
