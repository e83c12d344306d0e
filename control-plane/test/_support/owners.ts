import type { Knex } from 'knex';
import type { Account } from '../../src/http/route.js';
import { type Owner, personalOwner } from '../../src/owners/index.js';

/** Inserts users, each with its owner; `columns` as in table users, and the plan of the owner. */
export async function insertUsers(
  db: Knex,
  users: readonly (Readonly<Record<string, unknown>> & { readonly id: string; readonly plan: string })[],
): Promise<void> {
  for (const { plan, ...user } of users) {
    await db('owners').insert({ id: user['id'], kind: 'user', plan });
    await db('users').insert(user);
  }
}

/** Gives nodes to another owner, with the tokens that enrolled them; every node if `nodeId` is undefined. */
export async function giveNodes(db: Knex, ownerId: string, nodeId?: string): Promise<void> {
  await db.transaction(async (trx) => {
    await trx.raw('SET CONSTRAINTS ALL DEFERRED');
    const tokens = trx('enrollment_tokens').whereNotNull('consumed_node_id');
    const nodes = trx('nodes');
    if (nodeId !== undefined) {
      tokens.where({ consumed_node_id: nodeId });
      nodes.where({ id: nodeId });
    }
    await tokens.update({ owner_id: ownerId });
    await nodes.update({ owner_id: ownerId });
  });
}

/**
 * A user as the actor who creates API keys, tokens and enrollment tokens for themselves, with the right to grant every
 * scope.
 */
export function asUser(userId: string): AsUser {
  return { userId, user: { id: userId }, owner: personalOwner(userId), createdBy: userId, scopes: null };
}

export interface AsUser {
  readonly userId: string;
  readonly user: { readonly id: string };
  readonly owner: Owner;
  readonly createdBy: string;
  readonly scopes: null;
}

/** Verified, unlimited credentials of a user, without scopes. */
export function accountOf(userId: string, overrides: Partial<Account> = {}): Account {
  return {
    owner: personalOwner(userId),
    user: { id: userId },
    createdBy: userId,
    role: 'user',
    plan: 'unlimited',
    scopes: new Set(),
    ownerRole: 'owner',
    credentialKind: 'personal_access_token',
    credentialId: 'pat_test',
    isEmailVerified: true,
    freshness: null,
    isBrowser: false,
    allowedOrigins: null,
    ...overrides,
  };
}
