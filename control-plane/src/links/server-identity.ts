import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { rawPublicKey } from '@vantage/shared/protocol/ed25519.js';
import type { Knex } from 'knex';
import { findServerIdentity, insertServerIdentity } from './store.js';

// Sealed form: 12 bytes nonce, 16 bytes tag, ciphertext of the PKCS #8 key; AES-256-GCM under a key derived from the
// operator's secret, so that the secret itself can serve other purposes too.
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The stored identity can't be opened with the configured secret key. */
export class WrongSecretKeyError extends Error {
  override readonly name = 'WrongSecretKeyError';
}

/** The key agents pin at enrollment: whoever holds it is this control plane. */
export interface ServerIdentity {
  readonly privateKey: KeyObject;
  /** Raw, 32 bytes. */
  readonly publicKey: Buffer;
}

/**
 * Loads the identity every replica of this database shares, or makes it the first time.
 * @throws WrongSecretKeyError when `secretKey` (32 bytes) is not the one it was sealed with
 */
export async function loadServerIdentity(db: Knex, secretKey: Uint8Array): Promise<ServerIdentity> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  await insertServerIdentity(db, rawPublicKey(privateKey), seal(der, secretKey));
  const row = await findServerIdentity(db);
  if (!row) throw new Error('server identity vanished');
  const key = createPrivateKey({ key: open(row.sealed_private_key, secretKey), format: 'der', type: 'pkcs8' });
  return { privateKey: key, publicKey: row.public_key };
}

function sealingKey(secretKey: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, '', 'vantage server identity v1', 32));
}

function seal(plain: Uint8Array, secretKey: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(secretKey), nonce);
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

function open(sealed: Buffer, secretKey: Uint8Array): Buffer {
  try {
    // the length is fixed: a shorter tag would be easier to forge
    const options = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv('aes-256-gcm', sealingKey(secretKey), sealed.subarray(0, NONCE_BYTES), options);
    decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new WrongSecretKeyError('the secret key does not open the identity stored in this database', { cause });
  }
}
