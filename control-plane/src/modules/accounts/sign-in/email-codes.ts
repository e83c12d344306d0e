import { randomInt } from 'node:crypto';
import type { Clock } from '@vantage/shared/clock.js';
import { isSameHash } from '@vantage/shared/tokens.js';
import type { Knex } from 'knex';
import type { Actor } from '../../../audit-log/actor.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import type { Sealer } from '../../../crypto/sealing.js';
import { ApiError, limitReached } from '../../../http/errors.js';
import type { AccountMail } from '../profile/account-mail.js';
import { parseDeliverableEmail } from '../profile/email.js';
import { localesOfProfiles } from '../profile/profile.js';
import { findUserByEmail, lockUser, type UserRow } from '../profile/store.js';
import type { AttemptLimits } from './attempt-limits.js';
import { type Challenges, challengeKinds, type NewestChallenge } from './challenges.js';
import { codeTriesKey } from './sign-in-keys.js';
import { deleteFailures, lockFailures, updateFailures } from './sign-in-store.js';

const kind = 'email_code';
const LIFE_MS = challengeKinds[kind].lifeMs;
/** Codes that are compared for one address within the life of a code. */
const MAX_TRIES = 5;

interface EmailCodesOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly challenges: Challenges;
  readonly limits: AttemptLimits;
  readonly mail: AccountMail;
  readonly hashCode: (text: string) => Buffer;
  /** Seals requests for codes: they contain addresses. */
  readonly sealer: Sealer;
  /** Schedules a call of `send` in the transaction of the request, so that its work does not delay the response. */
  readonly enqueueCode: (trx: Knex, sealed: string) => Promise<unknown>;
}

/** Request for a code for an address. */
interface CodeRequest {
  readonly email: string;
  /** IP address of the request. */
  readonly address: string;
  readonly requestId: string | null;
}

/** Code that a caller claims to have been sent. */
export interface CodeClaim {
  /** Null if no account has the address. */
  readonly user: UserRow | null;
  /** As stored. */
  readonly email: string;
  readonly code: string;
  readonly actor: Actor;
  /** True if the caller already has credentials of the account; default: false. */
  readonly isSignedIn?: boolean;
}

/** Codes of six digits that are mailed to verified addresses. Only the newest one of a user is valid. */
export class EmailCodes {
  constructor(private readonly options: EmailCodesOptions) {}

  /** Accepts a request for a code, with the same work for every address. @throws ApiError VALIDATION_FAILED */
  async request(emailText: string, { address, requestId }: Actor): Promise<void> {
    const { db, sealer, enqueueCode } = this.options;
    const request: CodeRequest = { email: parseDeliverableEmail(emailText), address: address ?? '', requestId };
    const sealed = sealer.seal(Buffer.from(JSON.stringify(request))).toString('base64');
    await db.transaction((trx) => enqueueCode(trx, sealed));
  }

  /** Mails a code to the user with the verified address of a sealed request, if any. @throws SealBrokenError */
  async send(sealed: string): Promise<void> {
    const { db, sealer, challenges, mail } = this.options;
    const { email, address, requestId }: CodeRequest = JSON.parse(
      sealer.open(Buffer.from(sealed, 'base64')).toString(),
    );
    await db.transaction(async (trx) => {
      const user = await findUserByEmail(trx, email);
      if (user === null || user.disabled_at !== null || user.email_verified_at === null) return;
      const code = String(randomInt(1_000_000)).padStart(6, '0');
      const facts = { code_hash: this.#hash(user.id, code).toString('base64') };
      if ((await challenges.issue(trx, { kind, userId: user.id, email, facts })) === null) return;
      const data = { code, expiresMinutes: LIFE_MS / 60_000, address };
      await mail.enqueue(trx, { to: email, locale: localesOfProfiles[user.locale], template: 'email-code', data });
      const actor = { userId: null, credentialId: null, address, requestId };
      const entry = { actor, accountId: user.id, action: 'email_code.requested', subject: user.id } as const;
      await insertAuditEntry(trx, entry);
    });
  }

  /**
   * Checks a code, with the same work for every address; it stays unused. Five codes are compared for an address in ten minutes, and
   * wrong ones slow down the next like wrong passwords.
   * @throws ApiError AUTH_OTP_INVALID, AUTH_OTP_EXPIRED for the right code alone, AUTH_OTP_ATTEMPTS_EXCEEDED, RATE_LIMIT_EXCEEDED
   */
  async check({ user, email, code, actor, isSignedIn = false }: CodeClaim): Promise<void> {
    const { db, limits } = this.options;
    const claimant = { user, email, actor, isSignedIn, what: 'e-mail code' } as const;
    const right = await limits.limited(claimant, async () => {
      await this.#countTry(email);
      return this.#findRight(db, user, code);
    });
    if (right === null) throw new ApiError('AUTH_OTP_INVALID');
    if (!right.isExpired) return;
    await limits.refuse(claimant);
    throw new ApiError('AUTH_OTP_EXPIRED');
  }

  /** Uses up a code of a user who is locked in the caller's transaction; false if it is not valid any more. */
  async use(trx: Knex, user: UserRow, code: string): Promise<boolean> {
    const { challenges } = this.options;
    const right = await this.#findRight(trx, user, code);
    if (right === null || right.isExpired) return false;
    await challenges.use(trx, right);
    await deleteFailures(trx, [codeTriesKey(user.email ?? '')]);
    return true;
  }

  /** Checks a code of a user who has a session, and uses it up. @throws as check */
  async prove(user: UserRow, code: string, actor: Actor): Promise<void> {
    const { db, limits } = this.options;
    await this.check({ user, email: user.email ?? '', code, actor, isSignedIn: true });
    const isUsed = await db.transaction(async (trx) => {
      const current = await lockUser(trx, user.id);
      return current !== null && this.use(trx, current, code);
    });
    if (isUsed) return;
    await limits.refuse({ user, actor, what: 'e-mail code' });
    throw new ApiError('AUTH_OTP_INVALID');
  }

  /** The challenge of a code; null for any code but the newest one of the user's address, and after its use. */
  async #findRight(db: Knex, user: UserRow | null, typed: string): Promise<NewestChallenge | null> {
    const userId = user?.id ?? '';
    const newest = await this.options.challenges.newest(db, kind, userId);
    const stored = Buffer.from(String(newest?.data['code_hash'] ?? ''), 'base64');
    const isRight = isSameHash(this.#hash(userId, typed.replaceAll(/\s/g, '')), stored);
    return isRight && newest?.isUsed === false && newest.data['email'] === user?.email ? newest : null;
  }

  /** Counts a try before its code is compared, for known and unknown addresses. @throws ApiError AUTH_OTP_ATTEMPTS_EXCEEDED */
  async #countTry(email: string): Promise<void> {
    const { db, clock } = this.options;
    const now = clock.now();
    await db.transaction(async (trx) => {
      const [row] = await lockFailures(trx, [codeTriesKey(email)], new Date(now));
      if (row === undefined) return;
      // the count begins with its first try: later ones do not extend it
      const isOver = now - row.failed_at.getTime() >= LIFE_MS;
      const tries = isOver ? 0 : row.failures;
      const startedAt = isOver ? now : row.failed_at.getTime();
      if (tries >= MAX_TRIES) {
        const resetsAt = Math.ceil((startedAt + LIFE_MS) / 1_000) * 1_000;
        const allowance = { limit: MAX_TRIES, remaining: 0, resetsAt, isAllowed: false };
        throw limitReached('AUTH_OTP_ATTEMPTS_EXCEEDED', allowance);
      }
      await updateFailures(trx, { ...row, failures: tries + 1, failed_at: new Date(startedAt) });
    });
  }

  #hash(userId: string, code: string): Buffer {
    return this.options.hashCode(`${userId} ${code}`);
  }
}
