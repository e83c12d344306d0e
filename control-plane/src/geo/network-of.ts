import { formatAddress, parseAddress } from '@vantage/shared/target-policy/address.js';

/** CIDR of the first `bits` bits of an address. @throws RangeError if the text is not an address */
export function networkOf(text: string, bits: number): string {
  const address = parseAddress(text);
  if (address === null) throw new RangeError(`"${text}" is not an address`);
  const { family, value } = address;
  const hostBits = BigInt((family === 4 ? 32 : 128) - bits);
  return `${formatAddress({ family, value: (value >> hostBits) << hostBits })}/${bits}`;
}
