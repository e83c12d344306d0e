import { createHash } from 'node:crypto';
import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { isSameHash, makeToken, parseToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import type { Knex } from 'knex';
import { ApiError } from '../../http/errors.js';
import {
  type ChallengeRow,
  consumeChallenges,
  countMailed,
  insertChallenge,
  lockChallenge,
} from './challenge-store.js';

/** What somebody can be asked to prove, and how long they have. A further factor is one more line. */
export const challengeKinds = {
  email_verification: { lifeMs: 24 * 3_600_000 },
  password_reset: { lifeMs: 30 * 60_000 },
} as const satisfies Record<string, { readonly lifeMs: number }>;

export type ChallengeKind = keyof typeof challengeKinds;

/** Mails with a challenge that one address gets within an hour at most: the forms that ask for them are open to anybody. */
const MAX_PER_HOUR = 5;

/** Questions that were asked and wait for their answer: a token that came by mail. */
export class Challenges {
  constructor(private readonly clock: Clock) {}

  /** Asks, in the caller's transaction; the token is shown once. Null when the address got too many of late. */
  async issue(
    trx: Knex,
    { kind, userId, email }: { kind: ChallengeKind; userId: string; email: string },
  ): Promise<string | null> {
    const now = this.clock.now();
    const recipientHash = createHash('sha256').update(email).digest();
    if ((await countMailed(trx, recipientHash, new Date(now - 3_600_000))) >= MAX_PER_HOUR) return null;
    const { token, tokenId, secretHash } = makeToken(tokenPrefixes.challenge);
    await insertChallenge(trx, {
      id: newId(idPrefixes.challenge, now),
      kind,
      token_id: tokenId,
      secret_hash: secretHash,
      user_id: userId,
      recipient_hash: recipientHash,
      data: { email },
      created_at: new Date(now),
      expires_at: new Date(now + challengeKinds[kind].lifeMs),
    });
    return token;
  }

  /**
   * The challenge that a token answers, locked in the caller's transaction and not yet used up; `wasUsed` tells that it
   * was before. @throws ApiError AUTH_OTP_INVALID, AUTH_OTP_EXPIRED
   */
  async find(
    trx: Knex.Transaction,
    kind: ChallengeKind,
    token: string,
  ): Promise<{
    readonly id: string;
    readonly userId: string;
    readonly data: Record<string, unknown>;
    readonly wasUsed: boolean;
  }> {
    const parsed = parseToken(tokenPrefixes.challenge, token);
    const row = parsed === null ? null : await lockChallenge(trx, parsed.tokenId);
    if (parsed === null || row === null || row.kind !== kind || !isAnswer(row, parsed.secretHash)) {
      throw new ApiError('AUTH_OTP_INVALID');
    }
    if (row.expires_at.getTime() <= this.clock.now()) throw new ApiError('AUTH_OTP_EXPIRED');
    return { id: row.id, userId: row.user_id ?? '', data: row.data, wasUsed: row.consumed_at !== null };
  }

  /** Uses up every open challenge of a user of one kind. */
  consumeAll(trx: Knex, userId: string, kind: ChallengeKind): Promise<void> {
    return consumeChallenges(trx, userId, kind, new Date(this.clock.now()));
  }
}

function isAnswer(row: ChallengeRow, secretHash: Buffer): boolean {
  return row.secret_hash !== null && isSameHash(row.secret_hash, secretHash);
}
