import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import type { Clock } from '@vantage/shared/clock.js';
import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import type { Actor } from '../../../audit-log/actor.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import type { SecurityNotices } from '../profile/security-notices.js';
import { lockUser, type UserRow } from '../profile/store.js';
import type { AttemptLimits } from '../sign-in/attempt-limits.js';
import { type Challenges, challengeKinds } from '../sign-in/challenges.js';
import { findPasskey, type PasskeyRow, usePasskey } from './factor-store.js';
import { type PasskeySite, requireSite } from './passkey-site.js';
import { verifyAssertion } from './webauthn.js';

interface PasskeyCheckOptions {
  readonly db: Knex;
  readonly clock: Clock;
  /** Null where there are no passkeys. */
  readonly site: PasskeySite | null;
  readonly challenges: Challenges;
  readonly limits: AttemptLimits;
  readonly notices: SecurityNotices;
}

/** Response of a passkey to a challenge. */
export interface PasskeyAnswer {
  readonly challenge: string;
  readonly response: AuthenticationResponseJSON;
}

/** Checks that a person has a passkey of an account: to sign in, or for a session to become fresh again. */
export class PasskeyCheck {
  constructor(private readonly options: PasskeyCheckOptions) {}

  /** A challenge for any passkey of this site, and the options for the browser. @throws ApiError 422 where there are no passkeys */
  async start(): Promise<{ challenge: string; options: PublicKeyCredentialRequestOptionsJSON }> {
    const { db, challenges } = this.options;
    const { rpId } = requireSite(this.options.site);
    const timeout = challengeKinds.passkey_sign_in.lifeMs;
    const options = await generateAuthenticationOptions({ rpID: rpId, userVerification: 'required', timeout });
    const facts = { webauthn: options.challenge };
    return { challenge: await challenges.open(db, { kind: 'passkey_sign_in', userId: null, facts }), options };
  }

  /**
   * User whose passkey signed the challenge, locked in the caller's transaction; null for a response that is refused, with an entry in the
   * audit log, which is to be committed. `only`: id of the only user who may answer. @throws ApiError 422 where there are no passkeys
   */
  async prove(
    trx: Knex.Transaction,
    { challenge: token, response }: PasskeyAnswer,
    { actor, only }: { readonly actor: Actor; readonly only?: string },
  ): Promise<UserRow | null> {
    const { clock, challenges, limits } = this.options;
    const site = requireSite(this.options.site);
    const challenge = await challenges.findOrNull(trx, 'passkey_sign_in', token);
    const userId = userIdOf(response);
    const user = userId === null ? null : await lockUser(trx, userId);
    const passkey = user === null ? null : await findPasskey(trx, user.id, Buffer.from(response.id, 'base64url'));
    const isExpected = challenge !== null && passkey !== null && (only ?? passkey.user_id) === passkey.user_id;
    const expected = isExpected ? { challenge: String(challenge.data['webauthn']), site, passkey } : null;
    const counter = expected === null ? null : await verifyAssertion(response, expected);
    if (challenge === null || user === null || passkey === null || counter === null) {
      await limits.refuse({ user, actor, what: 'passkey' }, trx);
      return null;
    }
    await challenges.use(trx, challenge);
    if (await usePasskey(trx, passkey.id, { counter, at: new Date(clock.now()) })) return user;
    await this.#reportCopy(trx, user, { passkey, actor });
    return null;
  }

  /** Two authenticators sign with one key (WebAuthn Level 3 section 6.1.1). */
  async #reportCopy(
    trx: Knex,
    user: UserRow,
    { passkey, actor }: { passkey: PasskeyRow; actor: Actor },
  ): Promise<void> {
    const { id: subject, name } = passkey;
    await insertAuditEntry(trx, { actor, accountId: user.id, action: 'passkey.cloned', subject, details: { name } });
    await this.options.notices.enqueue(trx, user, { kind: 'passkey.cloned', name, actor });
  }
}

const userIdForm = new RegExp(idPattern(idPrefixes.user));

/** User that an authenticator stored with the passkey: the `userID` of its registration; null if it is no id. */
function userIdOf({ response }: AuthenticationResponseJSON): string | null {
  const id = Buffer.from(response.userHandle ?? '', 'base64url').toString();
  return userIdForm.test(id) ? id : null;
}
