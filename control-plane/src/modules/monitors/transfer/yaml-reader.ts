import { Worker } from 'node:worker_threads';
import type { Clock } from '@vantage/shared/clock.js';
import { ApiError } from '../../../http/errors.js';
import type { YamlLimits, YamlReply } from './yaml-reply.js';

/** An honest file of five MiB takes four seconds (measured 2026-11, two busy cores). */
const DEADLINE_MS = 20_000;

/** Files in memory that nobody reads yet: with the one that is read they are through before a caller's request times out. */
const MAX_WAITING = 4;

/** The thread's heap, MiB: five MiB of YAML take 300. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 768 };

/** Reads YAML of strangers in a thread of its own, one file at a time. */
export class YamlReader {
  #last: Promise<unknown> = Promise.resolve();
  #unread = 0;

  constructor(private readonly clock: Clock) {}

  /**
   * The value of a document, or what is wrong with it; never throws for what is in the text.
   * @throws ApiError UNAVAILABLE while too many wait
   */
  async read(text: string, limits: YamlLimits): Promise<YamlReply> {
    if (this.#unread > MAX_WAITING) throw new ApiError('UNAVAILABLE', { retryAfterSeconds: DEADLINE_MS / 1_000 });
    this.#unread += 1;
    const turn = this.#last.then(() => this.#readNow(text, limits)).finally(() => (this.#unread -= 1));
    this.#last = turn.catch(() => undefined);
    return await turn;
  }

  #readNow(text: string, limits: YamlLimits): Promise<YamlReply> {
    const worker = new Worker(new URL('./yaml-worker.js', import.meta.url), {
      workerData: { text, limits },
      resourceLimits: HEAP_LIMITS,
    });
    return new Promise((resolve) => {
      const settle = (reply: YamlReply) => {
        cancel();
        void worker.terminate();
        resolve(reply);
      };
      const refuse = (message: string) => settle({ mistake: { message, line: null, column: null } });
      const cancel = this.clock.after(DEADLINE_MS, () => refuse('it takes too long to read'), { unref: true });
      worker.once('message', settle);
      worker.once('error', () => refuse('it takes too much memory to read'));
    });
  }
}
