import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';

const DIALS_AT_ONCE = 200;
const LOOK_MS = 2;

/** A bare ws server in a process of its own, and connections to it from this one. Whoever starts it stops it. */
export class BareServer {
  readonly #child: ChildProcess;
  readonly #port: number;
  readonly sockets: WebSocket[] = [];

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.#port = port;
  }

  static async start(): Promise<BareServer> {
    const child = fork(fileURLToPath(new URL('./bare-ws.js', import.meta.url)));
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return new BareServer(child, port);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Opens so many connections more. */
  async connect(count: number): Promise<void> {
    for (let left = count; left > 0; left -= DIALS_AT_ONCE) {
      const some = Array.from({ length: Math.min(left, DIALS_AT_ONCE) }, () => this.#dial());
      await Promise.all(some.map((socket) => once(socket, 'open')));
      this.sockets.push(...some);
    }
  }

  /** Resolves when the server has taken so many frames in all. */
  async taken(frames: number): Promise<void> {
    while ((await this.#ask()).frames < frames) await pause(LOOK_MS);
  }

  stop(): void {
    for (const socket of this.sockets) socket.terminate();
    if (this.#child.connected) this.#child.disconnect();
  }

  #dial(): WebSocket {
    return new WebSocket(`ws://127.0.0.1:${this.#port}/`, { perMessageDeflate: false });
  }

  async #ask(): Promise<{ readonly frames: number }> {
    this.#child.send('count');
    const [answer] = (await once(this.#child, 'message')) as [{ readonly frames: number }];
    return answer;
  }
}
