import type { ErrorCode } from '../../../http/error-table.js';

/** Proofs by which a person signs in; `sessions.methods` lists them. `registration`: the account was created by this very request. */
export const proofs = [
  'registration',
  'password',
  'email_code',
  'oauth',
  'passkey',
  'qr',
  'totp',
  'recovery_code',
] as const;
export type Proof = (typeof proofs)[number];

/** Proof by a second factor. */
export type SecondFactorProof = Extract<Proof, 'totp' | 'recovery_code'>;

/** State of an account that decides about a sign-in. */
export interface SignInFacts {
  readonly deleted_at: Date | null;
  /** When the account is erased; null if its owner did not delete it. */
  readonly deleting_at: Date | null;
  readonly disabled_at: Date | null;
  readonly email_verified_at: Date | null;
  /** Second factors that the account can use; empty if it has none. */
  readonly secondFactors: readonly SecondFactorProof[];
}

export type Judgement =
  | { readonly kind: 'complete' }
  | { readonly kind: 'needs-factor'; readonly factors: readonly SecondFactorProof[] }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly restorableUntil?: Date };

/** Proofs that come first; a passkey, and a session that approved a QR code, prove two factors at once. */
const firstProofs: ReadonlySet<Proof> = new Set(['registration', 'password', 'email_code', 'oauth', 'passkey', 'qr']);
const strongProofs: ReadonlySet<Proof> = new Set(['passkey', 'qr']);
const secondProofs: ReadonlySet<Proof> = new Set<SecondFactorProof>(['totp', 'recovery_code']);

/**
 * Decides whether what was proven signs a person in. It is the only place that does: nothing else opens a session. Without
 * a first proof the state of the account stays unknown to the caller.
 */
export function judgeSignIn(
  account: SignInFacts,
  proven: ReadonlySet<Proof>,
  { now, needsVerifiedEmail }: { readonly now: number; readonly needsVerifiedEmail: boolean },
): Judgement {
  const has = (of: ReadonlySet<Proof>) => [...proven].some((proof) => of.has(proof));
  if (!has(firstProofs)) return { kind: 'refused', code: 'AUTH_CREDENTIALS_INVALID' };
  if (account.deleted_at !== null) return { kind: 'refused', code: 'ACCOUNT_DELETED' };
  if (account.deleting_at !== null) {
    const isRestorable = account.deleting_at.getTime() > now;
    const until = isRestorable ? { restorableUntil: account.deleting_at } : {};
    return { kind: 'refused', code: 'ACCOUNT_DELETED', ...until };
  }
  if (account.disabled_at !== null) return { kind: 'refused', code: 'AUTH_ACCOUNT_DISABLED' };
  // the session of a registration is there to verify the address
  if (needsVerifiedEmail && account.email_verified_at === null && !proven.has('registration'))
    return { kind: 'refused', code: 'AUTH_EMAIL_NOT_VERIFIED' };
  if (account.secondFactors.length === 0 || has(strongProofs) || has(secondProofs)) return { kind: 'complete' };
  return { kind: 'needs-factor', factors: account.secondFactors };
}
