import { createHash, createPublicKey, verify } from 'node:crypto';

// The format of minisign (https://jedisct1.github.io/minisign/): public key and signature are a line of base64 each after a
// comment; the signature is that of the BLAKE2b-512 digest, and a second one covers it with its trusted comment.

/** Begins a public key. */
export const KEY_ALGORITHM = Buffer.from('Ed');
/** Begins a signature of a digest. */
export const PREHASHED = Buffer.from('ED');
/** Length of the name of a key. */
export const KEY_ID_BYTES = 8;
const SIGNATURE_BYTES = 64;
const RAW_KEY_BYTES = 32;
/** SubjectPublicKeyInfo of an Ed25519 key up to the key itself (RFC 8410). */
export const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

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

/** Digest that is signed. */
export function digestOf(content: Buffer): Buffer {
  return createHash('blake2b512').update(content).digest();
}
