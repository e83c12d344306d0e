import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { findSecretKey, storeSecretKey } from '../crypto/secret-key.js';
import { BackupError } from './errors.js';

interface KeyPlace {
  /** Key in the configuration; null: it is in the data directory. */
  readonly configured: Buffer | null;
  readonly dataDir: string;
  readonly isReplacing: boolean;
}

/**
 * Stores the secret key of a backup in the data directory, unless it is configured. A different one is kept as
 * `secret.key.before`. @throws BackupError if another one is in use
 */
export async function restoreKey(key: Buffer, { configured, dataDir, isReplacing }: KeyPlace): Promise<void> {
  if (configured !== null) {
    if (configured.equals(key)) return;
    throw new BackupError(
      'VANTAGE_SECRET_KEY is not the secret key of the backup; remove it from the configuration, and the restored key is stored in the data directory',
    );
  }
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const present = await findSecretKey(dataDir);
  if (present?.equals(key)) return;
  const path = join(dataDir, 'secret.key');
  if (present !== null) {
    if (!isReplacing)
      throw new BackupError(`"${path}" is the key of another installation; add --replace to replace it`);
    await rename(path, `${path}.before`);
  }
  await storeSecretKey(key, dataDir);
}
