import { randomInt } from 'node:crypto';
import { isSameHash, parseToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import type { Knex } from 'knex';
import type { Actor } from '../../../audit-log/actor.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import { ApiError, fieldError } from '../../../http/errors.js';
import type { Completion, SignedIn, SignInBy } from '../completion/completion.js';
import { lockUser } from '../profile/store.js';
import { findSession } from '../sessions/session-store.js';
import type { ClientInfo, TokenPair } from '../sessions/sessions.js';
import { type Challenges, challengeKinds, type OpenChallenge } from '../sign-in/challenges.js';

// Two secrets, so that a photograph of the picture signs no one in:
//
//   challenge   the starting device alone has it, and gets the session with it
//   token       in the picture: the person who approves sends it, with the two digits that they read off the device
//
// Both contain the public part of the challenge; the token adds a keyed hash of that, which is not stored.

const kind = 'qr_sign_in';
/** Seconds in which a device can be approved. */
export const QR_SECONDS = challengeKinds[kind].lifeMs / 1_000;
/** Wrong digits that end a QR code. */
const MAX_WRONG = 3;
const TOKEN_ID_LENGTH = 12;

interface QrSignInOptions<T extends { readonly sessionId: string }> {
  readonly db: Knex;
  readonly challenges: Challenges;
  readonly completion: Completion<T>;
  readonly publicUrl: string;
  readonly hashToken: (tokenId: string) => Buffer;
}

/** QR code that a device shows. */
export interface ShownQr {
  /** Two digits. */
  readonly code: string;
  readonly url: string;
}

type QrStatus = 'pending' | 'denied';

/** Person who approves a device. */
export interface QrApprover {
  readonly userId: string;
  readonly sessionId: string;
  readonly actor: Actor;
}

/** Signs a device in that another one, which is signed in, approves. */
export class QrSignIn<T extends { readonly sessionId: string } = TokenPair> {
  constructor(private readonly options: QrSignInOptions<T>) {}

  /** Starts the sign-in of a device; `challenge` is for that device alone. */
  async start({ address, userAgent }: ClientInfo): Promise<ShownQr & { readonly challenge: string }> {
    const { db, challenges } = this.options;
    const code = String(randomInt(100)).padStart(2, '0');
    const facts = { code, address, user_agent: userAgent?.slice(0, 500) ?? '' };
    const challenge = await challenges.open(db, { kind, userId: null, facts });
    return { challenge, code, url: this.#urlOf(challenge) };
  }

  /** Content of the page of a device that started, after it was loaded again. @throws ApiError AUTH_OTP_INVALID, AUTH_OTP_EXPIRED */
  async shown(challenge: string): Promise<ShownQr & { readonly status: QrStatus }> {
    const { data } = await this.#find(challenge);
    const status = data['status'] === 'denied' ? 'denied' : 'pending';
    return { code: String(data['code']), url: this.#urlOf(challenge), status };
  }

  /** State of the sign-in of a device; once it is approved, the session, once. @throws ApiError AUTH_OTP_INVALID, AUTH_OTP_EXPIRED, and refusals of judgeSignIn */
  async poll(challenge: string, by: SignInBy): Promise<SignedIn<T> | QrStatus> {
    const { challenges, completion } = this.options;
    const { data } = await this.#find(challenge);
    if (data['status'] !== 'approved') return data['status'] === 'denied' ? 'denied' : 'pending';
    return completion.run(async (trx) => {
      const found = await challenges.find(trx, kind, challenge);
      const user = await lockUser(trx, found.userId);
      const approver = await findSession(trx, String(found.data['session_id']));
      // an approval ends with the session that gave it
      if (user === null || approver === null || approver.is_revoked) throw new ApiError('AUTH_OTP_INVALID');
      await challenges.use(trx, found);
      return completion.complete(trx, user, { proofs: ['qr'], by });
    });
  }

  /** The device that shows a QR code, for the person who decides. @throws ApiError AUTH_OTP_INVALID, AUTH_OTP_EXPIRED */
  async look(token: string): Promise<{ readonly address: string; readonly userAgent: string | null }> {
    const { data } = await this.options.db.transaction((trx) => this.#undecided(trx, token));
    return { address: String(data['address']), userAgent: String(data['user_agent']) || null };
  }

  /**
   * Approves a device with the two digits that it shows; three wrong ones end its QR code. The caller has checked that the session is fresh.
   * @throws ApiError AUTH_OTP_INVALID, also for wrong digits, with `details`; AUTH_OTP_EXPIRED
   */
  async approve({ token, code }: { token: string; code: string }, person: QrApprover): Promise<void> {
    const isRight = await this.options.db.transaction(async (trx) => {
      const found = await this.#undecided(trx, token);
      if (code.trim() === found.data['code']) {
        const facts = { status: 'approved', session_id: person.sessionId };
        await this.options.challenges.note(trx, found, facts, person.userId);
        await this.#audit(trx, person, 'qr_sign_in.approved');
        return true;
      }
      await this.#refuse(trx, found, person);
      return false;
    });
    if (isRight) return;
    const { details } = fieldError('code', 'refused', 'is not what the other device shows');
    throw new ApiError('AUTH_OTP_INVALID', details === undefined ? {} : { details });
  }

  /** Refuses a device. @throws ApiError AUTH_OTP_INVALID, AUTH_OTP_EXPIRED */
  async deny(token: string, person: QrApprover): Promise<void> {
    await this.options.db.transaction(async (trx) => {
      await this.options.challenges.note(trx, await this.#undecided(trx, token), { status: 'denied' });
      await this.#audit(trx, person, 'qr_sign_in.denied');
    });
  }

  async #refuse(trx: Knex.Transaction, found: OpenChallenge, person: QrApprover): Promise<void> {
    const { challenges } = this.options;
    if ((await challenges.countAnswer(trx, found)) >= MAX_WRONG)
      await challenges.note(trx, found, { status: 'denied' });
    await this.#audit(trx, person, 'session.refused', { what: 'digits of a QR code' });
  }

  #audit(
    trx: Knex,
    { userId, actor }: QrApprover,
    action: 'qr_sign_in.approved' | 'qr_sign_in.denied' | 'session.refused',
    details?: { readonly what: string },
  ): Promise<void> {
    const entry = { actor, accountId: userId, action, subject: userId };
    return insertAuditEntry(trx, details === undefined ? entry : { ...entry, details });
  }

  #find(challenge: string): Promise<OpenChallenge> {
    return this.options.db.transaction((trx) => this.options.challenges.find(trx, kind, challenge));
  }

  /** The challenge of a token, locked, as long as no one has decided. */
  async #undecided(trx: Knex.Transaction, token: string): Promise<OpenChallenge> {
    const tokenId = token.slice(0, TOKEN_ID_LENGTH);
    const given = Buffer.from(token.slice(TOKEN_ID_LENGTH), 'base64url');
    if (!isSameHash(given, this.options.hashToken(tokenId))) throw new ApiError('AUTH_OTP_INVALID');
    const found = await this.options.challenges.findById(trx, kind, tokenId);
    if (found.data['status'] !== undefined) throw new ApiError('AUTH_OTP_INVALID');
    return found;
  }

  /** The token is in the fragment, which browsers do not send: no log and no Referer contains it. */
  #urlOf(challenge: string): string {
    const tokenId = parseToken(tokenPrefixes.challenge, challenge)?.tokenId ?? '';
    return `${this.options.publicUrl}/qr#${tokenId}${this.options.hashToken(tokenId).toString('base64url')}`;
  }
}
