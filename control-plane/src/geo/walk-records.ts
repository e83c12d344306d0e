import type { DecodeBudget } from './mmdb/decode-budget.js';
import type { MmdbReader } from './mmdb/mmdb-reader.js';

/** First addresses that are walked over; smaller ones are reserved. */
const starts = [
  { family: 4, bits: 32n, first: 1n << 24n },
  { family: 6, bits: 128n, first: 1n << 125n },
] as const;

/**
 * Records of a database in the order of their ranges, those of IPv4 first; null for a range without one.
 * @throws MmdbError if it is damaged, or its records together take more than the budget
 */
export function* walkRecords(reader: MmdbReader, budget: DecodeBudget): Generator<unknown> {
  for (const { family, bits, first } of starts) {
    if (!reader.covers({ family })) return;
    let value: bigint = first;
    while (value < 1n << bits) {
      const { record, prefixLength } = reader.find({ family, value }, budget);
      yield record;
      const size = 1n << (bits - BigInt(prefixLength));
      value = (value / size + 1n) * size;
    }
  }
}
