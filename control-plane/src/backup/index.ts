import { mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { systemClock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Config } from '../config/config.js';
import { findSecretKey, loadSecretKey } from '../crypto/secret-key.js';
import { openDatabase } from '../db/database.js';
import { startEmbeddedPostgres } from '../db/embedded/index.js';
import { openStorage } from '../db/storage.js';
import { isMissingTable } from '../db/unavailable.js';
import { findIdentityKey, loadServerIdentity } from '../links/index.js';
import { DEAD_AFTER_MS } from '../replicas/replica-lease.js';
import { createLogger } from '../runtime/log.js';
import { version } from '../version.js';
import type { BackupHead } from './backup-file.js';
import { BackupError } from './errors.js';
import { readPassphrase } from './passphrase.js';
import { compareRows, type RestoredBackup, restoreBackup } from './restore-backup.js';
import { checkKey, storeKey } from './restored-key.js';
import { type BackupSummary, takeBackup } from './take-backup.js';

interface FileOrder {
  readonly file: string;
  /** File with the passphrase; default: environment or terminal. */
  readonly passphraseFile?: string;
}

/** Writes a backup of the configured database and its secret key. */
export async function backUp(config: Config, order: FileOrder & { isForced: boolean }): Promise<BackupSummary> {
  const passphrase = await readPassphrase({ ...fileOf(order), isNew: true });
  const log = createLogger('silent');
  const storage = await openStorage({ config, log, mode: 'join-or-start', poolSize: 2 });
  try {
    return await takeBackup({
      db: storage.db,
      secretKey: await keyOf(storage.db, config),
      file: order.file,
      passphrase,
      version,
      createdAt: new Date(systemClock.now()).toISOString(),
      isForced: order.isForced,
    });
  } finally {
    await storage.close();
  }
}

/** The key that the database is sealed with: one that merely lies here would make a backup that no server can use. */
async function keyOf(db: Knex, { secretKey, dataDir }: Config): Promise<Buffer> {
  const identity = await findIdentityKey(db).catch((error: unknown) => {
    if (isMissingTable(error))
      throw new BackupError('the database has no tables of Vantage: no server has run with it');
    throw error;
  });
  if (identity === null) return loadSecretKey(secretKey, dataDir);
  const key = secretKey ?? (await findSecretKey(dataDir));
  if (key === null)
    throw new BackupError(
      `"${dataDir}" has no secret.key; set VANTAGE_SECRET_KEY or VANTAGE_DATA_DIR as for the server`,
    );
  await loadServerIdentity(db, key);
  return key;
}

/** Counts of a restored backup. */
export interface RestoreSummary {
  readonly created_at: string;
  readonly version: string;
  readonly tables: number;
  readonly rows: number;
}

/** Restores a backup into the configured database, which no server may use. */
export async function restore(config: Config, order: FileOrder & { isReplacing: boolean }): Promise<RestoreSummary> {
  const passphrase = await readPassphrase({ ...fileOf(order), isNew: false });
  await stat(order.file);
  const { isReplacing } = order;
  const place = { configured: config.secretKey, dataDir: config.dataDir, isReplacing };
  const storage = await openStorage({ config, log: createLogger('silent'), mode: 'own', poolSize: 2 });
  try {
    return summaryOf(
      await restoreBackup({
        db: storage.db,
        file: order.file,
        passphrase,
        isReplacing,
        // the lock of the data directory proves that no server runs
        deadAfterMs: storage.isOwned ? 0 : DEAD_AFTER_MS,
        onHead: (head) => checkKey(keyIn(head), place),
        onStored: (head) => storeKey(keyIn(head), place),
      }),
    );
  } finally {
    await storage.close();
  }
}

/** Restores a backup into a temporary PostgreSQL, and compares all rows. @throws BackupError with the differences */
export async function verify(order: FileOrder): Promise<BackupSummary> {
  const passphrase = await readPassphrase({ ...fileOf(order), isNew: false });
  const { size: bytes } = await stat(order.file);
  const scratch = await startScratch();
  const db = openDatabase({ url: scratch.url, poolSize: 2, applicationName: 'vantage-control backup --verify' });
  try {
    const restored = await restoreBackup({
      db,
      file: order.file,
      passphrase,
      isReplacing: false,
      deadAfterMs: 0,
      onHead: async () => {},
      onStored: async () => {},
    });
    const different = await compareRows(db, restored);
    if (different.length > 0) throw new BackupError(`the file does not restore completely: ${different.join('; ')}`);
    const { tables, rows } = summaryOf(restored);
    return { file: order.file, bytes, tables, rows };
  } finally {
    await db.destroy();
    await scratch.stop();
  }
}

async function startScratch() {
  const directory = await mkdtemp(path.join(tmpdir(), 'vantage-verify-'));
  return startEmbeddedPostgres({
    dataDir: directory,
    ephemeral: directory,
    purpose: 'command',
    log: createLogger('silent'),
    settings: { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' },
  });
}

function keyIn({ secret_key }: BackupHead): Buffer {
  return Buffer.from(secret_key, 'base64');
}

function summaryOf({ head, sums }: RestoredBackup): RestoreSummary {
  const counts = Object.values(sums);
  return {
    created_at: head.created_at,
    version: head.version,
    tables: counts.length,
    rows: counts.reduce((sum, { rows }) => sum + rows, 0),
  };
}

function fileOf({ passphraseFile }: FileOrder): { file?: string } {
  return passphraseFile === undefined ? {} : { file: passphraseFile };
}
