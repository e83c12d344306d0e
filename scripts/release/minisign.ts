import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { digestOf, KEY_ALGORITHM, KEY_ID_BYTES, PREHASHED, SPKI_PREFIX } from '@vantage/shared/minisign.js';

/** Key that signs releases. */
export class ReleaseKey {
  private constructor(private readonly key: KeyObject) {}

  /** @param pem PKCS#8, as `openssl genpkey -algorithm ed25519` writes it. @throws Error when it is another kind of key */
  static read(pem: string): ReleaseKey {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType !== 'ed25519') throw new Error(`the key is ${key.asymmetricKeyType}, not Ed25519`);
    return new ReleaseKey(key);
  }

  /** The public key as minisign takes it: one line of base64. */
  get publicKey(): string {
    const raw = this.#raw();
    return Buffer.concat([KEY_ALGORITHM, keyIdOf(raw), raw]).toString('base64');
  }

  /** Text of the signature file (`.minisig`). `trustedComment`: one line, covered by the signature. */
  sign(content: Buffer, trustedComment: string): string {
    const signature = sign(null, digestOf(content), this.key);
    const global = sign(null, Buffer.concat([signature, Buffer.from(trustedComment)]), this.key);
    const line = Buffer.concat([PREHASHED, keyIdOf(this.#raw()), signature]).toString('base64');
    return `untrusted comment: signature of a Vantage release\n${line}\ntrusted comment: ${trustedComment}\n${global.toString('base64')}\n`;
  }

  #raw(): Buffer {
    return createPublicKey(this.key).export({ type: 'spki', format: 'der' }).subarray(SPKI_PREFIX.length);
  }
}

/** Names the key in signatures: the first bytes of its SHA-256 digest, so that it needs no file of its own. */
function keyIdOf(rawKey: Buffer): Buffer {
  return createHash('sha256').update(rawKey).digest().subarray(0, KEY_ID_BYTES);
}
