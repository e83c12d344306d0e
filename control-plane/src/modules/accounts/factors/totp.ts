import { Secret, TOTP } from 'otpauth';

/** Length of a time step, in milliseconds (RFC 6238 section 5.2). */
const STEP_MS = 30_000;
/** Steps before and after the present one whose codes are valid. */
const WINDOW = 1;

/** Bytes of a fresh secret: 160 bits (RFC 4226 section 4). */
export function newTotpSecret(): Buffer {
  return Buffer.from(new Secret({ size: 20 }).bytes);
}

/** A secret as people type it, and the address that an authenticator app reads it from. */
export function totpEnrollment(secret: Uint8Array, of: { readonly issuer: string; readonly label: string }) {
  const totp = totpOf(secret, of);
  return { secret: totp.secret.base32, otpauthUrl: totp.toString() };
}

/** Time step that a code of six digits belongs to, if it is later than `lastStep`; else null: wrong, too old, or used. */
export function stepOfCode(
  code: string,
  secret: Uint8Array,
  { now, lastStep }: { readonly now: number; readonly lastStep: number },
): number | null {
  const delta = totpOf(secret).validate({ token: code, timestamp: now, window: WINDOW });
  const step = delta === null ? null : Math.floor(now / STEP_MS) + delta;
  return step !== null && step > lastStep ? step : null;
}

/** SHA-1, six digits, 30 seconds: the one set of parameters that every app supports. */
function totpOf(secret: Uint8Array, of: { readonly issuer?: string; readonly label?: string } = {}): TOTP {
  // a copy: a Buffer may lie within a larger pool
  const buffer = Uint8Array.from(secret).buffer;
  return new TOTP({ ...of, algorithm: 'SHA1', digits: 6, period: STEP_MS / 1_000, secret: new Secret({ buffer }) });
}
