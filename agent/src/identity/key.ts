import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileDurably } from './durable-file.js';
import { StateFileError } from './errors.js';

/**
 * The node's private key; created, and on the disk, before it is used. An existing one is used again, so that an
 * enrollment whose answer was lost can be repeated.
 * @throws StateFileError
 */
export async function loadOrMakeKey(stateDir: string): Promise<KeyObject> {
  const existing = await findKey(stateDir);
  if (existing !== null) return existing;
  const { privateKey } = generateKeyPairSync('ed25519');
  await writeFileDurably(keyPath(stateDir), privateKey.export({ format: 'pem', type: 'pkcs8' }));
  return privateKey;
}

/** The node's private key, or null when none was made. @throws StateFileError when others may read it, or it is none */
export async function findKey(stateDir: string): Promise<KeyObject | null> {
  return readKey(keyPath(stateDir));
}

/** The Ed25519 private key in a file, or null when there is no file. @throws StateFileError as findKey */
export async function readKey(path: string): Promise<KeyObject | null> {
  const pem = await readPrivately(path);
  if (pem === null) return null;
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // the message of the parser may quote the key
  }
  throw new StateFileError(`"${path}" is not an Ed25519 private key`);
}

async function readPrivately(path: string): Promise<string | null> {
  try {
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0) {
      throw new StateFileError(
        `"${path}" is readable by other users: if it was not copied, run chmod 600 "${path}"; otherwise enroll again`,
      );
    }
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Path of the node's private key. */
export function keyPath(stateDir: string): string {
  return join(stateDir, 'key.pem');
}
