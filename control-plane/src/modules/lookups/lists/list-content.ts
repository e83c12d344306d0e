import { Thread } from '@vantage/shared/thread.js';
import { RangeDatabase } from '../../../geo/index.js';
import type { ListDefinition } from '../reputation/list-definition.js';
import type { TextFormat } from '../reputation/list-line.js';
import { ListReader, listOf, type ReadList, type SortedList } from '../reputation/list-reader.js';
import { mmdbEntries } from '../reputation/mmdb-entries.js';

/** Greatest size of a list that is read without a thread: it takes 4 ms, the start of a thread 140 (measured 2026-11). */
const AT_ONCE_BYTES = 65_536;
/** Bytes that a thread gets at a time. */
const PIECE_BYTES = 1024 * 1024;
/** A thread's heap, MiB. Rows lie outside, but those of IPv6 are sorted by way of it: eight million, 64 MiB of text, need 128. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 256 };

/** Requests to the thread that reads a list (list-worker.ts), with the reply of each. */
export interface ListMessages {
  readonly open: { readonly request: TextFormat; readonly reply: null };
  readonly push: { readonly request: Uint8Array; readonly reply: void };
  readonly end: { readonly request: null; readonly reply: SortedList };
}

/** Content of a list, whole or in pieces. */
export interface ListContent {
  readonly bytes: number;
  readonly pieces: AsyncIterable<Buffer> | Iterable<Buffer>;
}

/** Reads the content of a list; a large one in a thread, which ends with it. @throws RangeDatabaseError, ThreadError */
export async function readContent(
  { format, signal }: Pick<ListDefinition, 'format' | 'signal'>,
  { bytes, pieces }: ListContent,
): Promise<ReadList> {
  if (format === 'mmdb') return readDatabase(signal, pieces);
  if (bytes > AT_ONCE_BYTES) return listOf(await readInThread(format, pieces));
  const reader = new ListReader(format);
  for await (const piece of pieces) reader.push(piece);
  return listOf(reader.end());
}

async function readInThread(format: TextFormat, pieces: ListContent['pieces']): Promise<SortedList> {
  const file = new URL('./list-worker.js', import.meta.url);
  const { thread } = await Thread.start<ListMessages>(file, format, HEAP_LIMITS);
  try {
    for await (const piece of pieces) {
      for (let at = 0; at < piece.length; at += PIECE_BYTES) {
        const given = new Uint8Array(piece.subarray(at, at + PIECE_BYTES));
        await thread.call('push', given, [given.buffer]);
      }
    }
    return await thread.call('end', null);
  } finally {
    await thread.terminate();
  }
}

async function readDatabase(signal: ListDefinition['signal'], pieces: ListContent['pieces']): Promise<ReadList> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  const bytes = Buffer.concat(all);
  const database = new RangeDatabase(bytes);
  const { count } = database;
  const entries = Object.assign(mmdbEntries(database, signal), { count, bytes: bytes.length });
  return { entries, lines: count, unreadable: 0, refused: 0 };
}
