import { randomInt } from 'node:crypto';

/** Codes that are given out together. */
export const RECOVERY_CODES = 10;

/** Crockford's base32: no letter that is read as a digit. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const LENGTH = 10;
const FORM = /^[0-9a-z]{5}-?[0-9a-z]{5}$/;

/** Fresh codes of 50 random bits: `7k3m9-x2p4q`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const code = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
    return `${code.slice(0, 5)}-${code.slice(5)}`;
  });
}

/** The one spelling of a code that a person typed, for its hash; null if it is none. */
export function recoveryCodeOf(typed: string): string | null {
  const code = typed.trim().toLowerCase().replaceAll('o', '0').replaceAll(/[il]/g, '1');
  return FORM.test(code) ? code.replace('-', '') : null;
}
