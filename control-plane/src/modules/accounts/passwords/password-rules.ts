import { ApiError } from '../../../http/errors.js';
import { MIN_PASSWORD_LENGTH } from './passwords.js';

/** Number of an account's last passwords that must not be used again, including the present one. */
export const REMEMBERED_PASSWORDS = 5;

/** Reason why a password is weak, as the end of "the password …"; null if it is not. `common`: passwords in lower case. */
export function weaknessOf(password: string, email: string, common: ReadonlySet<string>): string | null {
  const characters = [...password];
  if (characters.length < MIN_PASSWORD_LENGTH) return `must have at least ${MIN_PASSWORD_LENGTH} characters`;
  const lower = password.toLowerCase();
  if (new Set(characters).size < 3) return 'must have at least three different characters';
  const [localPart = ''] = email.split('@');
  if (lower === email || lower === localPart) return 'must not be the e-mail address';
  return common.has(lower) ? 'is one of the most used passwords; choose another' : null;
}

/** Refuses weak passwords. */
export class PasswordRules {
  #common: Promise<ReadonlySet<string>> | null = null;

  /** Checks that a password is not weak. @throws ApiError AUTH_PASSWORD_WEAK with the reason, for `field` */
  async refuseWeak(password: string, email: string, field = 'password'): Promise<void> {
    this.#common ??= loadCommonPasswords();
    const weakness = weaknessOf(password, email, await this.#common);
    if (weakness === null) return;
    throw new ApiError('AUTH_PASSWORD_WEAK', { details: { [field]: [{ code: 'refused', message: weakness }] } });
  }
}

/** Loads the 49 000 most common passwords, in lower case, from the list of zxcvbn: half a megabyte, read on first use. */
async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].map((word) => String(word).toLowerCase()));
}
