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
import { ApiError } from '../../../http/errors.js';
import type { Locale } from '../../../http/locale.js';
import { oneLine } from '../../../mail/one-line.js';
import type { Completion, SignedIn, SignInBy } from '../completion/completion.js';
import type { IdentityRow } from '../factors/factor-store.js';
import { requireWayIn, waysInOf } from '../factors/last-way-in.js';
import type { IdentitySchema } from '../factors/schema.js';
import { toIdentity } from '../factors/second-factor.js';
import { parseDeliverableEmail } from '../profile/email.js';
import { profileLocaleOf } from '../profile/profile.js';
import type { SecurityNotices } from '../profile/security-notices.js';
import { findUser, insertUser, lockUser, type UserRow } from '../profile/store.js';
import type { TokenPair } from '../sessions/sessions.js';
import { registrationClosed } from '../sign-in/registration-closed.js';
import { deleteIdentity, findIdentity, insertIdentity, noteIdentityUse } from './identity-store.js';
import type { Provider } from './provider.js';
import type { ExternalPerson } from './provider-kind.js';
import type { CallbackAnswer, LinkingSession, ProviderRequests } from './provider-requests.js';

// An external account is known by its provider and subject, never by its address: whoever gets an address at a provider
// gets no account that has it here.
//
//   linked                        signs its user in
//   unknown, address without      makes an account, if registration is open and the provider calls the address verified
//   an account
//   unknown, address with one     refused: its owner signs in and links

/** Greatest length of a name that a provider shows. */
const MAX_LABEL = 200;

interface ExternalSignInOptions<T extends { readonly sessionId: string }> {
  readonly db: Knex;
  readonly clock: Clock;
  readonly requests: ProviderRequests;
  readonly completion: Completion<T>;
  readonly notices: SecurityNotices;
  /** True if anyone may register an account. */
  readonly isRegistrationOpen: boolean;
  /** Ways to sign in that this installation offers. */
  readonly offered: { readonly passkey: boolean; readonly email_code: boolean };
  /** Called after what opens an account has changed. */
  readonly revoked: (userId: string) => void;
}

/** Client that comes back from a provider. */
export interface CallbackBy extends SignInBy {
  /** Session of the request; null if it has none. */
  readonly sessionId: string | null;
  /** Language of a new account. */
  readonly locale: Locale;
}

/** Result of a way to a provider and back. */
export type External<T> = { readonly signedIn: SignedIn<T> } | { readonly linked: Static<typeof IdentitySchema> };

/** Signs people in by their account at an external provider, and links such accounts. */
export class ExternalSignIn<T extends { readonly sessionId: string } = TokenPair> {
  constructor(private readonly options: ExternalSignInOptions<T>) {}

  /**
   * Address at which a person signs in, and the challenge that only this client has. `session`: fresh, of a user with a verified
   * address who links an account; null for a sign-in. @throws ApiError NOT_FOUND, VALIDATION_FAILED, ACCOUNT_EMAIL_UNVERIFIED, UNAVAILABLE
   */
  async start(
    providerId: string,
    options: { readonly redirectUri?: string | undefined; readonly session: LinkingSession | null },
  ): Promise<{ authorizationUrl: string; challenge: string }> {
    const { db, requests } = this.options;
    const { session } = options;
    const user = session === null ? null : await findUser(db, session.userId);
    if (user !== null && user.email_verified_at === null) throw new ApiError('ACCOUNT_EMAIL_UNVERIFIED');
    return requests.start(requests.get(providerId), options);
  }

  /**
   * Signs in, registers or links, by what the provider sent the browser back with.
   * @throws ApiError NOT_FOUND, AUTH_OAUTH_STATE_INVALID, FORBIDDEN, UNAVAILABLE, AUTH_OAUTH_LINKED_OTHER_USER, ACCOUNT_EMAIL_TAKEN,
   * AUTH_EMAIL_NOT_VERIFIED, AUTH_2FA_REQUIRED, and refusals of judgeSignIn
   */
  async finish(providerId: string, answer: CallbackAnswer, by: CallbackBy): Promise<External<T>> {
    const { requests, completion } = this.options;
    const provider = requests.get(providerId);
    const { person, linkTo } = await requests.end(provider, answer, by);
    if (linkTo !== null) return { linked: await this.#link(provider, person, linkTo, by.actor) };
    const signedIn = await completion.run(async (trx) => {
      const user = await this.#userOf(trx, { provider, person, by });
      if (user instanceof ApiError) return requests.refuse(trx, { provider, actor: by.actor, error: user });
      return completion.complete(trx, user, { proofs: ['oauth'], by });
    });
    return { signedIn };
  }

  /** Unlinks an external account of a user. @throws ApiError NOT_FOUND, CONFLICT for the last way in, AUTH_SESSION_INVALID */
  async unlink(userId: string, id: string, actor: Actor): Promise<void> {
    const { db, requests, offered } = this.options;
    await db.transaction(async (trx) => {
      const user = await lockUser(trx, userId);
      await refuseRevoked(trx, actor);
      const identity = user === null ? null : await deleteIdentity(trx, userId, id);
      if (user === null || identity === null) throw new ApiError('NOT_FOUND');
      requireWayIn(await waysInOf(trx, user, offered));
      const name = requests.nameOf(identity.provider);
      await this.#record(trx, user, { kind: 'identity.unlinked', identity, name, actor });
    });
  }

  /** User whom an external account signs in, locked; a new one if it may have one. */
  async #userOf(trx: Knex.Transaction, { provider, person, by }: Arrival): Promise<UserRow | ApiError> {
    const known = await findIdentity(trx, provider.id, person.subject);
    if (known === null) return this.#register(trx, { provider, person, by });
    const user = await lockUser(trx, known.user_id);
    const used = await noteIdentityUse(trx, known.id, { label: labelOf(person), last_used_at: this.#now() });
    // unlinked meanwhile
    return user === null || used === null ? new ApiError('AUTH_OAUTH_STATE_INVALID') : user;
  }

  async #register(trx: Knex.Transaction, { provider, person, by }: Arrival): Promise<UserRow | ApiError> {
    if (!this.options.isRegistrationOpen) return registrationClosed();
    const email = deliverable(person.email);
    if (email === null) return notVerified();
    const at = this.#now();
    const user = await insertUser(trx, {
      id: newId(idPrefixes.user, at.getTime()),
      email,
      role: 'user',
      plan: 'free',
      password_hash: null,
      // one person has the address and the only way to sign in
      email_verified_at: at,
      proven_at: at,
      locale: profileLocaleOf(by.locale),
      created_at: at,
    });
    if (user === null) return emailTaken();
    const subject = { actor: by.actor, accountId: user.id, subject: user.id };
    await insertAuditEntry(trx, { ...subject, action: 'account.registered', details: { provider: provider.id } });
    if ((await this.#insert(trx, provider, person, user.id)) === null) throw new ApiError('AUTH_OAUTH_STATE_INVALID');
    return user;
  }

  async #link(
    provider: Provider,
    person: ExternalPerson,
    userId: string,
    actor: Actor,
  ): Promise<Static<typeof IdentitySchema>> {
    const { db, requests } = this.options;
    const outcome = await db.transaction(async (trx) => {
      const user = await lockUser(trx, userId);
      // the session may have ended while its person was at the provider
      await refuseRevoked(trx, actor);
      if (user === null) throw new ApiError('ACCOUNT_NOT_FOUND');
      const inserted = await this.#insert(trx, provider, person, userId);
      if (inserted !== null) {
        await this.#record(trx, user, { kind: 'identity.linked', identity: inserted, name: provider.name, actor });
        return inserted;
      }
      const linked = await findIdentity(trx, provider.id, person.subject);
      if (linked?.user_id === userId) return linked;
      return requests.refuse(trx, { provider, actor, error: new ApiError('AUTH_OAUTH_LINKED_OTHER_USER') });
    });
    if (outcome instanceof ApiError) throw outcome;
    return toIdentity(outcome);
  }

  #insert(trx: Knex, provider: Provider, person: ExternalPerson, userId: string): Promise<IdentityRow | null> {
    const at = this.#now();
    return insertIdentity(trx, {
      id: newId(idPrefixes.identity, at.getTime()),
      user_id: userId,
      provider: provider.id,
      subject: person.subject,
      label: labelOf(person),
      created_at: at,
      last_used_at: null,
    });
  }

  async #record(
    trx: Knex,
    user: UserRow,
    {
      kind,
      identity,
      name,
      actor,
    }: { kind: 'identity.linked' | 'identity.unlinked'; identity: IdentityRow; name: string; actor: Actor },
  ): Promise<void> {
    const details = { provider: identity.provider, label: identity.label };
    const event = credentialChanged(user.id, identity.id, kind);
    await happened(trx, { actor, accountId: user.id, action: kind, subject: identity.id, details, event });
    const shown = identity.label === null ? name : `${name} (${identity.label})`;
    await this.options.notices.enqueue(trx, user, { kind, name: shown, actor });
    afterCommit(trx, () => this.options.revoked(user.id));
  }

  #now(): Date {
    return new Date(this.options.clock.now());
  }
}

/** Someone who comes back from a provider. */
interface Arrival {
  readonly provider: Provider;
  readonly person: ExternalPerson;
  readonly by: CallbackBy;
}

/** Address of a new account; null if the provider calls none verified, or mail cannot be sent to it. */
function deliverable(email: string | null): string | null {
  if (email === null) return null;
  try {
    return parseDeliverableEmail(email);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

function labelOf({ label }: ExternalPerson): string | null {
  return label === null ? null : oneLine(label).slice(0, MAX_LABEL);
}

function notVerified(): ApiError {
  const message = 'is not verified at the provider; verify it there, or register with a password';
  return new ApiError('AUTH_EMAIL_NOT_VERIFIED', { details: { email: [{ code: 'refused', message }] } });
}

function emailTaken(): ApiError {
  const message = 'has an account already; sign in, and link the external account';
  return new ApiError('ACCOUNT_EMAIL_TAKEN', { details: { email: [{ code: 'conflict', message }] } });
}
