import {
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type RegistrationResponseJSON,
  type WebAuthnCredential,
} from '@simplewebauthn/server';
import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import type { Static } from 'typebox';
import type { Actor } from '../../../audit-log/actor.js';
import { happened } from '../../../audit-log/happened.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import { refuseRevoked } from '../../../authentication/index.js';
import { afterCommit } from '../../../db/after-commit.js';
import { credentialChanged } from '../../../events/index.js';
import { ApiError, businessError, fieldError } from '../../../http/errors.js';
import { cleanLine } from '../profile/profile.js';
import type { SecurityNotices } from '../profile/security-notices.js';
import { findUser, lockUser, type UserRow } from '../profile/store.js';
import { type Challenges, challengeKinds } from '../sign-in/challenges.js';
import { deletePasskey, insertPasskey, listPasskeys, type PasskeyRow, renamePasskey } from './factor-store.js';
import { requireWayIn, waysInOf } from './last-way-in.js';
import { type PasskeySite, requireSite } from './passkey-site.js';
import type { PasskeySchema } from './schema.js';
import { toPasskey } from './second-factor.js';
import { verifyRegistration } from './webauthn.js';

type Passkey = Static<typeof PasskeySchema>;

/** Greatest number of passkeys of a user. */
export const MAX_PASSKEYS = 20;

interface PasskeysOptions {
  readonly db: Knex;
  readonly clock: Clock;
  /** Null where there are no passkeys. */
  readonly site: PasskeySite | null;
  /** Ways to sign in that the installation offers. */
  readonly methods: Parameters<typeof waysInOf>[2];
  readonly challenges: Challenges;
  readonly notices: SecurityNotices;
  /** Called after what protects an account has changed. */
  readonly revoked: (userId: string) => void;
}

/** Passkeys of users: adds, renames and removes them. */
export class Passkeys {
  constructor(private readonly options: PasskeysOptions) {}

  /** Challenge of a registration, and the options for the browser. @throws ApiError 422 without passkeys here, and after 20 */
  async startRegistration(
    userId: string,
  ): Promise<{ challenge: string; options: PublicKeyCredentialCreationOptionsJSON }> {
    const { db, challenges } = this.options;
    const { rpId } = requireSite(this.options.site);
    const user = await findUser(db, userId);
    if (user === null) throw new ApiError('ACCOUNT_NOT_FOUND');
    const own = await listForOneMore(db, userId);
    const options = await generateRegistrationOptions({
      rpName: 'Vantage',
      rpID: rpId,
      userID: new Uint8Array(Buffer.from(userId)),
      userName: user.email ?? userId,
      userDisplayName: user.display_name ?? '',
      timeout: challengeKinds.passkey_registration.lifeMs,
      excludeCredentials: own.map(({ credential_id: id, transports }) => ({
        id: id.toString('base64url'),
        transports,
      })),
      // found without a name, and two factors at once
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    const facts = { webauthn: options.challenge };
    return { challenge: await challenges.open(db, { kind: 'passkey_registration', userId, facts }), options };
  }

  /**
   * Stores the passkey that the browser made for a challenge.
   * @throws ApiError AUTH_WEBAUTHN_CHALLENGE_INVALID, CONFLICT when the passkey is known, 422 after 20, VALIDATION_FAILED, AUTH_SESSION_INVALID
   */
  async register(
    userId: string,
    request: { readonly challenge: string; readonly response: RegistrationResponseJSON; readonly name: string },
    actor: Actor,
  ): Promise<Passkey> {
    const { db, challenges } = this.options;
    const site = requireSite(this.options.site);
    const name = nameOf(request.name);
    const outcome = await db.transaction(async (trx) => {
      const challenge = await challenges.findOrNull(trx, 'passkey_registration', request.challenge);
      const expected = challenge?.userId === userId ? { challenge: String(challenge.data['webauthn']), site } : null;
      const credential = expected === null ? null : await verifyRegistration(request.response, expected);
      if (challenge === null || credential === null) {
        await insertAuditEntry(trx, { actor, accountId: userId, action: 'passkey.refused', subject: userId });
        return null;
      }
      await challenges.use(trx, challenge);
      return this.#insert(trx, { userId, name, credential, actor });
    });
    if (outcome === null) throw new ApiError('AUTH_WEBAUTHN_CHALLENGE_INVALID');
    return toPasskey(outcome);
  }

  /** Renames a passkey of a user. @throws ApiError NOT_FOUND, VALIDATION_FAILED */
  async rename(userId: string, change: { readonly id: string; readonly name: string }, actor: Actor): Promise<Passkey> {
    const { id } = change;
    const name = nameOf(change.name);
    return this.options.db.transaction(async (trx) => {
      const passkey = await renamePasskey(trx, { id, userId, name });
      if (passkey === null) throw new ApiError('NOT_FOUND');
      await insertAuditEntry(trx, {
        actor,
        accountId: userId,
        action: 'passkey.renamed',
        subject: id,
        details: { name },
      });
      return toPasskey(passkey);
    });
  }

  /** Removes a passkey of a user. @throws ApiError NOT_FOUND, CONFLICT for the last way to sign in, AUTH_SESSION_INVALID */
  async remove(userId: string, id: string, actor: Actor): Promise<void> {
    await this.options.db.transaction(async (trx) => {
      const user = await this.#lock(trx, userId, actor);
      const passkey = await deletePasskey(trx, { id, userId });
      if (passkey === null) throw new ApiError('NOT_FOUND');
      requireWayIn(await waysInOf(trx, user, this.options.methods));
      await this.#record(trx, user, { action: 'passkey.removed', passkey, actor });
    });
  }

  async #insert(
    trx: Knex.Transaction,
    { userId, name, credential, actor }: { userId: string; name: string; credential: WebAuthnCredential; actor: Actor },
  ): Promise<PasskeyRow> {
    const user = await this.#lock(trx, userId, actor);
    await listForOneMore(trx, userId);
    const now = this.options.clock.now();
    const passkey: PasskeyRow = {
      id: newId(idPrefixes.passkey, now),
      user_id: userId,
      credential_id: Buffer.from(credential.id, 'base64url'),
      public_key: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: credential.transports ?? [],
      name,
      created_at: new Date(now),
      last_used_at: null,
    };
    if (!(await insertPasskey(trx, passkey))) throw new ApiError('CONFLICT');
    await this.#record(trx, user, { action: 'passkey.added', passkey, actor });
    return passkey;
  }

  /** Locks a user whose request is still admitted, to change what protects the account. */
  async #lock(trx: Knex.Transaction, userId: string, actor: Actor): Promise<UserRow> {
    const user = await lockUser(trx, userId);
    if (user === null) throw new ApiError('ACCOUNT_NOT_FOUND');
    await refuseRevoked(trx, actor);
    afterCommit(trx, () => this.options.revoked(userId));
    return user;
  }

  async #record(
    trx: Knex,
    user: UserRow,
    { action, passkey, actor }: { action: 'passkey.added' | 'passkey.removed'; passkey: PasskeyRow; actor: Actor },
  ): Promise<void> {
    const { id: subject, name } = passkey;
    const event = credentialChanged(user.id, subject, action);
    await happened(trx, { actor, accountId: user.id, action, subject, details: { name }, event });
    await this.options.notices.enqueue(trx, user, { kind: action, name, actor });
  }
}

/** Passkeys of a user who may have one more. @throws ApiError 422 */
async function listForOneMore(db: Knex, userId: string): Promise<PasskeyRow[]> {
  const own = await listPasskeys(db, userId);
  if (own.length < MAX_PASSKEYS) return own;
  throw businessError('passkey', 'refused', `an account has at most ${MAX_PASSKEYS} passkeys; remove one first`);
}

/** @throws ApiError VALIDATION_FAILED */
function nameOf(text: string): string {
  const name = cleanLine(text, 'name');
  if (name === null) throw fieldError('name', 'required', 'must not be blank');
  return name;
}
