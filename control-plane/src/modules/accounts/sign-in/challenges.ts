import { createHash } from 'node:crypto';
import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { isSameHash, makeToken, parseToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import type { Knex } from 'knex';
import { ApiError } from '../../../http/errors.js';
import { mailboxKey } from '../profile/email.js';
import {
  type ChallengeRow,
  consumeChallenge,
  consumeChallenges,
  countMailed,
  insertChallenge,
  lockChallenge,
} from './challenge-store.js';

/**
 * Kinds of challenges, with their validity, and the group of mails that they count with. A further factor is one more line.
 * Forms that anyone can fill in must not use up the mails that only the correct password sends.
 */
export const challengeKinds = {
  email_verification: { lifeMs: 24 * 3_600_000, countedWith: 'forms' },
  password_reset: { lifeMs: 30 * 60_000, countedWith: 'forms' },
  sign_in_confirmation: { lifeMs: 30 * 60_000, countedWith: 'right passwords' },
} as const satisfies Record<string, { readonly lifeMs: number; readonly countedWith: 'forms' | 'right passwords' }>;

export type ChallengeKind = keyof typeof challengeKinds;

/** Greatest number of mails of one group within an hour, to one mailbox or address. */
const MAX_PER_HOUR = 5;

/**
 * Subject by which mails of a group are counted. Anyone can have mails of forms sent to any address of a mailbox; a correct password has them sent
 * to the verified address of its account alone, which others must not use up.
 */
const countedBy = {
  forms: mailboxKey,
  'right passwords': (email: string) => email,
} as const;

/** Request to issue a challenge. */
interface ChallengeRequest {
  readonly kind: ChallengeKind;
  readonly userId: string;
  /** E-mail address that it is mailed to. */
  readonly email: string;
  /** Facts that are stored with the challenge. */
  readonly facts?: Readonly<Record<string, string>>;
}

/** A challenge that has not been used. */
export interface OpenChallenge {
  readonly id: string;
  readonly userId: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Challenges: one-time tokens that are mailed, and prove that their sender reads the mail. */
export class Challenges {
  constructor(private readonly clock: Clock) {}

  /** Issues a challenge in the caller's transaction, and returns its token; null if the hourly limit is reached. */
  async issue(trx: Knex, { kind, userId, email, facts = {} }: ChallengeRequest): Promise<string | null> {
    const now = this.clock.now();
    const counted = countedBy[challengeKinds[kind].countedWith](email);
    const recipientHash = createHash('sha256').update(counted).digest();
    if ((await countMailed(trx, recipientHash, kindsCountedWith(kind), new Date(now - 3_600_000))) >= MAX_PER_HOUR)
      return null;
    const { token, tokenId, secretHash } = makeToken(tokenPrefixes.challenge);
    await insertChallenge(trx, {
      id: newId(idPrefixes.challenge, now),
      kind,
      token_id: tokenId,
      secret_hash: secretHash,
      user_id: userId,
      recipient_hash: recipientHash,
      data: { ...facts, email },
      created_at: new Date(now),
      expires_at: new Date(now + challengeKinds[kind].lifeMs),
    });
    return token;
  }

  /**
   * Finds the challenge of a token, locked in the caller's transaction; it stays unused.
   * @throws ApiError AUTH_OTP_INVALID, also for a used token, AUTH_OTP_EXPIRED
   */
  async find(trx: Knex.Transaction, kind: ChallengeKind, token: string): Promise<OpenChallenge> {
    const parsed = parseToken(tokenPrefixes.challenge, token);
    const row = parsed === null ? null : await lockChallenge(trx, parsed.tokenId);
    if (parsed === null || row === null || row.kind !== kind || !isAnswer(row, parsed.secretHash)) {
      throw new ApiError('AUTH_OTP_INVALID');
    }
    if (row.expires_at.getTime() <= this.clock.now()) throw new ApiError('AUTH_OTP_EXPIRED');
    return { id: row.id, userId: row.user_id ?? '', data: row.data };
  }

  /** Uses up a challenge: exactly one of several callers succeeds. @throws ApiError AUTH_OTP_INVALID for all others */
  async use(trx: Knex, { id }: Pick<OpenChallenge, 'id'>): Promise<void> {
    if (!(await consumeChallenge(trx, id, new Date(this.clock.now())))) throw new ApiError('AUTH_OTP_INVALID');
  }

  /** Uses up all open challenges of one kind of a user. */
  consumeAll(trx: Knex, userId: string, kind: ChallengeKind): Promise<void> {
    return consumeChallenges(trx, userId, kind, new Date(this.clock.now()));
  }
}

function kindsCountedWith(kind: ChallengeKind): ChallengeKind[] {
  const kinds = Object.keys(challengeKinds) as ChallengeKind[];
  return kinds.filter((other) => challengeKinds[other].countedWith === challengeKinds[kind].countedWith);
}

function isAnswer(row: ChallengeRow, secretHash: Buffer): boolean {
  return row.secret_hash !== null && row.consumed_at === null && isSameHash(row.secret_hash, secretHash);
}
