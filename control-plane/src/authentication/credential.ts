import type { ErrorCode } from '../http/error-table.js';
import type { OwnerRole } from '../http/owner-roles.js';
import type { CredentialKind, Freshness } from '../http/route.js';
import type { BroadScope, Scope } from '../http/scopes.js';
import type { OwnerKind } from '../owners/index.js';
import type { PlanName } from '../plans/index.js';

/** Owner of the rows that a credential gives access to. */
export interface CredentialOwner {
  readonly kind: OwnerKind;
  readonly id: string;
  readonly plan: PlanName;
  readonly state: 'active' | 'disabled' | 'deleting' | 'deleted';
}

/** Person that a credential belongs to. */
export interface CredentialUser {
  readonly id: string;
  readonly role: 'user' | 'admin';
  readonly isEmailVerified: boolean;
}

/** Credential as it is stored, valid or not. */
export interface Credential {
  /** `ses_`, `pat_` or `key_`. */
  readonly id: string;
  readonly kind: CredentialKind;
  readonly owner: CredentialOwner;
  /** Null for the key of a team. */
  readonly user: CredentialUser | null;
  /** Id of the user who counts as the creator of new rows: the person, or the creator of the key. */
  readonly createdBy: string;
  /** Role of the holder in the owner: a person alone has the role `owner`. */
  readonly ownerRole: OwnerRole;
  readonly scopes: readonly (Scope | BroadScope)[];
  readonly isTest: boolean;
  /** Present for sessions alone. */
  readonly freshness?: Freshness;
  /** True for the session of a browser; absent for other credentials. */
  readonly isBrowser?: boolean;
  readonly allowedOrigins: readonly string[] | null;
  /** Reason why it is refused; null while it is valid. */
  readonly refusal: ErrorCode | null;
  /** Remaining life in milliseconds, 0 once it has expired; null if it does not expire. */
  readonly validForMs: number | null;
}

/** Source of the credentials of one kind. */
export interface CredentialSource {
  readonly kind: CredentialKind;
  /** True if a token has the form of this kind; it may never have been issued. */
  recognises(token: string): boolean;
  /** Credential of a token; null if there is none. @throws ApiError if the reason for a refusal may be shown */
  find(token: string): Promise<Credential | null>;
  /** Notes that it was used, at most once a minute. */
  noteUse(credentialId: string): Promise<void>;
}

/** SQL columns of the holder of a credential; the query names the table of owners `o` and that of users `u`. */
export const HOLDER_COLUMNS = `o.id AS owner_id, o.kind AS owner_kind, o.plan, o.state AS owner_state, u.id AS user_id, u.role,
  u.email_verified_at IS NOT NULL AS is_email_verified`;

/** Row of HOLDER_COLUMNS; `user_id` and `role` are null for a team. */
export interface HolderRow {
  readonly owner_id: string;
  readonly owner_kind: OwnerKind;
  readonly plan: PlanName;
  readonly owner_state: CredentialOwner['state'];
  readonly user_id: string | null;
  readonly role: 'user' | 'admin' | null;
  readonly is_email_verified: boolean;
}

/** The owner and the person in a row that has HOLDER_COLUMNS. */
export function toHolder(row: HolderRow): Pick<Credential, 'owner' | 'ownerRole' | 'user'> {
  const { user_id: id, role, is_email_verified: isEmailVerified } = row;
  return {
    owner: { kind: row.owner_kind, id: row.owner_id, plan: row.plan, state: row.owner_state },
    ownerRole: 'owner',
    user: id === null || role === null ? null : { id, role, isEmailVerified },
  };
}
