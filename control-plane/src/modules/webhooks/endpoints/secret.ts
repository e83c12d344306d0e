import { randomBytes } from 'node:crypto';

// A secret is 32 random bytes, shown as Standard Webhooks writes it: whsec_<base64>.

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const HINT_LENGTH = 4;

/** Creates a secret that signs events. */
export function newSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** Text form of a secret, `whsec_…`. */
export function formatSecret(secret: Uint8Array): string {
  return `${PREFIX}${Buffer.from(secret).toString('base64')}`;
}

/** Last characters of the text form before its padding, by which users recognise a secret. */
export function hintOf(secret: Uint8Array): string {
  return formatSecret(secret).replace(/=+$/, '').slice(-HINT_LENGTH);
}
