import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Actor } from '../../../audit-log/actor.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import type { Sealer } from '../../../crypto/sealing.js';
import { ApiError } from '../../../http/errors.js';
import type { AccountMail } from '../profile/account-mail.js';
import { localesOfProfiles } from '../profile/profile.js';
import { findUser, findUserByEmail } from '../profile/store.js';
import { type Challenges, challengeKinds } from './challenges.js';
import type { SignInThrottle } from './sign-in-throttle.js';

const kind = 'sign_in_confirmation';

interface SignInConfirmationOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly challenges: Challenges;
  readonly throttle: SignInThrottle;
  readonly mail: AccountMail;
  readonly publicUrl: string;
  /** Seals outcomes: they contain addresses, and if a password was correct. */
  readonly sealer: Sealer;
  /** Schedules a call of `send` in the transaction of the request, so that its work does not delay the response. */
  readonly enqueueConfirmation: (trx: Knex, sealed: string) => Promise<unknown>;
}

/** Outcome of a password that was sent while its account waits. */
interface Outcome {
  readonly email: string;
  /** IP address that it came from. */
  readonly address: string;
  readonly isRight: boolean;
}

/** Lets owners sign in by a mailed link while others try passwords for their account from many networks. */
export class SignInConfirmation {
  constructor(private readonly options: SignInConfirmationOptions) {}

  /** Records a password that was sent while its account waits, with the same work for correct and wrong ones. */
  async record(trx: Knex, { actor, email, isRight }: { actor: Actor; email: string; isRight: boolean }): Promise<void> {
    const outcome: Outcome = { email, address: actor.address ?? '', isRight };
    const sealed = this.options.sealer.seal(Buffer.from(JSON.stringify(outcome))).toString('base64');
    await this.options.enqueueConfirmation(trx, sealed);
  }

  /**
   * Mails a link to the owner of a recorded password, if it was correct and the address of the account is verified. An
   * unverified address gets no such mail: a password reset by mail proves it, and ends all waits.
   * @throws SealBrokenError
   */
  async send(sealed: string): Promise<void> {
    const { db, clock, sealer, challenges, mail, publicUrl } = this.options;
    const { email, address, isRight }: Outcome = JSON.parse(sealer.open(Buffer.from(sealed, 'base64')).toString());
    if (!isRight) return;
    await db.transaction(async (trx) => {
      const user = await findUserByEmail(trx, email);
      if (user === null || user.disabled_at !== null || user.email_verified_at === null) return;
      const token = await challenges.issue(trx, { kind, userId: user.id, email, facts: { address } });
      if (token === null) return;
      const data = {
        link: `${publicUrl}/confirm-sign-in#${token}`,
        token,
        expiresMinutes: challengeKinds[kind].lifeMs / 60_000,
        address,
        at: new Date(clock.now()).toISOString(),
      };
      const { locale, timezone } = user;
      const reader = { locale: localesOfProfiles[locale], timezone };
      await mail.enqueue(trx, { to: email, ...reader, template: 'confirm-sign-in', data });
      // no entry in the audit log, which tokens can read: it would reveal that the password was correct
    });
  }

  /**
   * Admits the network that a link was mailed for, for a day, and ends the waits of the account.
   * @throws ApiError AUTH_OTP_INVALID, AUTH_OTP_EXPIRED, AUTH_ACCOUNT_DISABLED
   */
  async confirm(token: string, actor: Actor): Promise<void> {
    const { db, challenges, throttle } = this.options;
    await db.transaction(async (trx) => {
      const challenge = await challenges.find(trx, kind, token);
      const user = await findUser(trx, challenge.userId);
      const { email, address } = challenge.data;
      if (user === null || user.email !== email) throw new ApiError('AUTH_OTP_INVALID');
      if (user.disabled_at !== null) throw new ApiError('AUTH_ACCOUNT_DISABLED');
      await challenges.use(trx, challenge);
      await challenges.consumeAll(trx, user.id, kind);
      await throttle.letIn(trx, { userId: user.id, email: String(email), address: String(address) });
      const entry = { actor, accountId: user.id, subject: user.id, action: 'session.confirmed' } as const;
      await insertAuditEntry(trx, { ...entry, details: { address } });
    });
  }
}
