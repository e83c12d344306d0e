import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { BenchError } from '../bench-error.js';
import type { FromLoad, LoadOrder, LoadWindow, ToLoad, WarmUp } from './load-messages.js';

/** The process that makes all requests. Its owner stops it. */
export class LoadGenerator {
  readonly #child: ChildProcess;

  constructor(environment: NodeJS.ProcessEnv) {
    const script = fileURLToPath(new URL('./load-process.js', import.meta.url));
    this.#child = fork(script, [], { env: { ...process.env, ...environment } });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Makes requests until their rate is steady. @throws BenchError when one failed */
  async warmUp(order: LoadOrder): Promise<WarmUp> {
    const warm = await this.#run({ kind: 'warm-up', ...order }, 'warm', () => undefined);
    return warm.warmUp;
  }

  /** Measures a window, and calls back at its start and its end. @throws BenchError when a request failed */
  async measure(order: LoadOrder & { readonly seconds: number }, onEdge: () => void): Promise<LoadWindow> {
    const ended = await this.#run({ kind: 'measure', ...order }, 'ended', onEdge);
    return ended.window;
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  /** The message of this kind, when nothing of the order is in flight any more. */
  #run<K extends FromLoad['kind']>(
    order: ToLoad,
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
