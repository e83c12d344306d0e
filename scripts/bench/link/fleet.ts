import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { FleetDone, FleetOrder } from './fleet-messages.js';

type OrderOf<K extends FleetOrder['kind']> = Omit<Extract<FleetOrder, { kind: K }>, 'id' | 'kind'>;

/** A fleet of agents in a process of its own. Whoever starts it stops it. */
export class Fleet {
  readonly #child: ChildProcess = fork(fileURLToPath(new URL('./fleet-process.js', import.meta.url)));
  readonly #waiting = new Map<number, (done: FleetDone) => void>();
  #ids = 0;
  #failed: ((error: Error) => void)[] = [];

  constructor() {
    this.#child.on('message', (done: FleetDone) => {
      this.#waiting.get(done.id)?.(done);
      this.#waiting.delete(done.id);
    });
    this.#child.once('exit', (code) => {
      for (const fail of this.#failed) fail(new Error(`the fleet ended with ${code}`));
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Sends an order and waits until it is done. @throws Error when the fleet ends before */
  order<K extends FleetOrder['kind']>(kind: K, parameters: OrderOf<K>): Promise<FleetDone> {
    this.#ids += 1;
    const id = this.#ids;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, resolve);
      this.#failed.push(reject);
      this.#child.send({ ...parameters, kind, id });
    });
  }

  stop(): void {
    this.#failed = [];
    if (this.#child.connected) this.#child.disconnect();
  }
}
