import { endianness } from 'node:os';
import { type ProtocolNumber, protocols } from './protocols.js';

/** Arguments of setsockopt(2) that let only answers in; null for protocols without such a filter. */
export interface IcmpFilter {
  readonly level: number;
  readonly option: number;
  readonly mask: Buffer;
}

// Linux: SOL_RAW with ICMP_FILTER takes a 32-bit mask, SOL_ICMPV6 with ICMPV6_FILTER 256 bits; a set bit blocks a type.
const shapes = {
  [protocols.icmp]: { level: 255, option: 1, words: 1, types: [0, 3, 11, 12] },
  [protocols.icmpV6]: { level: 58, option: 1, words: 8, types: [1, 2, 3, 4, 129] },
} as const;

/** Echo replies and errors pass; without it every socket wakes up for each ping that others send to this machine. */
export function answersOnly(protocol: ProtocolNumber): IcmpFilter | null {
  if (protocol !== protocols.icmp && protocol !== protocols.icmpV6) return null;
  const { level, option, words, types } = shapes[protocol];
  const mask = Buffer.alloc(words * 4, 0xff);
  for (const type of types) clearBit(mask, type);
  return { level, option, mask };
}

function clearBit(mask: Buffer, bit: number): void {
  const byteInWord = (bit >> 3) & 3;
  const offset = (bit >> 5) * 4 + (endianness() === 'LE' ? byteInWord : 3 - byteInWord);
  mask.writeUInt8(mask.readUInt8(offset) & ~(1 << (bit & 7)), offset);
}
