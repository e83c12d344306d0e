import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';

/** Wrong codes after which a code is no longer accepted. */
export const MAX_TRIES = 5;

/** A code of so many digits. */
export function newCode(digits: number): string {
  return String(randomInt(10 ** digits)).padStart(digits, '0');
}

/** Keyed hash of a code for one recipient: a code has few digits, and a plain hash of it could be looked up. */
export function hashCode(
  { channelId, address, code }: { readonly channelId: string; readonly address: string; readonly code: string },
  key: Uint8Array,
): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([channelId, address, code]))
    .digest();
}

/** Judgment on a code that a caller sent. */
export type CodeJudgment = 'accepted' | 'wrong' | 'ended';

/** Judges a code: after its time, or after five wrong ones, none is accepted. */
export function judgeCode(
  stored: { readonly hash: Buffer | null; readonly expiresAtMs: number | null; readonly tries: number } | null,
  given: Buffer,
  nowMs: number,
): CodeJudgment {
  if (stored === null || stored.hash === null || stored.expiresAtMs === null) return 'ended';
  if (stored.expiresAtMs <= nowMs || stored.tries >= MAX_TRIES) return 'ended';
  return stored.hash.length === given.length && timingSafeEqual(stored.hash, given) ? 'accepted' : 'wrong';
}
