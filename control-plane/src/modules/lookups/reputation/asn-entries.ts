import type { IpAddress } from '@vantage/shared/target-policy/address.js';
import type { Entries } from './score.js';

/** Sorts AS numbers in place, and returns each of them once. */
export function sortAsns(numbers: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  let kept = 0;
  for (const number of numbers.sort()) if (kept === 0 || numbers[kept - 1] !== number) numbers[kept++] = number;
  return numbers.slice(0, kept);
}

/** AS numbers. */
export class AsnEntries implements Entries {
  /** `numbers` are sorted. */
  constructor(private readonly numbers: Uint32Array) {}

  get count(): number {
    return this.numbers.length;
  }

  get bytes(): number {
    return this.numbers.byteLength;
  }

  find(_address: IpAddress, asn: number | null): string | null {
    if (asn === null) return null;
    let low = 0;
    let high = this.numbers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.numbers[middle] as number) < asn) low = middle + 1;
      else high = middle;
    }
    return this.numbers[low] === asn ? `AS${asn}` : null;
  }
}

/** True for numbers that no network on the Internet has (IANA registry of AS numbers). */
export function isReservedAsn(asn: number): boolean {
  return (
    asn === 0 || asn === 23_456 || (asn >= 64_496 && asn <= 131_071) || (asn >= 4_200_000_000 && asn <= 4_294_967_295)
  );
}
