import type { ErrorCode } from '../http/error-table.js';
import type { CredentialKind } from '../http/route.js';
import type { BroadScope, Scope } from '../http/scopes.js';
import type { PlanName } from '../plans.js';

/** The owner of a credential, as far as requests ask. */
export interface Owner {
  readonly userId: string;
  readonly role: 'user' | 'admin';
  readonly plan: PlanName;
  readonly isEmailVerified: boolean;
  readonly state: 'active' | 'disabled' | 'deleted';
}

/** A credential as it is stored, whether it still opens anything or not. */
export interface Credential {
  /** `ses_`, `pat_` or `key_`. */
  readonly id: string;
  readonly kind: CredentialKind;
  readonly owner: Owner;
  readonly scopes: readonly (Scope | BroadScope)[];
  readonly isTest: boolean;
  readonly allowedOrigins: readonly string[] | null;
  /** Why it opens nothing; null while it does. */
  readonly refusal: ErrorCode | null;
  /** Milliseconds it still has, 0 once it has expired; null: it does not expire. */
  readonly validForMs: number | null;
}

/** Where credentials of one kind are looked up. */
export interface CredentialSource {
  readonly kind: CredentialKind;
  /** Whether a token has the form of this kind; says nothing of whether it was ever issued. */
  recognises(token: string): boolean;
  /** The credential a token proves; null when there is none. @throws ApiError for a token that tells why it is refused */
  find(token: string): Promise<Credential | null>;
  /** Notes that it was used, at most once a minute. */
  noteUse(credentialId: string): Promise<void>;
}

/** SQL of an owner's state; the query names the table of users `u`. */
export const OWNER_COLUMNS = `u.id AS user_id, u.role, u.plan, u.email_verified_at IS NOT NULL AS is_email_verified,
  CASE WHEN u.deleted_at IS NOT NULL THEN 'deleted' WHEN u.disabled_at IS NOT NULL THEN 'disabled' ELSE 'active' END AS state`;

/** What OWNER_COLUMNS selects. */
export interface OwnerRow {
  readonly user_id: string;
  readonly role: 'user' | 'admin';
  readonly plan: PlanName;
  readonly is_email_verified: boolean;
  readonly state: 'active' | 'disabled' | 'deleted';
}

/** The owner in a row that has OWNER_COLUMNS. */
export function toOwner({ user_id, role, plan, is_email_verified, state }: OwnerRow): Owner {
  return { userId: user_id, role, plan, isEmailVerified: is_email_verified, state };
}
