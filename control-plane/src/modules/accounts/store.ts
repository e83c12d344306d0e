import type { Knex } from 'knex';
import { queryPrepared } from '../../db/prepared.js';
import type { PlanName } from '../../plans.js';

export interface UserRow {
  readonly id: string;
  /** Null once the account is deleted. */
  readonly email: string | null;
  readonly role: 'user' | 'admin';
  readonly plan: PlanName;
  readonly password_hash: string | null;
  readonly email_verified_at: Date | null;
  readonly display_name: string | null;
  readonly bio: string | null;
  readonly avatar_url: string | null;
  readonly locale: 'cn' | 'en' | 'tw';
  readonly timezone: string;
  readonly theme: 'system' | 'light' | 'dark';
  readonly disabled_at: Date | null;
  readonly deleted_at: Date | null;
  readonly password_changed_at: Date | null;
  readonly created_at: Date;
}

export type NewUser = Pick<UserRow, 'id' | 'email' | 'role' | 'plan' | 'password_hash'> &
  Partial<Pick<UserRow, 'email_verified_at' | 'locale' | 'created_at'>>;

/** Inserts a user; null when the address is taken. */
export async function insertUser(trx: Knex, user: NewUser): Promise<UserRow | null> {
  const rows = await trx('users').insert(user).onConflict('email').ignore().returning<UserRow[]>('*');
  return rows[0] ?? null;
}

/** The user with this lower-cased address, or null. */
export async function findUserByEmail(db: Knex, email: string): Promise<UserRow | null> {
  return (await db('users').where({ email }).first<UserRow | undefined>()) ?? null;
}

const FIND_USER = { name: 'find-user', text: 'SELECT * FROM users WHERE id = $1' };

/** The user with this id, or null. */
export async function findUser(db: Knex, id: string): Promise<UserRow | null> {
  const [row] = await queryPrepared<UserRow>(db, FIND_USER, [id]);
  return row ?? null;
}

/** The user with this id, locked until the transaction ends, or null. */
export async function lockUser(trx: Knex.Transaction, id: string): Promise<UserRow | null> {
  return (await trx('users').where({ id }).forUpdate().first<UserRow | undefined>()) ?? null;
}

/** The oldest user with role admin, or null. */
export async function findFirstAdmin(db: Knex): Promise<UserRow | null> {
  const admins = db('users').where({ role: 'admin', deleted_at: null });
  return (await admins.orderBy('id').first<UserRow | undefined>()) ?? null;
}

/** Ids of the administrators that can sign in, locked until the transaction ends: of two that leave at once one is last. */
export async function lockAdmins(trx: Knex.Transaction): Promise<string[]> {
  return trx('users')
    .where({ role: 'admin', deleted_at: null, disabled_at: null })
    .orderBy('id')
    .forUpdate()
    .pluck('id');
}

/** All users that are not deleted, newest first. */
export async function listUsers(db: Knex): Promise<UserRow[]> {
  return db('users').whereNull('deleted_at').orderBy('id', 'desc').select<UserRow[]>('*');
}

/** Changes a user; null when there is none, or none any more. */
export async function updateUser(trx: Knex, id: string, changes: Partial<UserRow>): Promise<UserRow | null> {
  const [row] = await trx('users').where({ id, deleted_at: null }).update(changes).returning<UserRow[]>('*');
  return row ?? null;
}

/** The last password hashes of a user, newest first. */
export async function listOldPasswords(db: Knex, userId: string, count: number): Promise<string[]> {
  return db('password_history')
    .where({ user_id: userId })
    .orderBy('replaced_at', 'desc')
    .limit(count)
    .pluck('password_hash');
}

/** Remembers a password that is replaced, and forgets all but the newest `keep`. */
export async function insertOldPassword(
  trx: Knex,
  { userId, passwordHash, at, keep }: { userId: string; passwordHash: string; at: Date; keep: number },
): Promise<void> {
  await trx('password_history').insert({ user_id: userId, password_hash: passwordHash, replaced_at: at });
  await trx.raw(
    `DELETE FROM password_history WHERE user_id = :userId AND replaced_at < (
       SELECT min(replaced_at) FROM (SELECT replaced_at FROM password_history WHERE user_id = :userId
         ORDER BY replaced_at DESC LIMIT :keep) AS newest)`,
    { userId, keep },
  );
}

/** Takes from a deleted account everything that opens something or tells of a person; what refers to it stays. */
export async function eraseUser(trx: Knex, userId: string, at: Date): Promise<void> {
  await updateUser(trx, userId, {
    email: null,
    password_hash: null,
    email_verified_at: null,
    display_name: null,
    bio: null,
    avatar_url: null,
    deleted_at: at,
  });
  await trx('password_history').where({ user_id: userId }).delete();
  // how many mails an address got is counted beyond the account
  await trx('challenges').where({ user_id: userId }).update({ data: '{}', token_id: null, secret_hash: null });
  await trx('sessions').where({ user_id: userId }).update({ address: '', user_agent: null });
}

/** Ends whatever else than a session opens something for a user. */
export async function revokeTokens(trx: Knex, userId: string, at: Date): Promise<void> {
  await trx('enrollment_tokens').where({ user_id: userId, used_at: null }).delete();
  for (const table of ['api_keys', 'personal_access_tokens']) {
    await trx(table).where({ user_id: userId, revoked_at: null }).update({ revoked_at: at });
  }
}
