import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { writeFileDurably } from './durable-file.js';
import { StateFileError } from './errors.js';

// Two records of 26 bytes, written in turn: "<16 digits> <8 hex digits of their CRC-32>\n". The higher one counts; a
// damaged one is taken for the higher. Writing in place needs no disk space, so that a node with a full disk can still
// connect and empty its spool.

const RECORD_BYTES = 26;

/**
 * Number of connections that this node has made. A copy of the state directory is detected when it connects with a
 * number that was used before.
 */
export class GenerationCounter {
  readonly #path: string;
  #value: number;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, value: number) {
    this.#path = path;
    this.#value = value;
  }

  /** Reads the counter, or begins one at 0. @throws StateFileError when neither record is intact */
  static async open(stateDir: string): Promise<GenerationCounter> {
    const path = join(stateDir, 'generation');
    const text = await findText(path);
    if (text === null) {
      await writeFileDurably(path, formatRecord(0) + formatRecord(0));
      return new GenerationCounter(path, 0);
    }
    const values = [0, 1].flatMap((slot) => parseRecord(text.slice(slot * RECORD_BYTES, (slot + 1) * RECORD_BYTES)));
    if (values.length === 0) throw new StateFileError(`"${path}" is damaged: enroll this node again`);
    return new GenerationCounter(path, Math.max(...values) + (values.length === 1 ? 1 : 0));
  }

  /** The next number, above every one before; it is on the disk when this resolves. */
  async next(): Promise<number> {
    this.#value += 1;
    const value = this.#value;
    const previous = this.#writing;
    this.#writing = previous.catch(() => {}).then(() => writeRecord(this.#path, value));
    await this.#writing;
    return value;
  }
}

async function writeRecord(path: string, value: number): Promise<void> {
  await withFile(path, 'r+', async (file) => {
    await file.write(formatRecord(value), (value % 2) * RECORD_BYTES);
    await file.sync();
  });
}

async function findText(path: string): Promise<string | null> {
  try {
    return await withFile(path, 'r', (file) => file.readFile('latin1'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function withFile<T>(path: string, flags: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, flags);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

function formatRecord(value: number): string {
  const digits = String(value).padStart(16, '0');
  return `${digits} ${crc32(digits).toString(16).padStart(8, '0')}\n`;
}

function parseRecord(record: string): number[] {
  const value = Number(record.slice(0, 16));
  return record === formatRecord(value) ? [value] : [];
}
