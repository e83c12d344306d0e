import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Actor } from '../../../audit-log/actor.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import { ApiError } from '../../../http/errors.js';
import { listSecondFactors } from '../factors/factor-store.js';
import type { SecondFactor } from '../factors/second-factor.js';
import { type Judgement, judgeSignIn, type Proof } from '../judgement/judge-sign-in.js';
import { type Profile, profileOf } from '../profile/profile.js';
import type { SecurityNotices } from '../profile/security-notices.js';
import { findUser, lockUser, type UserRow } from '../profile/store.js';
import { listSessionPlaces } from '../sessions/session-store.js';
import type { ClientInfo, TokenPair } from '../sessions/sessions.js';
import type { AttemptLimits } from '../sign-in/attempt-limits.js';
import { type Challenges, challengeKinds } from '../sign-in/challenges.js';
import { isNewPlace } from './new-place.js';

/** Answers that a sign-in which waits for a second factor takes. */
const MAX_ANSWERS = 5;

/** Opens a session in the caller's transaction. */
export type OpenSession<T> = (
  trx: Knex,
  userId: string,
  proof: { methods: readonly Proof[]; client: ClientInfo },
) => Promise<T>;

interface CompletionOptions<T> {
  readonly db: Knex;
  readonly clock: Clock;
  readonly challenges: Challenges;
  readonly limits: AttemptLimits;
  readonly secondFactor: SecondFactor;
  readonly notices: SecurityNotices;
  readonly open: OpenSession<T>;
  /** True if an address must be verified before its user signs in. */
  readonly needsVerifiedEmail: boolean;
}

/** A user who signed in, and the tokens of the session. */
export interface SignedIn<T = TokenPair> {
  readonly tokens: T;
  readonly user: Profile;
}

/** Client and actor of a sign-in. */
export interface SignInBy {
  readonly client: ClientInfo;
  readonly actor: Actor;
}

/**
 * Completes sign-ins: opens the session of those that `judgeSignIn` grants, and keeps those that wait for a second factor.
 * Every way to sign in ends here.
 */
export class Completion<T extends { readonly sessionId: string } = TokenPair> {
  constructor(private readonly options: CompletionOptions<T>) {}

  /**
   * Completes the sign-in of a user who is locked in the caller's transaction, or says why not: the error is to be thrown after the
   * commit, since a sign-in that waits is stored. With a second factor missing, it is AUTH_2FA_REQUIRED with a challenge.
   */
  async complete(
    trx: Knex,
    user: UserRow,
    { proofs, by }: { readonly proofs: readonly Proof[]; readonly by: SignInBy },
  ): Promise<SignedIn<T> | ApiError> {
    const judgement = await this.#judge(trx, user, proofs);
    if (judgement.kind === 'complete') return this.#open(trx, user, { proofs, by });
    if (judgement.kind === 'refused') {
      await this.options.limits.refuse({ user, actor: by.actor, what: 'password' }, trx);
      return refusal(judgement);
    }
    const { challenges } = this.options;
    const challenge = await challenges.open(trx, { kind: 'pending_sign_in', userId: user.id, facts: { proofs } });
    const expires_in = challengeKinds.pending_sign_in.lifeMs / 1_000;
    return new ApiError('AUTH_2FA_REQUIRED', { meta: { challenge, factors: judgement.factors, expires_in } });
  }

  /**
   * Proofs of a sign-in together with its second factor, if it needs one and `otp` is given; else those that it has. Call it
   * outside a transaction, after the first proof. @throws ApiError AUTH_2FA_INVALID, RATE_LIMIT_EXCEEDED
   */
  async withSecondFactor(
    user: UserRow,
    first: readonly Proof[],
    { otp, actor }: { readonly otp?: string | undefined; readonly actor: Actor },
  ): Promise<readonly Proof[]> {
    const { db, secondFactor } = this.options;
    const judgement = otp === undefined ? null : await this.#judge(db, user, first);
    if (otp === undefined || judgement?.kind !== 'needs-factor') return first;
    return [...first, await secondFactor.prove(user, otp, actor)];
  }

  /**
   * Completes a sign-in that waits for a second factor. Five wrong codes end it.
   * @throws ApiError AUTH_SESSION_INVALID for an unknown, used or expired challenge, AUTH_2FA_INVALID, RATE_LIMIT_EXCEEDED, and
   * refusals of judgeSignIn
   */
  async answer({ challenge: token, otp }: { challenge: string; otp: string }, by: SignInBy): Promise<SignedIn<T>> {
    const { db, challenges, secondFactor } = this.options;
    // counted before it is compared: of many at once, five are compared
    const waiting = await db.transaction(async (trx) => {
      const challenge = await challenges.find(trx, 'pending_sign_in', token);
      return { challenge, answers: await challenges.countAnswer(trx, challenge) };
    });
    const user = await findUser(db, waiting.challenge.userId);
    if (user === null || waiting.answers > MAX_ANSWERS) throw new ApiError('AUTH_SESSION_INVALID');
    const second = await secondFactor.prove(user, otp, by.actor);
    return this.run(async (trx) => {
      const { userId, data } = await challenges.find(trx, 'pending_sign_in', token);
      const current = await lockUser(trx, userId);
      if (current === null) throw new ApiError('AUTH_SESSION_INVALID');
      await challenges.use(trx, waiting.challenge);
      return this.complete(trx, current, { proofs: [...(data['proofs'] as Proof[]), second], by });
    });
  }

  /** Runs a transaction that ends in `complete`, and throws the error that it returned after the commit. */
  async run(work: (trx: Knex.Transaction) => Promise<SignedIn<T> | ApiError>): Promise<SignedIn<T>> {
    const outcome = await this.options.db.transaction(work);
    if (outcome instanceof ApiError) throw outcome;
    return outcome;
  }

  async #judge(db: Knex, user: UserRow, proofs: readonly Proof[]): Promise<Judgement> {
    const { clock, needsVerifiedEmail } = this.options;
    const secondFactors = await listSecondFactors(db, user.id);
    return judgeSignIn({ ...user, secondFactors }, new Set(proofs), { now: clock.now(), needsVerifiedEmail });
  }

  async #open(
    trx: Knex,
    user: UserRow,
    { proofs, by: { client, actor } }: { readonly proofs: readonly Proof[]; readonly by: SignInBy },
  ): Promise<SignedIn<T>> {
    const methods = proofs.map((proof) => (proof === 'registration' ? 'password' : proof));
    if (isNewPlace(client, await listSessionPlaces(trx, user.id))) {
      const name = client.userAgent?.slice(0, 200) ?? '';
      await this.options.notices.enqueue(trx, user, { kind: 'sign_in.new_place', name, actor });
    }
    const tokens = await this.options.open(trx, user.id, { methods, client });
    await insertAuditEntry(trx, {
      actor: { ...actor, userId: user.id, credentialId: tokens.sessionId },
      accountId: user.id,
      action: 'session.created',
      subject: tokens.sessionId,
      details: { methods },
    });
    return { tokens, user: profileOf(user) };
  }
}

function refusal({ code, restorableUntil }: Extract<Judgement, { kind: 'refused' }>): ApiError {
  if (restorableUntil === undefined) return new ApiError(code);
  const message = `is erased on ${restorableUntil.toISOString().slice(0, 10)}; the link in the mail about it restores the account until then`;
  return new ApiError(code, { details: { account: [{ code: 'refused', message }] } });
}
