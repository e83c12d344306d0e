import type { Knex } from 'knex';
import { queryPrepared } from '../../../db/prepared.js';
import { findRow } from '../../../db/row-by-key.js';
import type { PlanName } from '../../../plans/index.js';

/** A user, with the plan of their own account. */
export interface UserRow {
  readonly id: string;
  /** Null once the account is deleted. */
  readonly email: string | null;
  readonly role: 'user' | 'admin';
  readonly plan: PlanName;
  readonly password_hash: string | null;
  readonly email_verified_at: Date | null;
  /** Time since which one person is known to have both the address and the credentials; null if not known. */
  readonly proven_at: Date | null;
  readonly display_name: string | null;
  readonly bio: string | null;
  readonly avatar_url: string | null;
  readonly locale: 'cn' | 'en' | 'tw';
  readonly timezone: string;
  readonly theme: 'system' | 'light' | 'dark';
  readonly disabled_at: Date | null;
  /** When the account is erased at its owner's request; null if it is not. */
  readonly deleting_at: Date | null;
  readonly deleted_at: Date | null;
  readonly password_changed_at: Date | null;
  readonly created_at: Date;
}

/** SQLSTATE of a duplicate key. */
const UNIQUE_VIOLATION = '23505';

/** Columns of the table `users`. */
const COLUMNS = [
  'id',
  'email',
  'role',
  'password_hash',
  'email_verified_at',
  'proven_at',
  'display_name',
  'bio',
  'avatar_url',
  'locale',
  'timezone',
  'theme',
  'disabled_at',
  'deleting_at',
  'deleted_at',
  'password_changed_at',
  'created_at',
] as const satisfies readonly (keyof UserRow)[];

export type NewUser = Pick<UserRow, 'id' | 'email' | 'role' | 'plan' | 'password_hash'> &
  Partial<Pick<UserRow, 'email_verified_at' | 'proven_at' | 'locale' | 'created_at'>>;

/** Inserts a user, and the owner with the same id; null if the address is taken. */
export async function insertUser(trx: Knex, { plan, ...user }: NewUser): Promise<UserRow | null> {
  const { rows } = await trx.raw<{ rows: Omit<UserRow, 'plan'>[] }>(
    `WITH made AS (?), owner AS (
       INSERT INTO owners (id, kind, plan, created_at) SELECT id, 'user', ?, created_at FROM made
     ) SELECT * FROM made`,
    [trx('users').insert(user).onConflict('email').ignore().returning('*'), plan],
  );
  const [row] = rows;
  return row === undefined ? null : { ...row, plan };
}

/** Query of users with their plans. */
function users(db: Knex): Knex.QueryBuilder {
  return db('users').join('owners', 'owners.id', 'users.id').select('users.*', 'owners.plan');
}

/** Finds the user with this lower-case address; null if there is no such user. */
export async function findUserByEmail(db: Knex, email: string): Promise<UserRow | null> {
  return (await users(db).where({ email }).first<UserRow | undefined>()) ?? null;
}

// columns by name: a prepared statement whose result changes with a migration fails on connections that prepared it before
const FIND_USER = {
  name: 'find-user',
  text: `SELECT u.id AS key, ${COLUMNS.map((column) => `u.${column}`).join(', ')}, o.plan FROM users u JOIN owners o ON o.id = u.id WHERE u.id = ANY($1)`,
};

/** Finds the user with this id; null if there is no such user. */
export async function findUser(db: Knex, id: string): Promise<UserRow | null> {
  return findRow<UserRow>(db, FIND_USER, id);
}

/** Finds the user with this id, locked until the transaction ends, or null. Other rows may still refer to the user. */
export async function lockUser(trx: Knex.Transaction, id: string): Promise<UserRow | null> {
  const locked = users(trx).where({ 'users.id': id }).forNoKeyUpdate('users');
  return (await locked.first<UserRow | undefined>()) ?? null;
}

/** How a user is named to others. */
interface Person {
  /** Null if the user has given none. */
  readonly displayName: string | null;
  /** Null if the account was deleted. */
  readonly email: string | null;
}

const PEOPLE = { name: 'people', text: 'SELECT id, display_name, email FROM users WHERE id = ANY($1)' };

/** Users by id; those that do not exist are missing. */
export async function readPeople(db: Knex, ids: readonly string[]): Promise<ReadonlyMap<string, Person>> {
  if (ids.length === 0) return new Map();
  const rows = await queryPrepared<Pick<UserRow, 'id' | 'display_name' | 'email'>>(db, PEOPLE, [[...ids]]);
  return new Map(rows.map(({ id, display_name: displayName, email }) => [id, { displayName, email }]));
}

/** Finds the oldest user with the role admin, or null. */
export async function findFirstAdmin(db: Knex): Promise<UserRow | null> {
  const admins = users(db).where({ role: 'admin', deleted_at: null });
  return (await admins.orderBy('users.id').first<UserRow | undefined>()) ?? null;
}

/**
 * Returns the ids of the administrators that can sign in, locked until the transaction ends, so that two of them cannot be
 * deleted at once.
 */
export async function lockAdmins(trx: Knex.Transaction): Promise<string[]> {
  return trx('users')
    .where({ role: 'admin', deleted_at: null, deleting_at: null, disabled_at: null })
    .orderBy('id')
    .forNoKeyUpdate()
    .pluck('id');
}

/** Lists all users that are not deleted, newest first. */
export async function listUsers(db: Knex): Promise<UserRow[]> {
  return users(db).whereNull('deleted_at').orderBy('users.id', 'desc');
}

/** Changes of columns of a user. */
export type UserChanges = Partial<Omit<UserRow, 'id' | 'plan'>>;

/** Changes a user; null if there is no such user, or it is deleted. */
export async function updateUser(trx: Knex, id: string, changes: UserChanges): Promise<UserRow | null> {
  const [row] = await trx('users')
    .updateFrom('owners')
    .whereRaw('owners.id = users.id')
    .where({ 'users.id': id, deleted_at: null })
    .update(changes)
    .returning<UserRow[]>(['users.*', 'owners.plan']);
  return row ?? null;
}

/** Replaces the address of a user; false if another account has it. */
export async function replaceEmail(trx: Knex, id: string, email: string, changes: UserChanges): Promise<boolean> {
  if ((await findUserByEmail(trx, email)) !== null) return false;
  try {
    return (await updateUser(trx, id, { ...changes, email })) !== null;
  } catch (error) {
    // another one took it meanwhile
    if ((error as { code?: string }).code === UNIQUE_VIOLATION) return false;
    throw error;
  }
}

/** Lists the last replaced password hashes of a user, newest first. */
export async function listOldPasswords(db: Knex, userId: string, count: number): Promise<string[]> {
  return db('password_history')
    .where({ user_id: userId })
    .orderBy('replaced_at', 'desc')
    .limit(count)
    .pluck('password_hash');
}

/** Stores a replaced password, and deletes all but the newest `keep`. */
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

/** Erases the credentials and personal data of a deleted account; rows that refer to it are kept. */
export async function eraseUser(trx: Knex, userId: string, at: Date): Promise<void> {
  await updateUser(trx, userId, {
    email: null,
    password_hash: null,
    email_verified_at: null,
    proven_at: null,
    display_name: null,
    bio: null,
    avatar_url: null,
    deleting_at: null,
    deleted_at: at,
  });
  await trx('password_history').where({ user_id: userId }).delete();
  await trx('sign_in_passes').where({ user_id: userId }).delete();
  await trx('totp_secrets').where({ user_id: userId }).delete();
  await trx('recovery_codes').where({ user_id: userId }).delete();
  await trx('passkeys').where({ user_id: userId }).delete();
  await trx('identities').where({ user_id: userId }).delete();
  // rows are kept: the mails to an address are counted beyond the account
  await trx('challenges').where({ user_id: userId }).update({ data: '{}', token_id: null, secret_hash: null });
  await trx('sessions').where({ user_id: userId }).update({ address: '', user_agent: null });
}

/** Id and name of a revoked token. */
export interface RevokedToken {
  readonly id: string;
  readonly name: string;
}

/** Tokens of a user that were revoked together, by kind. */
export interface RevokedTokens {
  readonly apiKeys: readonly RevokedToken[];
  readonly personalTokens: readonly RevokedToken[];
  readonly enrollmentTokens: readonly RevokedToken[];
}

/** Revokes all credentials of a user and of the owner with the same id, except sessions, and returns them. */
export async function revokeTokens(trx: Knex, userId: string, at: Date): Promise<RevokedTokens> {
  const unused = await trx('enrollment_tokens')
    .where({ owner_id: userId, used_at: null })
    .delete()
    .returning<{ id: string; label: string | null; preview: string }[]>(['id', 'label', 'preview']);
  const revoked = (holder: Knex.QueryBuilder): Promise<RevokedToken[]> =>
    holder.whereNull('revoked_at').update({ revoked_at: at }).returning(['id', 'name']);
  return {
    apiKeys: await revoked(trx('api_keys').where({ owner_id: userId })),
    personalTokens: await revoked(trx('personal_access_tokens').where({ user_id: userId })),
    enrollmentTokens: unused.map(({ id, label, preview }) => ({ id, name: label ?? preview })),
  };
}
