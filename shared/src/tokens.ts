import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

// Layout of every secret that is shown once: <prefix><12 id><43 secret><6 checksum>, all base64url-safe letters.
//   id        public, indexed, may be logged
//   secret    256 random bits; only its SHA-256 is stored, which is enough for a random secret
//   checksum  CRC-32 over all before it, so that a typo is distinguished from a leaked token offline

/** The one list of secret prefixes (API specification 2.6, 5); `svc_rt_` and `svc_ch_` are refresh tokens and mailed challenges, `vcs_` sessions of browsers. */
export const tokenPrefixes = {
  enrollment: 'ent_',
  personalAccess: 'svc_pat_',
  liveApiKey: 'sk_live_',
  testApiKey: 'sk_test_',
  refresh: 'svc_rt_',
  challenge: 'svc_ch_',
  browser: 'vcs_',
  heartbeat: 'hb_',
} as const;
export type TokenPrefix = (typeof tokenPrefixes)[keyof typeof tokenPrefixes];

/** A secret taken apart. `secretHash` is the SHA-256 of the secret part, 32 bytes. */
export interface ParsedToken {
  readonly tokenId: string;
  readonly secretHash: Buffer;
}

/** Creates a secret; `token` is shown once and never stored. */
export function makeToken(prefix: TokenPrefix): ParsedToken & { readonly token: string } {
  const tokenId = randomBytes(9).toString('base64url');
  const secret = randomBytes(32).toString('base64url');
  const unchecked = prefix + tokenId + secret;
  return { token: unchecked + checksum(unchecked), tokenId, secretHash: sha256(secret) };
}

/**
 * Splits a secret into its parts; null when the form or the checksum is wrong, which never happens to an issued
 * secret.
 */
export function parseToken(prefix: TokenPrefix, token: string): ParsedToken | null {
  if (!token.startsWith(prefix) || token.length !== prefix.length + 12 + 43 + 6) return null;
  if (!/^[A-Za-z0-9_-]+$/.test(token)) return null;
  const unchecked = token.slice(0, -6);
  if (checksum(unchecked) !== token.slice(-6)) return null;
  const body = unchecked.slice(prefix.length);
  return { tokenId: body.slice(0, 12), secretHash: sha256(body.slice(12)) };
}

/** Part of a secret that may be shown later: its prefix and the first four characters of its public id. */
export function maskToken(prefix: TokenPrefix, tokenId: string): string {
  return `${prefix}${tokenId.slice(0, 4)}...`;
}

/** Compares two hashes in constant time. */
export function isSameHash(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

function checksum(text: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(text));
  return bytes.toString('base64url');
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
