import type { Knex } from 'knex';
import type { PlanName } from '../../../plans/index.js';

/** States of an account, as administrators see them. */
export const accountStatuses = ['active', 'disabled', 'deleting', 'deleted'] as const;
export type AccountStatus = (typeof accountStatuses)[number];

/** Methods by which a user can sign in. */
export const accountFactors = ['password', 'totp', 'passkey', 'oauth'] as const;

/** An account as administrators see it. */
export interface AccountRow {
  readonly id: string;
  /** Null once it is erased. */
  readonly email: string | null;
  readonly role: 'user' | 'admin';
  readonly plan: PlanName;
  readonly status: AccountStatus;
  readonly email_verified: boolean;
  readonly factors: (typeof accountFactors)[number][];
  readonly created_at: Date;
  /** Null without a session in about the last month. */
  readonly last_seen_at: Date | null;
}

/** Filter of the accounts; undefined matches any. */
export interface AccountFilter {
  /** Part of the address or of the name, or the whole id. */
  readonly q?: string | undefined;
  readonly status?: AccountStatus | undefined;
  readonly role?: 'user' | 'admin' | undefined;
  readonly plan?: string | undefined;
}

const ACCOUNT = `u.id, u.email, u.role, o.plan, o.state AS status, u.email_verified_at IS NOT NULL AS email_verified, u.created_at,
  (SELECT max(s.last_used_at) FROM sessions s WHERE s.user_id = u.id) AS last_seen_at,
  array_remove(ARRAY[
    CASE WHEN u.password_hash IS NOT NULL THEN 'password' END,
    CASE WHEN EXISTS (SELECT FROM totp_secrets f WHERE f.user_id = u.id AND f.enabled_at IS NOT NULL) THEN 'totp' END,
    CASE WHEN EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id) THEN 'passkey' END,
    CASE WHEN EXISTS (SELECT FROM identities i WHERE i.user_id = u.id) THEN 'oauth' END
  ], NULL) AS factors`;
const FROM = 'FROM users u JOIN owners o ON o.id = u.id';

/** Finds an account, also an erased one; null if there is none. */
export async function findAccount(db: Knex, id: string): Promise<AccountRow | null> {
  const { rows } = await db.raw<{ rows: AccountRow[] }>(`SELECT ${ACCOUNT} ${FROM} WHERE u.id = ?`, [id]);
  return rows[0] ?? null;
}

/** Lists accounts that are not erased, newest first, with the number of all that match. */
export async function listAccounts(
  db: Knex,
  { q, status, role, plan }: AccountFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: AccountRow[]; total: number }> {
  const where = `WHERE o.state <> 'deleted' AND (:status::text IS NULL OR o.state = :status) AND (:role::text IS NULL OR u.role = :role)
    AND (:plan::text IS NULL OR o.plan = :plan)
    AND (:q::text IS NULL OR u.id = :q OR u.email ILIKE :like ESCAPE '\\' OR u.display_name ILIKE :like ESCAPE '\\')`;
  const like = q === undefined ? null : `%${q.replace(/[\\%_]/g, '\\$&')}%`;
  const values = { q: q ?? null, like, status: status ?? null, role: role ?? null, plan: plan ?? null, limit, offset };
  const { rows } = await db.raw<{ rows: AccountRow[] }>(
    `SELECT ${ACCOUNT} ${FROM} ${where} ORDER BY u.id DESC LIMIT :limit OFFSET :offset`,
    values,
  );
  const counted = await db.raw<{ rows: { total: number }[] }>(`SELECT count(*)::int AS total ${FROM} ${where}`, values);
  return { rows, total: counted.rows[0]?.total ?? 0 };
}
