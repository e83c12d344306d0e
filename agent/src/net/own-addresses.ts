import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { formatAddress } from '@vantage/shared/target-policy/address.js';
import { parseResolvConf } from './resolv-conf.js';

/**
 * Addresses of this machine, of its gateways and of its resolvers, each once and without zone, as they stand now: what
 * a probe may neither aim at nor ask. A table the system does not have (no IPv6) adds nothing.
 */
export function readOwnAddresses(): string[] {
  const interfaces = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  const addresses = [
    ...interfaces.map(({ address }) => address),
    ...parseIPv4Gateways(readTable('/proc/net/route')),
    ...parseIPv6Gateways(readTable('/proc/net/ipv6_route')),
    ...parseResolvConf(readTable('/etc/resolv.conf')),
  ];
  return [...new Set(addresses.map((address) => address.split('%')[0] ?? address))];
}

/** Gateways of /proc/net/route: third column, hexadecimal in the byte order of the machine, which is little-endian. */
export function parseIPv4Gateways(table: string): string[] {
  return column(table, 2)
    .filter((hex) => /^[0-9A-F]{8}$/i.test(hex) && !/^0+$/.test(hex))
    .map((hex) => formatAddress({ family: 4, value: BigInt(Buffer.from(hex, 'hex').readUInt32LE()) }));
}

/** Gateways of /proc/net/ipv6_route: fifth column, 32 hexadecimal digits in network order. */
export function parseIPv6Gateways(table: string): string[] {
  return column(table, 4)
    .filter((hex) => /^[0-9a-f]{32}$/i.test(hex) && !/^0+$/.test(hex))
    .map((hex) => formatAddress({ family: 6, value: BigInt(`0x${hex}`) }));
}

function column(table: string, index: number): string[] {
  return table.split('\n').map((line) => line.trim().split(/\s+/)[index] ?? '');
}

function readTable(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
