import { Occurrences } from './occurrences.js';

const MASK = '********';
/** Length from which a part of a secret is one of its own: shorter ones are words that any text may have. */
const SHORTEST_PART = 6;

/**
 * Masks the secrets that a request or its response may show. Of the value of an Authorization header, what follows its scheme is
 * a secret of its own, and so is a password that it encodes.
 */
export class SecretMask {
  readonly #forms: readonly Occurrences[];
  /** Greatest length of a secret, in the longest form in which it travels. */
  readonly longest: number;

  static readonly #made = new WeakMap<readonly string[], SecretMask>();

  /** The mask of these secrets, made once for the same array: a response is masked in its body and in each header. */
  static of(secrets: readonly string[]): SecretMask {
    const mask = SecretMask.#made.get(secrets) ?? new SecretMask(secrets);
    SecretMask.#made.set(secrets, mask);
    return mask;
  }

  private constructor(secrets: readonly string[]) {
    const all = secrets.flatMap((secret) => [secret, ...credentialsIn(secret)]);
    const forms = [...new Set(all.flatMap(formsOf))];
    this.#forms = forms.map((form) => new Occurrences(form));
    this.longest = Math.max(0, ...forms.map(({ length }) => length));
  }

  /**
   * Returns `text` with every secret masked, also where it is percent-encoded or in base64. Its own masks are not read again: a caller
   * who chooses the secrets and the text could have them grow with each secret.
   */
  apply(text: string): string {
    const isSecret = new Uint8Array(text.length);
    let hasSecrets = false;
    for (const form of this.#forms)
      for (const [from, to] of form.in(text)) {
        isSecret.fill(1, from, to);
        hasSecrets = true;
      }
    return hasSecrets ? masked(text, isSecret) : text;
  }
}

/** Returns `text` with every secret masked, as `SecretMask` does. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  return SecretMask.of(secrets).apply(text);
}

function masked(text: string, isSecret: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const isHidden = isSecret[at] === 1;
    const end = isSecret.indexOf(isHidden ? 0 : 1, at);
    const next = end < 0 ? text.length : end;
    parts.push(isHidden ? MASK : text.slice(at, next));
    at = next;
  }
  return parts.join('');
}

/** Credentials after a scheme (RFC 9110 section 11.4); for Basic the user and password too (RFC 7617). */
function credentialsIn(value: string): string[] {
  const [, scheme = '', credentials = ''] = /^([A-Za-z][\w-]*) +(\S+)$/.exec(value) ?? [];
  const pair = /^basic$/i.test(scheme) ? Buffer.from(credentials, 'base64').toString() : '';
  const password = pair.slice(pair.indexOf(':') + 1);
  return [credentials, pair, password].filter((part) => part.length >= SHORTEST_PART);
}

function formsOf(secret: string): string[] {
  if (secret === '') return [];
  const base64 = Buffer.from(secret).toString('base64');
  return [secret, encoded(secret), base64, base64.replace(/=+$/, ''), JSON.stringify(secret).slice(1, -1)];
}

/** Percent-encoded form; of half a surrogate pair there is none. */
function encoded(secret: string): string {
  return encodeURIComponent(secret.replace(/\p{Surrogate}/gu, '\ufffd'));
}
