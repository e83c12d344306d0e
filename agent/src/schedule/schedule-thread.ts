import type { Worker } from 'node:worker_threads';
import type { ScheduleBatch } from './stored-schedule.js';
import type { FromScheduleThread, ScheduleThreadOptions, ToScheduleThread } from './thread-messages.js';

/** The file cannot be opened, or took nothing; another thread has to try again. */
export class ScheduleFileError extends Error {
  override readonly name = 'ScheduleFileError';

  constructor(
    message: string,
    /** The file itself is damaged: it has to be put aside. */
    readonly isCorruption: boolean,
  ) {
    super(message);
  }
}

/** Owner of the file, which serves one request at a time. */
export type KeepingThread = Pick<ScheduleThread, 'save' | 'close' | 'terminate'>;

/** Starts one; resolves when it has opened the file. @throws ScheduleFileError */
export type StartKeepingThread = (options: ScheduleThreadOptions) => Promise<{
  readonly thread: KeepingThread;
  readonly opened: Pick<Extract<FromScheduleThread, { kind: 'opened' }>, 'stored' | 'setAside'>;
}>;

/** The main thread's end of the thread that owns the file. One request at a time. */
export class ScheduleThread {
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  #settle: (message: FromScheduleThread) => void = () => undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
    this.#worker.on('message', (message: FromScheduleThread) => this.#settle(message));
    this.#exited = new Promise((resolve) => {
      const die = (message: string) => this.#settle({ kind: 'failed', code: '', message });
      this.#worker.on('error', (error) => die(error.message));
      this.#worker.on('exit', () => {
        die('the thread of the schedule has ended');
        this.#settle = () => undefined;
        resolve();
      });
    });
  }

  /** Starts it; resolves when it has opened the file. @throws ScheduleFileError */
  static async start(options: ScheduleThreadOptions): Promise<{
    readonly thread: ScheduleThread;
    readonly opened: Extract<FromScheduleThread, { kind: 'opened' }>;
  }> {
    // an agent without assignments never loads it
    const { startScheduleWorker } = await import('./schedule-worker.js');
    const thread = new ScheduleThread(startScheduleWorker(options));
    try {
      const opened = await thread.#answer();
      if (opened.kind === 'opened') return { thread, opened };
      throw new ScheduleFileError(`unexpected reply "${opened.kind}"`, false);
    } catch (error) {
      await thread.terminate();
      throw error;
    }
  }

  /** @throws ScheduleFileError, after which the thread is to be terminated */
  async save(batch: ScheduleBatch): Promise<void> {
    const answer = this.#answer();
    this.#post({ kind: 'save', batch });
    await answer;
  }

  /** Closes the file and ends the thread. */
  async close(): Promise<void> {
    this.#post({ kind: 'close' });
    await this.#exited;
  }

  /** Ends the thread at once; the file recovers when it is opened next, as after a crash. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }

  #post(message: ToScheduleThread): void {
    this.#worker.postMessage(message, []);
  }

  #answer(): Promise<FromScheduleThread> {
    return new Promise((resolve, reject) => {
      this.#settle = (message) => {
        if (message.kind !== 'failed') return resolve(message);
        reject(new ScheduleFileError(message.message, /^SQLITE_(CORRUPT|NOTADB)/.test(message.code)));
      };
    });
  }
}
