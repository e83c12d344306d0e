import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { type AuditAction } from '../../../audit-log/actions.js';
import type { Actor } from '../../../audit-log/actor.js';
import { insertAuditEntry } from '../../../audit-log/store.js';
import { afterCommit } from '../../../db/after-commit.js';
import type { MailData } from '../../../mail/index.js';
import type { Revoke } from '../../../owners/index.js';
import {
  deleteIdentities,
  deletePasskeys,
  deleteSecondFactor,
  type IdentityRow,
  listIdentities,
  listPasskeys,
} from '../factors/factor-store.js';
import type { AccountMail } from '../profile/account-mail.js';
import { localesOfProfiles } from '../profile/profile.js';
import { type RevokedTokens, revokeTokens, type UserRow, updateUser } from '../profile/store.js';
import type { Sessions } from '../sessions/sessions.js';
import type { Challenges } from '../sign-in/challenges.js';

// An account belongs to the person who reads the mail of its address. Until that is proven, anyone may have registered it,
// and verifying the address does not show who chose the password. A person who proves the address
//
//   and a credential of the account    one person has both: `proven_at` is set, nothing is revoked
//   and nothing else                   all access to the account is revoked, except the password, which is unproven
//   and sets a new password            all access to the account is revoked; `proven_at` is set
//   and signs in with a mailed code    all access to the account is revoked, the password too; `proven_at` is set
//
// Passkeys, linked external accounts, and what modules hold for the account, such as nodes and alert channels (`revocation` of modules), are revoked until one person is
// proven, and kept later: they continue to work while a user has forgotten the password, and no one else can have created them since.
//
// NOTE: a change of the address, or another sign-in method that is added by mail, is such a proof.

/** Id and name of a node, token, passkey or window. */
interface Named {
  readonly id: string;
  readonly name: string;
}

/** Nodes of an account. */
export type ListNodes = (trx: Knex, userId: string) => Promise<readonly Named[]>;

interface ProofOfAddressOptions {
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly challenges: Challenges;
  readonly revokeHoldings: Revoke;
  readonly listNodes: ListNodes;
  readonly mail: AccountMail;
  /** Called after the access that a user's credentials give has changed. */
  readonly revoked: (userId: string) => void;
}

type AccessMail = MailData<'account-access'>;
type Reason = 'address verified' | 'password reset';

/** Greatest number of names of one kind in a mail; it counts the others. */
const MAX_LISTED = 20;

/**
 * Decides which access survives a proof of an account's address. Each proof runs in the caller's transaction, which holds
 * the lock of the user; all replicas are notified after its commit.
 */
export class ProofOfAddress {
  constructor(private readonly options: ProofOfAddressOptions) {}

  /** Records a proof of the address together with a credential of the account. */
  async withCredential(trx: Knex, user: UserRow): Promise<void> {
    const at = new Date(this.options.clock.now());
    await updateUser(trx, user.id, {
      email_verified_at: user.email_verified_at ?? at,
      proven_at: user.proven_at ?? at,
    });
    afterCommit(trx, () => this.options.revoked(user.id));
  }

  /** Records a proof of the address alone: someone else may have chosen the password. */
  async alone(trx: Knex, user: UserRow, actor: Actor): Promise<void> {
    const at = new Date(this.options.clock.now());
    await updateUser(trx, user.id, { email_verified_at: user.email_verified_at ?? at });
    await this.#revokeAccess(trx, user, { actor, at, reason: 'address verified' });
    afterCommit(trx, () => this.options.revoked(user.id));
  }

  /** Records a proof of the address with a new password, which was set in the same transaction. */
  async withNewPassword(trx: Knex, user: UserRow, actor: Actor): Promise<void> {
    const at = new Date(this.options.clock.now());
    await this.#revokeAccess(trx, user, { actor, at, reason: 'password reset' });
    await this.withCredential(trx, user);
  }

  /**
   * Records a proof of the address by a sign-in with a mailed code, to an account whose owner is not proven. From then on nobody but the
   * reader of the mail has a way in. Returns the changed user.
   */
  async bySignIn(trx: Knex, user: UserRow, actor: Actor): Promise<UserRow> {
    const at = new Date(this.options.clock.now());
    const withoutPassword = { ...user, password_hash: null };
    await updateUser(trx, user.id, { password_hash: null });
    await this.#revokeAccess(trx, withoutPassword, { actor, at, reason: 'address verified' });
    await this.withCredential(trx, withoutPassword);
    return { ...withoutPassword, proven_at: at };
  }

  async #revokeAccess(
    trx: Knex,
    user: UserRow,
    { actor, at, reason }: { actor: Actor; at: Date; reason: Reason },
  ): Promise<void> {
    // what was proven before proves nothing any more
    await this.options.challenges.consumeAll(trx, user.id, 'pending_sign_in');
    const ended = await this.options.sessions.endOthers(trx, user.id, { actor, except: null, reason });
    const tokens = await revokeTokens(trx, user.id, at);
    // after the tokens that enroll nodes: none is added meanwhile
    const why = { actor, reason, nowMs: at.getTime() };
    const passkeys = user.proven_at === null ? await deletePasskeys(trx, user.id) : [];
    const identities = user.proven_at === null ? (await deleteIdentities(trx, user.id)).map(toNamed) : [];
    // a stranger's app would lock the owner out
    if (user.proven_at === null) await deleteSecondFactor(trx, user.id);
    await auditRevoked(trx, user.id, { ...tokens, passkeys, identities }, { actor, reason });
    const holdings = user.proven_at === null ? await this.options.revokeHoldings(trx, user.id, why) : [];
    if (user.email === null) return;
    const data: AccessMail = {
      hasNewPassword: reason === 'password reset',
      at: at.toISOString(),
      address: actor.address ?? '',
      revoked: {
        sessions: ended.length,
        passkeys: shortList(passkeys),
        apiKeys: shortList(tokens.apiKeys),
        personalTokens: shortList(tokens.personalTokens),
        enrollmentTokens: shortList(tokens.enrollmentTokens),
        identities: shortList(identities),
        holdings: holdings.map(({ words, names }) => ({ words, ...shortList(names.map((name) => ({ name }))) })),
      },
      passwordSetAt: user.password_hash === null ? null : (user.password_changed_at ?? user.created_at).toISOString(),
      passkeys: shortList(await listPasskeys(trx, user.id)),
      nodes: shortList(await this.options.listNodes(trx, user.id)),
      identities: shortList((await listIdentities(trx, user.id)).map(toNamed)),
    };
    const locale = localesOfProfiles[user.locale];
    await this.options.mail.enqueue(trx, {
      to: user.email,
      locale,
      timezone: user.timezone,
      template: 'account-access',
      data,
    });
  }
}

/** Credentials that were revoked together. */
interface Revoked extends RevokedTokens {
  readonly passkeys: readonly Named[];
  readonly identities: readonly Named[];
}

async function auditRevoked(
  trx: Knex,
  accountId: string,
  { apiKeys, personalTokens, enrollmentTokens, passkeys, identities }: Revoked,
  { actor, reason }: { readonly actor: Actor; readonly reason: Reason },
): Promise<void> {
  const acts: readonly (readonly [AuditAction, readonly Named[]])[] = [
    ['api_key.revoked', apiKeys],
    ['token.revoked', personalTokens],
    ['enrollment_token.revoked', enrollmentTokens],
    ['passkey.removed', passkeys],
    ['identity.unlinked', identities],
  ];
  for (const [action, revoked] of acts) {
    for (const { id: subject } of revoked) {
      await insertAuditEntry(trx, { actor, accountId, action, subject, details: { reason } });
    }
  }
}

function toNamed({ id, provider, label }: IdentityRow): Named {
  return { id, name: label === null ? provider : `${provider} ${label}` };
}

function shortList(named: readonly Pick<Named, 'name'>[]): AccessMail['nodes'] {
  return { names: named.slice(0, MAX_LISTED).map(({ name }) => name), total: named.length };
}
