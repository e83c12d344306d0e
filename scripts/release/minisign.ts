import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

// The format of minisign (https://jedisct1.github.io/minisign/): public key and signature are a line of base64 each after a
// comment; the signature is that of the BLAKE2b-512 digest, and a second one covers it with its trusted comment.

const KEY_ALGORITHM = Buffer.from('Ed');
const PREHASHED = Buffer.from('ED');
const KEY_ID_BYTES = 8;
const SIGNATURE_BYTES = 64;
const RAW_KEY_BYTES = 32;
/** SubjectPublicKeyInfo of an Ed25519 key up to the key itself (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

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

/** True if a signature file is that of the content by the holder of a public key. */
export function isSignedBy(publicKey: string, content: Buffer, signatureFile: string): boolean {
  const [, line = '', trusted = '', global = ''] = signatureFile.split('\n');
  const [keyBytes, bytes] = [Buffer.from(publicKey, 'base64'), Buffer.from(line, 'base64')];
  const start = KEY_ALGORITHM.length + KEY_ID_BYTES;
  if (keyBytes.length !== start + RAW_KEY_BYTES || bytes.length !== start + SIGNATURE_BYTES) return false;
  if (!bytes.subarray(0, 2).equals(PREHASHED) || !bytes.subarray(2, start).equals(keyBytes.subarray(2, start)))
    return false;
  const key = createPublicKey({
    key: Buffer.concat([SPKI_PREFIX, keyBytes.subarray(start)]),
    type: 'spki',
    format: 'der',
  });
  const signature = bytes.subarray(start);
  const comment = Buffer.from(trusted.replace(/^trusted comment: /, ''));
  return (
    verify(null, digestOf(content), key, signature) &&
    verify(null, Buffer.concat([signature, comment]), key, Buffer.from(global, 'base64'))
  );
}

function digestOf(content: Buffer): Buffer {
  return createHash('blake2b512').update(content).digest();
}

/** Names the key in signatures: the first bytes of its SHA-256 digest, so that it needs no file of its own. */
function keyIdOf(rawKey: Buffer): Buffer {
  return createHash('sha256').update(rawKey).digest().subarray(0, KEY_ID_BYTES);
}
