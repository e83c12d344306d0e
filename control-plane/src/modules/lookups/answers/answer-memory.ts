import type { Kept } from './answer.js';

const MAX_BYTES = 64 * 1024 * 1024;
/** Approximate size of an entry without its bodies, in bytes. */
const ENTRY_BYTES = 500;

interface Entry {
  readonly kept: Kept;
  readonly bytes: number;
}

/** Answers in the memory of this replica, at most 64 MiB of them: those that were not used for the longest time go first. */
export class AnswerMemory {
  readonly #entries = new Map<string, Entry>();
  /** Reads that run, and whether the memory of their key has changed since they began. */
  readonly #reads = new Set<{ readonly key: string; isOvertaken: boolean }>();
  #bytes = 0;

  constructor(private readonly maxBytes = MAX_BYTES) {}

  /** Bytes of all entries, approximately. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Newest answer and failure of a key, or null. */
  find(key: string): Kept | null {
    const entry = this.#entries.get(key);
    if (entry === undefined) return null;
    // put back at the end: the first entries are the oldest
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.kept;
  }

  /** Puts what is read, unless the key is put or forgotten meanwhile: what was found may be older than that. */
  async fill(key: string, read: () => Promise<Kept>): Promise<Kept> {
    const running = { key, isOvertaken: false };
    this.#reads.add(running);
    try {
      const kept = await read();
      const isFound = kept.answer !== null || kept.failure !== null;
      if (isFound && !running.isOvertaken) this.put(key, kept);
      return kept;
    } finally {
      this.#reads.delete(running);
    }
  }

  put(key: string, kept: Kept): void {
    this.forget(key);
    const bytes = ENTRY_BYTES + key.length + sizeOf(kept.answer) + sizeOf(kept.failure);
    this.#entries.set(key, { kept, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.maxBytes) return;
      this.#delete(oldest);
    }
  }

  forget(key: string): void {
    for (const read of this.#reads) if (read.key === key) read.isOvertaken = true;
    this.#delete(key);
  }

  #delete(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }

  /** Forgets all keys. */
  clear(): void {
    for (const read of this.#reads) read.isOvertaken = true;
    this.#entries.clear();
    this.#bytes = 0;
  }
}

/** Objects take about twice the length of their JSON. */
function sizeOf(answer: Kept['answer']): number {
  return answer === null ? 0 : 2 * JSON.stringify(answer.body).length;
}
