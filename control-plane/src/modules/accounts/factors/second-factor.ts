import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Static } from 'typebox';
import type { Actor } from '../../../audit-log/actor.js';
import { happened } from '../../../audit-log/happened.js';
import { refuseRevoked } from '../../../authentication/index.js';
import type { Sealer } from '../../../crypto/sealing.js';
import { afterCommit } from '../../../db/after-commit.js';
import { credentialChanged } from '../../../events/index.js';
import { personOf, requireFresh } from '../../../http/access.js';
import { ApiError } from '../../../http/errors.js';
import type { Account } from '../../../http/route.js';
import type { SecondFactorProof } from '../judgement/judge-sign-in.js';
import type { SecurityNotices } from '../profile/security-notices.js';
import { findUser, lockUser, type UserRow } from '../profile/store.js';
import type { AttemptLimits } from '../sign-in/attempt-limits.js';
import {
  countRecoveryCodes,
  deleteSecondFactor,
  enableTotp,
  findTotp,
  type IdentityRow,
  insertTotp,
  listIdentities,
  listPasskeys,
  listSecondFactors,
  type PasskeyRow,
  replaceRecoveryCodes,
  type TotpRow,
  useRecoveryCode,
  useTotpStep,
} from './factor-store.js';
import { newRecoveryCodes, recoveryCodeOf } from './recovery-codes.js';
import type { FactorsSchema, IdentitySchema, PasskeySchema } from './schema.js';
import { newTotpSecret, stepOfCode, totpEnrollment } from './totp.js';

/** Time in which a secret that was set up can be enabled, in milliseconds. */
export const SETUP_LIFE_MS = 30 * 60_000;

interface SecondFactorOptions {
  readonly db: Knex;
  readonly clock: Clock;
  /** Seals secrets of authenticator apps. */
  readonly sealer: Sealer;
  readonly hashCode: (code: string) => Buffer;
  readonly limits: AttemptLimits;
  readonly notices: SecurityNotices;
  /** Name that an authenticator app shows for this service. */
  readonly issuer: string;
  /** Called after what protects an account has changed. */
  readonly revoked: (userId: string) => void;
}

/** Second factors of accounts: codes of an authenticator app (RFC 6238), and recovery codes for when it is lost. */
export class SecondFactor {
  constructor(private readonly options: SecondFactorOptions) {}

  /** Makes a secret that `enable` confirms, in place of one that was not confirmed. @throws ApiError CONFLICT when one is enabled, AUTH_SESSION_INVALID */
  async setUp(userId: string, actor: Actor): Promise<{ secret: string; otpauthUrl: string }> {
    const { clock, sealer, issuer } = this.options;
    const secret = newTotpSecret();
    const user = await this.#change(userId, actor, async (trx) => {
      if ((await findTotp(trx, userId))?.enabled_at) throw new ApiError('CONFLICT');
      await insertTotp(trx, { user_id: userId, sealed_secret: sealer.seal(secret), created_at: new Date(clock.now()) });
      return findUser(trx, userId);
    });
    return totpEnrollment(secret, { issuer, label: user?.email ?? userId });
  }

  /** The secret that was set up and waits for `enable`; null if there is none. */
  async pending(userId: string): Promise<{ secret: string; otpauthUrl: string } | null> {
    const { db, clock, sealer, issuer } = this.options;
    const totp = await findTotp(db, userId);
    if (totp === null || totp.enabled_at !== null) return null;
    if (clock.now() - totp.created_at.getTime() > SETUP_LIFE_MS) return null;
    const user = await this.#userOf(userId);
    return totpEnrollment(sealer.open(totp.sealed_secret), { issuer, label: user.email ?? userId });
  }

  /**
   * Enables the secret that was set up, after a code has confirmed it; returns the recovery codes, which are not shown again.
   * @throws ApiError CONFLICT when one is enabled or none was set up in time, AUTH_2FA_INVALID, RATE_LIMIT_EXCEEDED, AUTH_SESSION_INVALID
   */
  async enable(userId: string, code: string, actor: Actor): Promise<string[]> {
    const { db, clock } = this.options;
    const user = await this.#userOf(userId);
    const totp = await findTotp(db, userId);
    const isTooOld = totp === null || clock.now() - totp.created_at.getTime() > SETUP_LIFE_MS;
    if (isTooOld || totp.enabled_at !== null) throw new ApiError('CONFLICT');
    const step = await this.#limited(user, actor, async () => this.#stepOf(totp, code));
    return this.#change(userId, actor, async (trx) => {
      if (!(await enableTotp(trx, userId, new Date(clock.now()), step))) throw new ApiError('CONFLICT');
      await this.#record(trx, user, actor, 'factor.enabled');
      return this.#newCodes(trx, userId);
    });
  }

  /** Removes the authenticator app and the recovery codes. @throws ApiError CONFLICT when there is none, AUTH_2FA_INVALID, RATE_LIMIT_EXCEEDED, AUTH_SESSION_INVALID */
  async disable(userId: string, code: string, actor: Actor): Promise<void> {
    const user = await this.#userOf(userId);
    await this.#enabledOf(userId);
    await this.prove(user, code, actor);
    await this.#change(userId, actor, async (trx) => {
      if (!(await deleteSecondFactor(trx, userId))) throw new ApiError('CONFLICT');
      await this.#record(trx, user, actor, 'factor.disabled');
    });
  }

  /** Gives out new recovery codes in place of all earlier ones. @throws ApiError CONFLICT when there is no second factor, AUTH_SESSION_INVALID */
  async renewCodes(userId: string, actor: Actor): Promise<string[]> {
    const user = await this.#userOf(userId);
    return this.#change(userId, actor, async (trx) => {
      await this.#enabledOf(userId, trx);
      await this.#record(trx, user, actor, 'recovery_codes.created');
      return this.#newCodes(trx, userId);
    });
  }

  /** Ways that a user can sign in, and the protection of the account. @throws ApiError ACCOUNT_NOT_FOUND */
  async list(userId: string): Promise<Static<typeof FactorsSchema>> {
    const { db } = this.options;
    const user = await this.#userOf(userId);
    const enabledAt = (await findTotp(db, userId))?.enabled_at ?? null;
    return {
      totp: enabledAt === null ? null : { enabled_at: enabledAt.toISOString() },
      recovery_codes_left: await countRecoveryCodes(db, userId),
      has_password: user.password_hash !== null,
      passkeys: (await listPasskeys(db, userId)).map(toPasskey),
      identities: (await listIdentities(db, userId)).map(toIdentity),
    };
  }

  /**
   * Checks that the caller may change the password: where a second factor is on, with a session that is fresh.
   * @throws ApiError AUTH_2FA_REQUIRED, FORBIDDEN for credentials other than sessions
   */
  async requireFresh(account: Account): Promise<void> {
    if ((await listSecondFactors(this.options.db, personOf(account).id)).length === 0) return;
    if (account.freshness !== null) return requireFresh(account);
    const message = 'must be the access token of a login, since the account has a second factor';
    throw new ApiError('FORBIDDEN', { details: { authorization: [{ code: 'refused', message }] } });
  }

  /** Removes the second factor of a user in the caller's transaction; false if there was none. */
  remove(trx: Knex, userId: string): Promise<boolean> {
    return deleteSecondFactor(trx, userId);
  }

  /**
   * Uses up a code of the app or a recovery code, and says which it was. Wrong ones are counted like passwords, in counts of their own:
   * a correct password does not reset them. @throws ApiError AUTH_2FA_INVALID, RATE_LIMIT_EXCEEDED
   */
  async prove(user: UserRow, code: string, actor: Actor): Promise<SecondFactorProof> {
    return this.#limited(user, actor, async () => {
      const totp = await findTotp(this.options.db, user.id);
      if (totp === null || totp.enabled_at === null) return null;
      const step = this.#stepOf(totp, code);
      if (step !== null) return (await useTotpStep(this.options.db, user.id, step)) ? 'totp' : null;
      return (await this.#useRecoveryCode(user, code, actor)) ? 'recovery_code' : null;
    });
  }

  async #useRecoveryCode(user: UserRow, typed: string, actor: Actor): Promise<boolean> {
    const { db, clock, hashCode } = this.options;
    const code = recoveryCodeOf(typed);
    if (code === null) return false;
    return db.transaction(async (trx) => {
      if (!(await useRecoveryCode(trx, user.id, hashCode(code), new Date(clock.now())))) return false;
      await this.#record(trx, user, actor, 'recovery_code.used');
      return true;
    });
  }

  /** Result of a comparison that is counted until it succeeds. */
  async #limited<T>(user: UserRow, actor: Actor, compare: () => Promise<T | null>): Promise<T> {
    const result = await this.options.limits.limited({ user, actor, what: 'second factor' }, compare);
    if (result === null) throw new ApiError('AUTH_2FA_INVALID');
    return result;
  }

  #stepOf({ sealed_secret, last_step }: TotpRow, typed: string): number | null {
    const code = typed.replaceAll(/\s/g, '');
    if (!/^\d{6}$/.test(code)) return null;
    const { clock, sealer } = this.options;
    return stepOfCode(code, sealer.open(sealed_secret), { now: clock.now(), lastStep: last_step });
  }

  async #newCodes(trx: Knex, userId: string): Promise<string[]> {
    const codes = newRecoveryCodes();
    const hashes = codes.map((code) => this.options.hashCode(code.replace('-', '')));
    await replaceRecoveryCodes(trx, userId, hashes);
    return codes;
  }

  async #enabledOf(userId: string, db: Knex = this.options.db): Promise<void> {
    if (!(await findTotp(db, userId))?.enabled_at) throw new ApiError('CONFLICT');
  }

  async #userOf(userId: string): Promise<UserRow> {
    const user = await findUser(this.options.db, userId);
    if (user === null) throw new ApiError('ACCOUNT_NOT_FOUND');
    return user;
  }

  async #record(
    trx: Knex,
    user: UserRow,
    actor: Actor,
    action: 'factor.enabled' | 'factor.disabled' | 'recovery_codes.created' | 'recovery_code.used',
  ): Promise<void> {
    const event = credentialChanged(user.id, user.id, action);
    await happened(trx, { actor, accountId: user.id, action, subject: user.id, event });
    await this.options.notices.enqueue(trx, user, { kind: action, actor });
  }

  /** Changes what protects an account, one request at a time, as long as the session of the request lives. */
  #change<T>(userId: string, actor: Actor, write: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    return this.options.db.transaction(async (trx) => {
      await lockUser(trx, userId);
      await refuseRevoked(trx, actor);
      const result = await write(trx);
      afterCommit(trx, () => this.options.revoked(userId));
      return result;
    });
  }
}

/** A passkey as the API shows it. */
export function toPasskey({ id, name, created_at, last_used_at }: PasskeyRow): Static<typeof PasskeySchema> {
  return { id, name, created_at: created_at.toISOString(), last_used_at: last_used_at?.toISOString() ?? null };
}

/** An external account as the API shows it. */
export function toIdentity(row: IdentityRow): Static<typeof IdentitySchema> {
  const { id, provider, label, created_at, last_used_at } = row;
  const used = last_used_at?.toISOString() ?? null;
  return { id, provider, label, created_at: created_at.toISOString(), last_used_at: used };
}
