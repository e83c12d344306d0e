import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { findSecretKey, storeSecretKey } from '../crypto/secret-key.js';
import { BackupError } from './errors.js';

interface KeyPlace {
  /** Key in the configuration; null if it is in the data directory. */
  readonly configured: Buffer | null;
  readonly dataDir: string;
  readonly isReplacing: boolean;
}

/**
 * Checks that the secret key of a backup can be stored, or is in use. @throws BackupError if another one is configured, or
 * in the data directory and not to be replaced
 */
export async function checkKey(key: Buffer, { configured, dataDir, isReplacing }: KeyPlace): Promise<void> {
  if (configured !== null && !configured.equals(key))
    throw new BackupError(
      'VANTAGE_SECRET_KEY is not the secret key of the backup; remove it from the configuration, and the restored key is stored in the data directory',
    );
  const present = configured === null ? await findSecretKey(dataDir) : null;
  if (present !== null && !present.equals(key) && !isReplacing)
    throw new BackupError(
      `"${join(dataDir, 'secret.key')}" is the key of another installation; add --replace to replace it`,
    );
}

/** Stores the secret key of a backup in the data directory, unless it is configured. A different one is kept as `secret.key.before`. */
export async function storeKey(key: Buffer, { configured, dataDir }: KeyPlace): Promise<void> {
  if (configured !== null) return;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const present = await findSecretKey(dataDir);
  if (present?.equals(key)) return;
  const path = join(dataDir, 'secret.key');
  if (present !== null) await rename(path, `${path}.before`);
  await storeSecretKey(key, dataDir);
}
