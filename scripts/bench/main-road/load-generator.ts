import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../harness.js';

/** One load: probes of one kind, a number of them in flight all the time. */
export interface LoadOrder {
  readonly url: string;
  /** API key; null for requests without credentials. */
  readonly key: string | null;
  readonly type: string;
  readonly body: { readonly params?: object };
  readonly nodes: number;
  readonly inFlight: number;
  /** True if each probe names another resolver, whose budget it takes from: the target, on loopback, has none. */
  readonly takesBudget: boolean;
  /** Length of the window; null for a warm-up. */
  readonly seconds: number | null;
}

/** Probes that ended within a window; times from request to result in milliseconds. */
export interface LoadWindow {
  readonly count: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

/** Rates of successive windows of one second; steady: the last three satisfy the rule. */
export interface WarmUp {
  readonly perSecond: readonly number[];
  readonly isSteady: boolean;
}

export type FromLoad =
  /** The window begins. */
  | { readonly kind: 'begun' }
  /** The window has ended; its last probes are still in flight. */
  | { readonly kind: 'ended'; readonly window: LoadWindow }
  | { readonly kind: 'warm'; readonly warmUp: WarmUp }
  /** Nothing of the order is in flight any more. */
  | { readonly kind: 'idle' }
  /** A request was refused or a probe did not succeed. */
  | { readonly kind: 'failed'; readonly message: string };

/** The process that makes all requests. Its owner stops it. */
export class LoadGenerator {
  readonly #child: ChildProcess = fork(fileURLToPath(new URL('./load-process.js', import.meta.url)));

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Makes requests until their rate is steady. @throws BenchError when one failed */
  async warmUp(order: LoadOrder): Promise<WarmUp> {
    return (await this.#run({ ...order, seconds: null }, 'warm', () => undefined)).warmUp;
  }

  /** Measures a window, and calls back at its start and its end. @throws BenchError when a request failed */
  async measure(order: LoadOrder, onEdge: () => void): Promise<LoadWindow> {
    return (await this.#run(order, 'ended', onEdge)).window;
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  /** The message of this kind, when nothing of the order is in flight any more. */
  #run<K extends FromLoad['kind']>(
    order: LoadOrder,
    kind: K,
    onEdge: () => void,
  ): Promise<Extract<FromLoad, { kind: K }>> {
    return new Promise((resolve, reject) => {
      let found: FromLoad | null = null;
      const finish = (act: () => void) => {
        this.#child.off('message', take).off('exit', lost);
        act();
      };
      const take = (message: FromLoad) => {
        if (message.kind === 'begun' || message.kind === 'ended') onEdge();
        if (message.kind === kind) found = message;
        if (message.kind === 'failed') finish(() => reject(new BenchError(message.message)));
        if (message.kind === 'idle') finish(() => resolve(found as Extract<FromLoad, { kind: K }>));
      };
      const lost = () => finish(() => reject(new BenchError('the load generator ended')));
      this.#child.on('message', take).once('exit', lost);
      this.#child.send(order);
    });
  }
}
