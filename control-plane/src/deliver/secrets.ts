const MASK = '********';

/** Returns `text` with every secret masked, also where it is percent-encoded or in base64. */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  // a secret that contains another one goes first
  const forms = [...new Set(secrets.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  return forms.reduce((masked, form) => masked.replaceAll(form, MASK), text);
}

function formsOf(secret: string): string[] {
  if (secret === '') return [];
  const base64 = Buffer.from(secret).toString('base64');
  return [secret, encodeURIComponent(secret), base64, base64.replace(/=+$/, ''), JSON.stringify(secret).slice(1, -1)];
}
