const MASK = '********';
/** Length from which a part of a secret is one of its own: shorter ones are words that any text may have. */
const SHORTEST_PART = 6;

/**
 * Returns `text` with every secret masked, also where it is percent-encoded or in base64. Of the value of an Authorization
 * header, what follows its scheme is a secret of its own, and so is a password that it encodes.
 */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  // a secret that contains another one goes first
  const all = secrets.flatMap((secret) => [secret, ...credentialsIn(secret)]);
  const forms = [...new Set(all.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  return forms.reduce((masked, form) => masked.replaceAll(form, MASK), text);
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
  return [secret, encodeURIComponent(secret), base64, base64.replace(/=+$/, ''), JSON.stringify(secret).slice(1, -1)];
}
