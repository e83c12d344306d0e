import { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import type { Catalog, CopiedSequence, CopiedTable } from '../db/backup/catalog.js';
import { decrypted, encrypted } from './age-file.js';
import { ByteReader } from './byte-reader.js';
import { BackupError } from './errors.js';
import { RowCounter, type RowSum } from './row-sum.js';

// Inside of the encryption, gzip of lines:
//
//   vantage backup 1
//   {"version", "created_at", "secret_key", "catalog"}
//   {"table": "users", "columns": […]}       once for each table,
//   rows in the text format of COPY          then its rows,
//   \.                                       then a line that is no row
//   {"sequences": […], "sums": {…}}

const FIRST_LINE = 'vantage backup 1';
const END_OF_ROWS = '\\.';
const MAX_LINE_BYTES = 16 * 1024 * 1024;

/** First part of a backup. */
export interface BackupHead {
  /** Version of the program that wrote it. */
  readonly version: string;
  readonly created_at: string;
  /** Key that seals secrets in the database, base64. */
  readonly secret_key: string;
  readonly catalog: Catalog;
}

/** Last part of a backup: what can be said only after the rows. */
export interface BackupTail {
  readonly sequences: readonly CopiedSequence[];
  readonly sums: Readonly<Record<string, RowSum>>;
}

/** Content of a backup that is being written. */
export interface BackupSource {
  readonly head: BackupHead;
  rowsOf(table: CopiedTable): Promise<AsyncIterable<Buffer>>;
  sequences(): Promise<readonly CopiedSequence[]>;
}

/** Bytes of the file, and what it holds once all are read. */
export function writeBackup(source: BackupSource, passphrase: string, onSums: (tail: BackupTail) => void) {
  const gzip = createGzip({ level: 4 });
  const lines = Readable.from(linesOf(source, onSums), { objectMode: false });
  lines.on('error', (error) => gzip.destroy(error));
  return encrypted(lines.pipe(gzip), passphrase);
}

async function* linesOf(source: BackupSource, onSums: (tail: BackupTail) => void): AsyncGenerator<Buffer> {
  yield Buffer.from(`${FIRST_LINE}\n${JSON.stringify(source.head)}\n`);
  const sums: Record<string, RowSum> = {};
  for (const table of source.head.catalog.tables) {
    yield Buffer.from(`${JSON.stringify({ table: table.name, columns: table.columns })}\n`);
    const counter = new RowCounter();
    for await (const piece of await source.rowsOf(table)) {
      counter.add(piece);
      yield piece;
    }
    sums[table.name] = counter.result;
    yield Buffer.from(`${END_OF_ROWS}\n`);
  }
  const tail = { sequences: await source.sequences(), sums };
  onSums(tail);
  yield Buffer.from(`${JSON.stringify(tail)}\n`);
}

/** A backup that is being read: head, each table, tail, in this order. */
export class BackupReader {
  readonly #lines: ByteReader;
  readonly #sums = new Map<string, RowSum>();

  constructor(file: AsyncIterable<Uint8Array>, passphrase: string) {
    const gunzip = createGunzip();
    const plain = Readable.from(decrypted(file, passphrase), { objectMode: false });
    plain.on('error', (error) => gunzip.destroy(error));
    this.#lines = new ByteReader(plain.pipe(gunzip));
  }

  /** @throws BackupError */
  async head(): Promise<BackupHead> {
    const first = await this.#lines.line(FIRST_LINE.length);
    if (first !== FIRST_LINE)
      throw new BackupError('the file is not a backup that this version reads; use the version that wrote it');
    return this.#json();
  }

  /** The rows of the next table, which have to be read to their end. */
  async table({ name }: CopiedTable): Promise<AsyncIterable<Buffer>> {
    const { table } = await this.#json<{ table: string }>();
    if (table !== name) throw new BackupError(`the file has "${table}" in place of "${name}"`);
    return this.#counted(name);
  }

  /** @throws BackupError if rows are not those that were written */
  async tail(): Promise<BackupTail> {
    const tail = await this.#json<BackupTail>();
    const wrong = differences(tail.sums, Object.fromEntries(this.#sums));
    if (wrong.length > 0) throw new BackupError(`the file is damaged: ${wrong.join('; ')}`);
    return tail;
  }

  async *#counted(name: string): AsyncGenerator<Buffer> {
    const counter = new RowCounter();
    for await (const piece of this.#lines.linesUntil(END_OF_ROWS)) {
      counter.add(piece);
      yield piece;
    }
    this.#sums.set(name, counter.result);
  }

  async #json<T>(): Promise<T> {
    const line = await this.#lines.line(MAX_LINE_BYTES);
    if (line === null) throw new BackupError('the file was cut off; use another copy of it');
    return JSON.parse(line);
  }
}

/** Tables whose rows differ, in words. */
export function differences(wanted: BackupTail['sums'], found: BackupTail['sums']): string[] {
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(found)])].sort();
  return names.flatMap((name) => {
    const [a, b] = [wanted[name], found[name]];
    if (a?.rows === b?.rows && a?.sum === b?.sum) return [];
    if (a?.rows === b?.rows) return [`"${name}" has other rows`];
    return [`"${name}" has ${b?.rows ?? 'no'} rows and not ${a?.rows ?? 'none'}`];
  });
}
