import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { rawPublicKey } from '@vantage/shared/protocol/ed25519.js';
import type { Knex } from 'knex';
import { createSealer, SealBrokenError } from '../../crypto/sealing.js';
import { findServerIdentity, insertServerIdentity } from './store.js';

const PURPOSE = 'server identity';

/** The stored identity cannot be opened with the configured secret key. */
export class WrongSecretKeyError extends Error {
  override readonly name = 'WrongSecretKeyError';
}

/** Key that agents pin at enrollment: its holder is this control plane. */
export interface ServerIdentity {
  readonly privateKey: KeyObject;
  /** Raw, 32 bytes. */
  readonly publicKey: Buffer;
}

/**
 * Loads the identity that every replica of this database shares, or creates it.
 * @throws WrongSecretKeyError if `secretKey` (32 bytes) is not the one it was sealed with
 */
export async function loadServerIdentity(db: Knex, secretKey: Uint8Array): Promise<ServerIdentity> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  await insertServerIdentity(db, rawPublicKey(privateKey), createSealer(secretKey, PURPOSE).seal(der));
  const row = await findServerIdentity(db);
  if (!row) throw new Error('server identity vanished');
  const key = createPrivateKey({ key: open(row.sealed_private_key, secretKey), format: 'der', type: 'pkcs8' });
  return { privateKey: key, publicKey: row.public_key };
}

/** Public key of the identity, which needs no secret; null before the first server has created one. */
export async function findIdentityKey(db: Knex): Promise<Buffer | null> {
  return (await findServerIdentity(db))?.public_key ?? null;
}

function open(sealed: Buffer, secretKey: Uint8Array): Buffer {
  try {
    return createSealer(secretKey, PURPOSE).open(sealed);
  } catch (cause) {
    if (!(cause instanceof SealBrokenError)) throw cause;
    throw new WrongSecretKeyError('the secret key does not decrypt the identity stored in this database', { cause });
  }
}
