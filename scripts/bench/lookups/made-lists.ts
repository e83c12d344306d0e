import type { TextFormat } from 'vantage-control/modules/lookups/reputation/list-line.js';
import type { ListSignal } from 'vantage-control/modules/lookups/reputation/signals.js';

/** A list that a benchmark made. */
export interface MadeList {
  readonly name: string;
  readonly signal: ListSignal;
  readonly format: TextFormat;
  readonly content: Buffer;
}

/** Shares of the entries: a large list of addresses, others much smaller, as real ones are. */
const shapes = [
  { name: 'abusers', signal: 'proxy', format: 'addresses', share: 0.7 },
  { name: 'vpns', signal: 'vpn', format: 'cidrs', share: 0.15 },
  { name: 'centers', signal: 'hosting', format: 'cidrs', share: 0.1 },
  { name: 'exits', signal: 'tor_exit', format: 'tor_exit', share: 0.02 },
  { name: 'homes', signal: 'residential', format: 'cidrs', share: 0.02 },
  { name: 'networks', signal: 'abuse_asn', format: 'asns', share: 0.01 },
] as const;

/** Six lists with this many entries in all, in no order, the same ones every time. */
export function makeLists(entries: number): MadeList[] {
  return shapes.map(({ share, ...shape }, index) => {
    const count = Math.round(entries * share);
    const lines = Array.from({ length: count }, (_, n) => lineOf(shape.format, index + 1, n));
    return { ...shape, content: Buffer.from(`${lines.join('\n')}\n`) };
  });
}

function lineOf(format: TextFormat, list: number, n: number): string {
  if (format === 'asns') return `AS${131_072 + n * 7}`;
  const value = Math.imul(n, 2_654_435_761 + 2 * list) >>> 2;
  // from 20.0.0.0 on: 64 networks of a first octet, without those of the private ranges
  const text = `${20 + (value >>> 24)}.${(value >>> 16) & 255}.${(value >>> 8) & 255}`;
  if (format === 'cidrs') return n % 4 === 0 ? `${text}.0/24` : `${text}.${value & 255}`;
  return `${text}.${value & 255}`;
}

/** Addresses to be judged, in no order, as texts. */
export function makeAddresses(count: number): string[] {
  return Array.from({ length: count }, (_, n) => {
    const value = Math.imul(n + 1, 2_246_822_519) >>> 0;
    return `${1 + ((value >>> 24) % 99)}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;
  });
}
