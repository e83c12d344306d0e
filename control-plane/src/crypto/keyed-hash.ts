import { createHmac, hkdfSync } from 'node:crypto';

/**
 * Hashes for one purpose under a key derived from the installation's (32 bytes): whoever has the database alone cannot
 * try short codes against them.
 */
export function keyedHash(secretKey: Uint8Array, purpose: string): (text: string) => Buffer {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', `vantage ${purpose} v1`, 32));
  return (text) => createHmac('sha256', key).update(text).digest();
}
