import { createReadStream } from 'node:fs';
import type { Knex } from 'knex';
import { copyTableOut } from '../db/backup/catalog.js';
import {
  copyTableIn,
  countInhabitants,
  countTables,
  createTables,
  dropEverything,
  listLiveReplicas,
  setSequences,
  withoutConstraints,
  writeOneState,
} from '../db/backup/rebuild.js';
import { type BackupHead, BackupReader, type BackupTail, differences } from './backup-file.js';
import { BackupError } from './errors.js';
import { RowCounter, type RowSum } from './row-sum.js';

interface RestoreOrder {
  readonly db: Knex;
  readonly file: string;
  readonly passphrase: string;
  /** True if everything that the database has is deleted. */
  readonly isReplacing: boolean;
  /** Silence after which a replica counts as dead, in milliseconds. */
  readonly deadAfterMs: number;
  /** Called before rows are stored; a failure ends the restore without a change. */
  onHead(head: BackupHead): Promise<void>;
  /** Called after all rows were proven and stored, before the commit; a failure undoes everything. */
  onStored(head: BackupHead): Promise<void>;
}

/** Content of a restored backup. */
export interface RestoredBackup extends BackupTail {
  readonly head: BackupHead;
}

/**
 * Restores a backup in one transaction: all of it, or nothing if the file is damaged, the process is killed or a row is
 * refused. @throws BackupError
 */
export async function restoreBackup(order: RestoreOrder): Promise<RestoredBackup> {
  const stream = createReadStream(order.file);
  const reader = new BackupReader(stream, order.passphrase);
  try {
    const head = await reader.head();
    return await writeOneState(order.db, async (trx) => {
      await makeRoom(trx, order);
      await order.onHead(head);
      await createTables(trx, head.catalog);
      const tail = await storeRows(trx, reader, head);
      await order.onStored(head);
      return { ...tail, head };
    });
  } finally {
    stream.destroy();
  }
}

async function makeRoom(trx: Knex.Transaction, { isReplacing, deadAfterMs }: RestoreOrder): Promise<void> {
  const found = await countInhabitants(trx);
  if (found === null) {
    if ((await countTables(trx)) > 0)
      throw new BackupError('the database has tables that are not of Vantage; restore into a database of its own');
    return;
  }
  const replicas = await listLiveReplicas(trx, deadAfterMs);
  if (replicas.length > 0)
    throw new BackupError(
      `${replicas.length} replicas use the database; stop all of them, wait ten seconds and repeat`,
    );
  const { users, nodes } = found;
  if (!isReplacing && users + nodes > 0)
    throw new BackupError(
      `the database has data (${users} users, ${nodes} nodes); add --replace to delete all of it, or choose another database`,
    );
  await dropEverything(trx);
}

async function storeRows(trx: Knex.Transaction, reader: BackupReader, { catalog }: BackupHead): Promise<BackupTail> {
  await withoutConstraints(trx, async () => {
    for (const table of catalog.tables) await copyTableIn(trx, table, await reader.table(table));
  });
  const tail = await reader.tail();
  await setSequences(trx, tail.sequences);
  return tail;
}

/** Compares the rows of a database with those of the backup that was restored into it. @returns differences, in words */
export function compareRows(db: Knex, { head, sums }: RestoredBackup): Promise<string[]> {
  return writeOneState(db, async (trx) => {
    const found: Record<string, RowSum> = {};
    for (const table of head.catalog.tables) {
      const counter = new RowCounter();
      for await (const piece of await copyTableOut(trx, table)) counter.add(piece);
      found[table.name] = counter.result;
    }
    return differences(sums, found);
  });
}
