import { parentPort, type ResourceLimits, Worker, workerData } from 'node:worker_threads';

// A thread that serves requests one after another, in the order in which they were made. Its file calls `serveThread`;
// the thread that uses it calls `Thread.start`. Payloads travel in transferred buffers: cloning a view clones the whole
// pool behind it.

interface Message {
  readonly request: unknown;
  readonly reply: unknown;
}

/** Requests of a thread by name, with the reply of each. `open` is the first: its request are the options of the thread. */
export type Messages<M> = { readonly [N in keyof M]: Message } & { readonly open: Message };

/** Names of the requests to a thread that is open. */
export type CallName<M> = Exclude<keyof M, 'open'>;

/** Handlers of a thread's requests, and its reply to `open`. A handler passes to `transfer` the buffers that it gives away. */
type Served<M extends Messages<M>> = {
  readonly [N in CallName<M>]: (request: M[N]['request'], transfer: (buffer: ArrayBuffer) => void) => M[N]['reply'];
} & { readonly opened: M['open']['reply']; close(): void };

/** Failure of a request to a thread, or the end of the thread. */
export class ThreadError extends Error {
  override readonly name = 'ThreadError';

  constructor(
    /** Code of the error that a request had, 'FAILED' for one without a code; '' when the thread itself has ended. */
    readonly code: string,
    message: string,
  ) {
    super(message);
  }

  /** True if the thread does not reply any more. */
  get hasEnded(): boolean {
    return this.code === '';
  }
}

/** A thread as its users know it. */
export type OpenThread<M extends Messages<M>> = Pick<Thread<M>, 'call' | 'close' | 'terminate'>;

/** A started thread, and its reply to `open`. */
export interface StartedThread<M extends Messages<M>> {
  readonly thread: OpenThread<M>;
  readonly opened: M['open']['reply'];
}

interface Waiting {
  resolve(reply: unknown): void;
  reject(error: ThreadError): void;
}

type Reply = { readonly id: number } & (
  | { readonly reply: unknown }
  | { readonly code: string; readonly message: string }
);

/** Number of the reply to `open`, and of the first request after it. */
const OPENING = 0;

/** The user's end of a thread. */
export class Thread<M extends Messages<M>> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #exited: Promise<void>;
  #nextId = OPENING;
  #end: ThreadError | null = null;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (reply: Reply) => this.#settle(reply));
    this.#exited = new Promise((resolve) => {
      worker.on('error', (error) => this.#die(error.message));
      worker.on('exit', () => {
        this.#die('the thread has ended');
        resolve();
      });
    });
  }

  /** Starts the thread of a file, and waits until it is open. `resourceLimits` bound its heap. @throws ThreadError */
  static async start<M extends Messages<M>>(
    file: URL,
    options: M['open']['request'],
    resourceLimits: ResourceLimits,
  ): Promise<StartedThread<M>> {
    const thread = new Thread<M>(new Worker(file, { workerData: options, resourceLimits }));
    try {
      return { thread, opened: await thread.#reply() };
    } catch (error) {
      await thread.terminate();
      throw error;
    }
  }

  /** Makes a request, to which the thread gets the buffers in `transfer`. @throws ThreadError */
  call<N extends CallName<M>>(
    name: N,
    request: M[N]['request'],
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<M[N]['reply']> {
    return this.#ask(name, request, transfer);
  }

  /** Closes what the thread has open, and ends it. */
  async close(): Promise<void> {
    try {
      await this.#ask('close', null, []);
      await this.#exited;
    } catch {
      await this.terminate();
    }
  }

  /** Ends the thread at once, whatever it does. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
    await this.#exited;
  }

  async #ask(name: PropertyKey, request: unknown, transfer: readonly ArrayBuffer[]): Promise<unknown> {
    if (this.#end !== null) throw this.#end;
    this.#worker.postMessage({ id: this.#nextId, name, request }, transfer);
    return this.#reply();
  }

  #reply(): Promise<unknown> {
    return new Promise((resolve, reject) => this.#waiting.set(this.#nextId++, { resolve, reject }));
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('reply' in reply) waiting?.resolve(reply.reply);
    else waiting?.reject(new ThreadError(reply.code, reply.message));
  }

  #die(message: string): void {
    this.#end ??= new ThreadError('', message);
    for (const { reject } of this.#waiting.values()) reject(this.#end);
    this.#waiting.clear();
  }
}

/** Opens what the thread of this file owns, and serves its requests until it is closed. */
export function serveThread<M extends Messages<M>>(open: (options: M['open']['request']) => Served<M>): void {
  if (parentPort === null) throw new Error('this file is started as a thread');
  const port = parentPort;
  const post = (reply: Reply, transfer: readonly ArrayBuffer[] = []) => port.postMessage(reply, transfer);
  try {
    const served = open(workerData);
    post({ id: OPENING, reply: served.opened });
    port.on('message', ({ id, name, request }: { id: number; name: CallName<M> | 'close'; request: never }) => {
      const buffers: ArrayBuffer[] = [];
      try {
        post({ id, reply: served[name](request, (buffer) => buffers.push(buffer)) }, buffers);
        if (name === 'close') port.close();
      } catch (error) {
        post({ id, ...failureOf(error) });
      }
    });
  } catch (error) {
    post({ id: OPENING, ...failureOf(error) });
  }
}

function failureOf(error: unknown): { code: string; message: string } {
  if (!(error instanceof Error)) return { code: 'FAILED', message: String(error) };
  const { cause } = error;
  const message = cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
  return { code: codeOf(error) || codeOf(cause) || 'FAILED', message };
}

function codeOf(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
