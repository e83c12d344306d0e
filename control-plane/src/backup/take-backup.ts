import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Knex } from 'knex';
import { copyTableOut, listSequences, readCatalog, readOneState } from '../db/backup/catalog.js';
import { isMissingTable } from '../db/unavailable.js';
import { type BackupTail, writeBackup } from './backup-file.js';
import { BackupError } from './errors.js';

/** Attempts at a state without a partition that expires at that moment. */
const ATTEMPTS = 3;

interface BackupOrder {
  readonly db: Knex;
  readonly secretKey: Buffer;
  readonly file: string;
  readonly passphrase: string;
  readonly version: string;
  readonly createdAt: string;
  /** True if an existing file is replaced. */
  readonly isForced: boolean;
}

/** Counts of a backup. */
export interface BackupSummary {
  readonly file: string;
  readonly bytes: number;
  readonly tables: number;
  readonly rows: number;
}

/** Writes a backup of one state of the database. The file has its name only once it is complete and on the disk. */
export async function takeBackup(order: BackupOrder): Promise<BackupSummary> {
  if (!order.isForced) await checkIsFree(order.file);
  const draft = `${order.file}.${randomBytes(4).toString('hex')}.part`;
  try {
    const tail = await attempt(order, draft);
    const handle = await open(draft);
    await handle.sync();
    const { size: bytes } = await handle.stat();
    await handle.close();
    await place(draft, order.file);
    const sums = Object.values(tail.sums);
    return { file: order.file, bytes, tables: sums.length, rows: sums.reduce((sum, { rows }) => sum + rows, 0) };
  } finally {
    await rm(draft, { force: true });
  }
}

async function attempt(order: BackupOrder, draft: string): Promise<BackupTail> {
  for (let left = ATTEMPTS; ; left--) {
    try {
      return await write(order, draft);
    } catch (error) {
      if (left <= 1 || !isMissingTable(error)) throw error;
    }
  }
}

function write({ db, secretKey, passphrase, version, createdAt }: BackupOrder, draft: string): Promise<BackupTail> {
  return readOneState(db, async (trx) => {
    let tail: BackupTail | null = null;
    const source = {
      head: {
        version,
        created_at: createdAt,
        secret_key: secretKey.toString('base64'),
        catalog: await readCatalog(trx),
      },
      rowsOf: (table: Parameters<typeof copyTableOut>[1]) => copyTableOut(trx, table),
      sequences: () => listSequences(trx),
    };
    const bytes = writeBackup(source, passphrase, (written) => {
      tail = written;
    });
    await pipeline(bytes, createWriteStream(draft, { mode: 0o600 }));
    if (tail === null) throw new BackupError('the backup ended early');
    return tail;
  });
}

async function checkIsFree(file: string): Promise<void> {
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (exists) throw new BackupError(`"${file}" exists; choose another name, or add --force`);
}

async function place(draft: string, file: string): Promise<void> {
  await rename(draft, file);
  const folder = await open(dirname(file));
  await folder.sync();
  await folder.close();
}
