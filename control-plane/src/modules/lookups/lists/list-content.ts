import { RangeDatabase } from '../../../geo/index.js';
import { laterTurn } from '../../../runtime/slices.js';
import type { ListDefinition } from '../reputation/list-definition.js';
import { ListReader, type ReadList } from '../reputation/list-reader.js';
import { mmdbEntries } from '../reputation/mmdb-entries.js';

/** Bytes that are read before other work of the process gets its turn: about 2 ms. */
const BYTES_PER_SLICE = 32 * 1024;

/**
 * Reads the content of a list, which arrives in pieces, in slices between which the event loop turns.
 * @throws RangeDatabaseError
 */
export async function readContent(
  { format, signal }: Pick<ListDefinition, 'format' | 'signal'>,
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<ReadList> {
  if (format === 'mmdb') return readDatabase(signal, pieces);
  const reader = new ListReader(format);
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += BYTES_PER_SLICE) {
      reader.push(piece.subarray(at, at + BYTES_PER_SLICE));
      await laterTurn();
    }
  }
  const work = reader.end();
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    await laterTurn();
  }
}

async function readDatabase(
  signal: ListDefinition['signal'],
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<ReadList> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  const bytes = Buffer.concat(all);
  const database = new RangeDatabase(bytes);
  const { count } = database;
  const entries = Object.assign(mmdbEntries(database, signal), { count, bytes: bytes.length });
  return { entries, lines: count, unreadable: 0, refused: 0 };
}
