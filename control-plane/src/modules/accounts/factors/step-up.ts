import type { Knex } from 'knex';
import type { Actor } from '../../../audit-log/actor.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import { ApiError, fieldError } from '../../../http/errors.js';
import type { Freshness, StepUpFactor } from '../../../http/route.js';
import { findUser, type UserRow } from '../profile/store.js';
import type { Sessions } from '../sessions/sessions.js';
import type { EmailCodes } from '../sign-in/email-codes.js';
import type { PasswordCheck } from '../sign-in/password-check.js';
import type { PasskeyAnswer, PasskeyCheck } from './passkey-check.js';
import type { SecondFactor } from './second-factor.js';

interface StepUpOptions {
  readonly db: Knex;
  readonly sessions: Sessions;
  readonly check: PasswordCheck;
  readonly secondFactor: SecondFactor;
  readonly emailCodes: EmailCodes;
  readonly passkeyCheck: PasskeyCheck;
}

/** Proof of a person who confirms their identity again: one field. */
export interface StepUpProof {
  readonly password?: string;
  readonly otp?: string;
  /** Mailed. */
  readonly code?: string;
  readonly passkey?: PasskeyAnswer;
}

/** A session whose person proves their identity again. */
export interface SessionOfPerson {
  readonly userId: string;
  readonly sessionId: string;
  readonly freshness: Freshness;
  readonly actor: Actor;
}

/** Makes sessions fresh again, by a proof that the account accepts. */
export class StepUp {
  constructor(private readonly options: StepUpOptions) {}

  /**
   * Returns until when the session is fresh.
   * @throws ApiError VALIDATION_FAILED for a proof that the account does not accept, and the errors of each proof
   */
  async prove(proof: StepUpProof, session: SessionOfPerson): Promise<Date> {
    const { db, sessions } = this.options;
    const user = await findUser(db, session.userId);
    if (user === null) throw new ApiError('ACCOUNT_NOT_FOUND');
    const method = await this.#check(user, proof, session);
    return db.transaction(async (trx) => {
      const { userId, sessionId: id, actor } = session;
      await insertAuditEntry(trx, {
        actor,
        accountId: userId,
        action: 'session.stepped_up',
        subject: id,
        details: { methods: [method] },
      });
      return sessions.refreshProof(trx, { id, userId });
    });
  }

  async #check(user: UserRow, proof: StepUpProof, { freshness, actor }: SessionOfPerson): Promise<StepUpFactor> {
    const { check, secondFactor, emailCodes } = this.options;
    const [name, ...others] = Object.keys(proof);
    if (name === undefined || others.length > 0) throw fieldError('body', 'required', 'must have exactly one proof');
    if (proof.otp !== undefined) {
      accept('otp', freshness, 'totp');
      return secondFactor.prove(user, proof.otp, actor);
    }
    if (proof.code !== undefined) {
      accept('code', freshness, 'email_code');
      await emailCodes.prove(user, proof.code, actor);
      return 'email_code';
    }
    if (proof.passkey !== undefined) {
      accept('response', freshness, 'passkey');
      await this.#checkPasskey(user, proof.passkey, actor);
      return 'passkey';
    }
    accept('password', freshness, 'password');
    await check.prove({ user, password: proof.password ?? '', actor, field: 'password' });
    return 'password';
  }

  async #checkPasskey({ id: only }: UserRow, answer: PasskeyAnswer, actor: Actor): Promise<void> {
    const { db, passkeyCheck } = this.options;
    // a refusal is stored
    const user = await db.transaction((trx) => passkeyCheck.prove(trx, answer, { actor, only }));
    if (user === null) throw new ApiError('AUTH_WEBAUTHN_CHALLENGE_INVALID');
  }
}

/** @throws ApiError VALIDATION_FAILED */
function accept(field: string, { factors }: Freshness, factor: StepUpFactor): void {
  if (factors.includes(factor)) return;
  throw fieldError(field, 'refused', `this account confirms by ${factors.join(' or ')}`);
}
