import { Worker } from 'node:worker_threads';
import type { Clock } from '@vantage/shared/clock.js';
import type { YamlLimits, YamlReply } from './yaml-reply.js';

/** An honest file of five MiB takes four seconds (measured 2026-11, two busy cores). */
const DEADLINE_MS = 20_000;

/** The thread's heap, MiB: five MiB of YAML take 300. */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 768 };

/** Reads YAML of strangers in a thread of its own, one file at a time. */
export class YamlReader {
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly clock: Clock) {}

  /** The value of a document, or what is wrong with it; never throws for what is in the text. */
  read(text: string, limits: YamlLimits): Promise<YamlReply> {
    const turn = this.#last.then(() => this.#readNow(text, limits));
    this.#last = turn.catch(() => undefined);
    return turn;
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
