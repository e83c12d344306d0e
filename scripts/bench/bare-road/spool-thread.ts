// Spool of the bare road, in a thread: a commit for each message, durable as that of the agent.
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';

/** Rows to append, and the position up to which rows are deleted in the same commit. */
export interface SpoolCommit {
  readonly acknowledged: number;
  readonly rows: readonly (readonly [number, string])[];
}

const database = new Database(join(String(workerData), 'spool.db'));
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.pragma('wal_autocheckpoint = 128');
database.exec('CREATE TABLE rows (position INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT');
const insert = database.prepare('INSERT INTO rows VALUES (?, ?)');
const remove = database.prepare('DELETE FROM rows WHERE position <= ?');
const commit = database.transaction(({ acknowledged, rows }: SpoolCommit) => {
  remove.run(acknowledged);
  for (const row of rows) insert.run(...row);
});

parentPort?.on('message', (message: SpoolCommit) => {
  commit.immediate(message);
  parentPort?.postMessage(null, []);
});
