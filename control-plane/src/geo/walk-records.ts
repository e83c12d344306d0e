import { formatAddress } from '@vantage/shared/target-policy/address.js';
import type { Reader } from 'maxmind';

/** First addresses that are walked over; smaller ones are reserved. */
const starts = [
  { family: 4, bits: 32n, first: 1n << 24n },
  { family: 6, bits: 128n, first: 1n << 125n },
] as const;

/** Records of a database in the order of their ranges, those of IPv4 first; null for a range without one. @throws Error if it is damaged */
export function* walkRecords(reader: Reader<object>): Generator<object | null> {
  for (const { family, bits, first } of starts) {
    if (family === 6 && reader.metadata.ipVersion === 4) return;
    let value: bigint = first;
    while (value < 1n << bits) {
      const [record, prefixLength] = reader.getWithPrefixLength(formatAddress({ family, value }));
      yield record;
      const size = 1n << (bits - BigInt(prefixLength));
      value = (value / size + 1n) * size;
    }
  }
}
