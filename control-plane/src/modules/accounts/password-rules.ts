import { ApiError } from '../../http/errors.js';
import { MIN_PASSWORD_LENGTH } from './passwords.js';

/** How many of an account's last passwords may not come back, the present one included. */
export const REMEMBERED_PASSWORDS = 5;

/** Why a password is too weak, as an end of "the password …"; null when it is not. `common` holds lower-case passwords. */
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

  /** @throws ApiError AUTH_PASSWORD_WEAK saying why, at `field` */
  async refuseWeak(password: string, email: string, field = 'password'): Promise<void> {
    this.#common ??= loadCommonPasswords();
    const weakness = weaknessOf(password, email, await this.#common);
    if (weakness === null) return;
    throw new ApiError('AUTH_PASSWORD_WEAK', { details: { [field]: [{ code: 'refused', message: weakness }] } });
  }
}

/** The 49 000 most used passwords, lower case: the list of zxcvbn. Half a megabyte, read when one is first needed. */
async function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common'].map((word) => String(word).toLowerCase()));
}
