import type { Clock } from '@vantage/shared/clock.js';
import type { ImportFormatName } from '../../../../import-words.js';
import { ReadingTurns } from '../turns/reading-turns.js';
import { MAX_FILE_BYTES } from '../yaml/read-file.js';
import type { PackedFile } from './packed-file.js';
import { parseJsonFile } from './parse-file.js';
import { readInThread } from './reading-thread.js';

/**
 * Greatest size of JSON that is read without a thread: it takes a few milliseconds. The imports of a thread take 0.2 s of a
 * processor, 0.9 s if they are not bundled (measured 2026-11).
 */
const AT_ONCE_BYTES = 16_384;

/** Size above which files have a queue of their own, so that small files never wait for them; bytes. */
const SMALL_BYTES = 262_144;

/** Longest wait for a file to be read, in milliseconds, so that all waiting files are read before a caller's request times out. */
const LONGEST_WAIT_MS = 100_000;

const LEAST_MS = 5_000;
const MOST_MS = 20_000;

/** Longest time for reading a file, in milliseconds. An ordinary one of five MiB takes four to ten seconds (measured 2026-11, two busy cores). */
export function deadlineMs(bytes: number): number {
  return Math.ceil(LEAST_MS + ((MOST_MS - LEAST_MS) * Math.min(bytes, MAX_FILE_BYTES)) / MAX_FILE_BYTES);
}

/** Queue of files that are read one after another in a thread each, and the heap of such a thread in MiB. */
interface Lane {
  readonly turns: ReadingTurns;
  readonly heapMb: number;
}

/** Reads untrusted files outside the event loop. */
export class FileReader {
  // 256 KiB of YAML take 40 MiB, five MiB 400
  readonly #small: Lane = { turns: new ReadingTurns(LONGEST_WAIT_MS), heapMb: 128 };
  readonly #large: Lane = { turns: new ReadingTurns(LONGEST_WAIT_MS), heapMb: 768 };

  constructor(private readonly clock: Clock) {}

  /** Reads a file. @throws ApiError for an error in the file; UNAVAILABLE while too many wait, or if `signal` is aborted */
  async read(
    request: { readonly bytes: Buffer; readonly format: ImportFormatName | null },
    signal: AbortSignal | null,
  ): Promise<PackedFile> {
    const { bytes, format } = request;
    const file = bytes.length <= AT_ONCE_BYTES ? parseJsonFile(bytes, format) : null;
    if (file !== null) return file;
    const lane = bytes.length <= SMALL_BYTES ? this.#small : this.#large;
    const mostMs = deadlineMs(bytes.length);
    const endTurn = await lane.turns.take(mostMs, signal);
    try {
      return await readInThread(request, { clock: this.clock, mostMs, heapMb: lane.heapMb, signal });
    } finally {
      endTurn();
    }
  }
}
