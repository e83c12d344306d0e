import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

// Sealed form: 12 bytes nonce, 16 bytes tag, ciphertext. AES-256-GCM (NIST SP 800-38D) under a key derived from the
// operator's secret for one purpose: data sealed for one purpose is never opened for another.
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Sealed data cannot be opened: it was sealed with another secret key, or its bytes were changed. */
export class SealBrokenError extends Error {
  override readonly name = 'SealBrokenError';
}

/** Seals data that must not be in the database unencrypted. */
export interface Sealer {
  seal(plain: Uint8Array): Buffer;
  /** @throws SealBrokenError */
  open(sealed: Uint8Array): Buffer;
}

/** Seals for one purpose; `secretKey` is the installation's (32 bytes). */
export function createSealer(secretKey: Uint8Array, purpose: string): Sealer {
  const key = Buffer.from(hkdfSync('sha256', secretKey, '', `vantage ${purpose} v1`, 32));
  return {
    seal(plain) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]);
    },
    open(sealed) {
      try {
        // the length is fixed: a shorter tag would be easier to forge
        const options = { authTagLength: TAG_BYTES };
        const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), options);
        decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
        return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
      } catch (cause) {
        throw new SealBrokenError(`the secret key does not decrypt data sealed for "${purpose}"`, { cause });
      }
    },
  };
}
