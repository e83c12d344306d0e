import { createHash } from 'node:crypto';
import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { isSameHash, makeToken, parseToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import type { Knex } from 'knex';
import type { ErrorCode } from '../../../http/error-table.js';
import { ApiError } from '../../../http/errors.js';
import { mailboxKey } from '../profile/email.js';
import {
  type ChallengeRow,
  consumeChallenge,
  consumeChallenges,
  countAnswer,
  countMailed,
  findNewestChallenge,
  insertChallenge,
  lockChallenge,
  noteFacts,
} from './challenge-store.js';

/** Kind of challenge: its validity, and the errors of answers that are wrong or late. */
interface ChallengeRule {
  readonly lifeMs: number;
  /** Group of mails that it counts with; absent if it is not mailed. Forms that anyone can fill in must not use up the mails that only the correct password sends. */
  readonly countedWith?: 'forms' | 'right passwords';
  /** For an unknown, used or foreign one. */
  readonly invalid: ErrorCode;
  readonly expired: ErrorCode;
}

/** For what a person types or opens. */
const oneTime = { invalid: 'AUTH_OTP_INVALID', expired: 'AUTH_OTP_EXPIRED' } as const;

/** For the time that a person has to confirm with a passkey. */
const passkey = {
  lifeMs: 300_000,
  invalid: 'AUTH_WEBAUTHN_CHALLENGE_INVALID',
  expired: 'AUTH_WEBAUTHN_CHALLENGE_INVALID',
} as const;

/** Kinds of challenges. A further proof is one more line. */
export const challengeKinds = {
  email_verification: { ...oneTime, lifeMs: 24 * 3_600_000, countedWith: 'forms' },
  password_reset: { ...oneTime, lifeMs: 30 * 60_000, countedWith: 'forms' },
  /** To a new address of an account. */
  email_change: { ...oneTime, lifeMs: 24 * 3_600_000, countedWith: 'forms' },
  sign_in_confirmation: { ...oneTime, lifeMs: 30 * 60_000, countedWith: 'right passwords' },
  /** Six digits, kept as `code_hash`; found by its user, since the person types them instead of a token. */
  email_code: { ...oneTime, lifeMs: 10 * 60_000, countedWith: 'forms' },
  /** A device that shows a QR code, until a person approves it. */
  qr_sign_in: { ...oneTime, lifeMs: 120_000 },
  /** Restores an account that is to be erased. Its mail is not counted: it is the only way back. */
  account_restore: { ...oneTime, lifeMs: 14 * 24 * 3_600_000 },
  /** A sign-in that waits for a second factor. */
  pending_sign_in: { lifeMs: 600_000, invalid: 'AUTH_SESSION_INVALID', expired: 'AUTH_SESSION_INVALID' },
  passkey_registration: passkey,
  passkey_sign_in: passkey,
  /** A person who was sent to an external provider. */
  provider_request: { lifeMs: 600_000, invalid: 'AUTH_OAUTH_STATE_INVALID', expired: 'AUTH_OAUTH_STATE_INVALID' },
} as const satisfies Record<string, ChallengeRule>;

export type ChallengeKind = keyof typeof challengeKinds;

/** Greatest number of mails of one group within an hour, to one mailbox or address. */
const MAX_PER_HOUR = 5;

/**
 * Subject by which mails of a group are counted. Anyone can have mails of forms sent to any address of a mailbox; a correct password has them sent
 * to the verified address of its account alone, which others must not use up.
 */
const countedBy: Readonly<Record<'forms' | 'right passwords', (email: string) => string>> = {
  forms: mailboxKey,
  'right passwords': (email: string) => email,
};

/** Facts that are stored with a challenge. */
type Facts = Readonly<Record<string, string | readonly string[]>>;

/** Kinds that are sent by mail. */
type MailedKind = {
  [K in ChallengeKind]: (typeof challengeKinds)[K] extends { readonly countedWith: string } ? K : never;
}[ChallengeKind];

/** Request to issue a challenge. */
interface ChallengeRequest {
  readonly kind: MailedKind;
  readonly userId: string;
  /** E-mail address that it is mailed to. */
  readonly email: string;
  /** Facts that are stored with the challenge. */
  readonly facts?: Facts;
}

/** A challenge that has not been used. */
export interface OpenChallenge {
  readonly id: string;
  readonly kind: ChallengeKind;
  readonly userId: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The last challenge that a user was sent. */
export interface NewestChallenge extends OpenChallenge {
  readonly isUsed: boolean;
  readonly isExpired: boolean;
}

/** Challenges: one-time tokens, for those who read a mail, or who continue what they began. */
export class Challenges {
  constructor(private readonly clock: Clock) {}

  /** Issues a challenge that is mailed, in the caller's transaction, and returns its token; null if the hourly limit is reached. */
  async issue(trx: Knex, { kind, userId, email, facts = {} }: ChallengeRequest): Promise<string | null> {
    const now = this.clock.now();
    const counted = countedBy[challengeKinds[kind].countedWith](email);
    const recipientHash = createHash('sha256').update(counted).digest();
    if ((await countMailed(trx, recipientHash, kindsCountedWith(kind), new Date(now - 3_600_000))) >= MAX_PER_HOUR)
      return null;
    return this.#insert(trx, { kind, userId, recipientHash, data: { ...facts, email } });
  }

  /** Issues a challenge to the caller itself, in its transaction, and returns its token. `userId`: null if the user is not known yet. */
  open(
    trx: Knex,
    { kind, userId, facts = {} }: { kind: Exclude<ChallengeKind, MailedKind>; userId: string | null; facts?: Facts },
  ): Promise<string> {
    return this.#insert(trx, { kind, userId, recipientHash: null, data: facts });
  }

  /**
   * Finds the challenge of a token, locked in the caller's transaction; it stays unused.
   * @throws ApiError with the codes of the kind: `invalid`, also for a used token, and `expired`
   */
  async find(trx: Knex.Transaction, kind: ChallengeKind, token: string): Promise<OpenChallenge> {
    const parsed = parseToken(tokenPrefixes.challenge, token);
    const row = parsed === null ? null : await lockChallenge(trx, parsed.tokenId);
    if (parsed === null || row === null || !isAnswer(row, parsed.secretHash)) {
      throw new ApiError(challengeKinds[kind].invalid);
    }
    return this.#checked(row, kind);
  }

  /** As `find`, by the public part of the token, for a caller who has proven another secret. */
  async findById(trx: Knex.Transaction, kind: ChallengeKind, tokenId: string): Promise<OpenChallenge> {
    const row = await lockChallenge(trx, tokenId);
    if (row === null) throw new ApiError(challengeKinds[kind].invalid);
    return this.#checked(row, kind);
  }

  /** Adds facts to a challenge, and its user once known. */
  note(trx: Knex, { id }: Pick<OpenChallenge, 'id'>, facts: Facts, userId: string | null = null): Promise<void> {
    return noteFacts(trx, id, facts, userId);
  }

  /** Newest challenge of a kind of a user, also a used or expired one: earlier ones are not valid any more. Null if there is none. */
  async newest(db: Knex, kind: ChallengeKind, userId: string): Promise<NewestChallenge | null> {
    const row = await findNewestChallenge(db, userId, kind);
    if (row === null) return null;
    const isExpired = row.expires_at.getTime() <= this.clock.now();
    return { id: row.id, kind, userId, data: row.data, isUsed: row.consumed_at !== null, isExpired };
  }

  /** As `find`; null for a token that it refuses, for a caller that records the refusal in the same transaction. */
  async findOrNull(trx: Knex.Transaction, kind: ChallengeKind, token: string): Promise<OpenChallenge | null> {
    return this.find(trx, kind, token).catch((error: unknown) => {
      if (error instanceof ApiError) return null;
      throw error;
    });
  }

  /** Uses up a challenge: exactly one of several callers succeeds. @throws ApiError with the code `invalid` of the kind for all others */
  async use(trx: Knex, { id, kind }: Pick<OpenChallenge, 'id' | 'kind'>): Promise<void> {
    if (!(await consumeChallenge(trx, id, new Date(this.clock.now()))))
      throw new ApiError(challengeKinds[kind].invalid);
  }

  /**
   * Counts an answer before it is compared, in the caller's transaction, and returns its number, from 1. The last one that is allowed uses
   * up the challenge for any further answer.
   */
  countAnswer(trx: Knex, { id }: Pick<OpenChallenge, 'id'>): Promise<number> {
    return countAnswer(trx, id);
  }

  /** Uses up all open challenges of one kind of a user. */
  consumeAll(trx: Knex, userId: string, kind: ChallengeKind): Promise<void> {
    return consumeChallenges(trx, userId, kind, new Date(this.clock.now()));
  }

  #checked(row: ChallengeRow, kind: ChallengeKind): OpenChallenge {
    if (row.kind !== kind || row.consumed_at !== null) throw new ApiError(challengeKinds[kind].invalid);
    if (row.expires_at.getTime() <= this.clock.now()) throw new ApiError(challengeKinds[kind].expired);
    return { id: row.id, kind, userId: row.user_id ?? '', data: row.data };
  }

  async #insert(
    trx: Knex,
    row: { kind: ChallengeKind; userId: string | null; recipientHash: Buffer | null; data: Facts },
  ): Promise<string> {
    const now = this.clock.now();
    const { token, tokenId, secretHash } = makeToken(tokenPrefixes.challenge);
    await insertChallenge(trx, {
      id: newId(idPrefixes.challenge, now),
      kind: row.kind,
      token_id: tokenId,
      secret_hash: secretHash,
      user_id: row.userId,
      recipient_hash: row.recipientHash,
      data: row.data,
      created_at: new Date(now),
      expires_at: new Date(now + challengeKinds[row.kind].lifeMs),
    });
    return token;
  }
}

function kindsCountedWith(kind: MailedKind): ChallengeKind[] {
  const rules: Readonly<Record<ChallengeKind, ChallengeRule>> = challengeKinds;
  const kinds = Object.keys(rules) as ChallengeKind[];
  return kinds.filter((other) => rules[other].countedWith === rules[kind].countedWith);
}

function isAnswer(row: ChallengeRow, secretHash: Buffer): boolean {
  return row.secret_hash !== null && isSameHash(row.secret_hash, secretHash);
}
