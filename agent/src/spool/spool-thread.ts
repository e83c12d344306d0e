import { Worker } from 'node:worker_threads';
import { SpoolOpenError } from './errors.js';
import type {
  OpenReply,
  SpoolCall,
  SpoolCalls,
  SpoolThreadOptions,
  ThreadOpening,
  ThreadReply,
} from './thread-messages.js';

/** The thread's heap, MiB: it holds two commits or one batch at a time, SQLite's cache lies outside. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 24, maxYoungGenerationSizeMb: 4 };

/** The thread could not do what was asked; `code` is SQLite's result code name, or '' when the thread itself died. */
export class SpoolThreadError extends Error {
  override readonly name = 'SpoolThreadError';

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }

  /** The file is damaged: it has to be put aside. */
  get isCorruption(): boolean {
    return /^SQLITE_(CORRUPT|NOTADB)/.test(this.code);
  }

  /** True if the thread will not reply any more, or not from this file. */
  get needsNewThread(): boolean {
    return this.code === '' || this.isCorruption;
  }
}

interface Waiting {
  resolve(reply: unknown): void;
  reject(error: SpoolThreadError): void;
}

/** Owner of the spool's file, which serves requests in the order in which they were made. */
export type FileThread = Pick<SpoolThread, 'call' | 'close' | 'terminate'>;

/** Starts one; resolves when it has opened the file. @throws SpoolOpenError */
export type StartFileThread = (
  options: SpoolThreadOptions,
) => Promise<{ readonly thread: FileThread; readonly opened: OpenReply }>;

/** The main thread's end of the spool's thread. Requests are answered in the order in which they were made. */
export class SpoolThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #exited: Promise<void>;
  #nextId = 1;
  #deathMessage: string | null = null;

  private constructor(worker: Worker) {
    this.#worker = worker;
    this.#exited = new Promise((resolve) => {
      worker.on('error', (error) => this.#die(error.message));
      worker.on('exit', () => {
        this.#die('the spool thread has ended');
        resolve();
      });
    });
  }

  /**
   * Starts the thread and waits until it has opened the file.
   * @throws SpoolOpenError
   */
  static async start(options: SpoolThreadOptions): Promise<{ thread: SpoolThread; opened: OpenReply }> {
    const worker = new Worker(new URL('./spool-worker.js', import.meta.url), {
      workerData: options,
      resourceLimits: HEAP_LIMITS,
    });
    const thread = new SpoolThread(worker);
    const opening = await new Promise<ThreadOpening>((resolve) => {
      worker.once('message', resolve);
      void thread.#exited.then(() => resolve({ failed: { code: '', message: thread.#deathMessage ?? '' } }));
    });
    if ('failed' in opening) {
      await worker.terminate();
      throw new SpoolOpenError(opening.failed.message);
    }
    worker.on('message', (reply: ThreadReply) => thread.#settle(reply));
    return { thread, opened: opening.opened };
  }

  /** @throws SpoolThreadError */
  call<C extends SpoolCall>(
    call: C,
    request: SpoolCalls[C]['request'],
    transfer: ArrayBuffer[] = [],
  ): Promise<SpoolCalls[C]['reply']> {
    return new Promise((resolve, reject) => {
      if (this.#deathMessage !== null) return reject(new SpoolThreadError('', this.#deathMessage));
      const id = this.#nextId++;
      // SpoolCalls maps each request of the thread to the type of its reply
      this.#waiting.set(id, { resolve: (reply) => resolve(reply as SpoolCalls[C]['reply']), reject });
      this.#worker.postMessage({ id, call, request }, transfer);
    });
  }

  /** Closes the file and ends the thread. */
  async close(): Promise<void> {
    try {
      await this.call('close', null);
      await this.#exited;
    } catch {
      // the file recovers when it is opened next, as after a crash
      await this.terminate();
    }
  }

  /** Ends the thread at once, without a word to the file. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
    await this.#exited;
  }

  #settle(reply: ThreadReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.ok) waiting?.resolve(reply.reply);
    else waiting?.reject(new SpoolThreadError(reply.failure.code || 'FAILED', reply.failure.message));
  }

  #die(message: string): void {
    this.#deathMessage ??= message;
    for (const waiting of this.#waiting.values()) waiting.reject(new SpoolThreadError('', this.#deathMessage));
    this.#waiting.clear();
  }
}
