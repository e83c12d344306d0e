import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import type { Test } from 'tap';
import { Line } from '../line.js';
import { ToxicProxy } from '../toxic-proxy.js';

/** A server that keeps what it hears, behind a proxy with one line to it. */
export interface Proxied {
  readonly clock: FakeClock;
  readonly line: Line;
  readonly proxy: ToxicProxy;
  /** Connections as the server has them, in order. */
  readonly accepted: Recorder[];
  /** A client's connection through the proxy. */
  dial(): Promise<Recorder>;
}

/** Starts both on loopback; ended with the test. */
export async function startProxied(t: Test): Promise<Proxied> {
  const accepted: Recorder[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => accepted.push(new Recorder(socket)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clock = new FakeClock(0);
  const line = new Line('a wire');
  const way = { to: { port: (server.address() as AddressInfo).port, host: '127.0.0.1' }, line };
  const proxy = await ToxicProxy.start({ clock, random: () => 0.5, waysFrom: () => [way] });
  const dialled: Recorder[] = [];
  t.teardown(async () => {
    await proxy.stop();
    for (const { socket } of [...accepted, ...dialled]) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const dial = async () => {
    const recorder = new Recorder(connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true }));
    dialled.push(recorder);
    await recorder.outcome;
    return recorder;
  };
  return { clock, line, proxy, accepted, dial };
}

/** One end of a connection and what came out of it. */
export class Recorder {
  /** Received data, in the pieces in which it arrived. */
  readonly pieces: Buffer[] = [];
  hasEnded = false;
  /** Code of what broke it: ECONNRESET. */
  error: string | null = null;
  isClosed = false;
  /** Settles when it is connected or can't be. */
  readonly outcome: Promise<unknown>;

  constructor(readonly socket: Socket) {
    socket.setNoDelay();
    socket.on('data', (bytes: Buffer) => this.pieces.push(bytes));
    socket.on('end', () => {
      this.hasEnded = true;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.error = error.code ?? error.message;
    });
    socket.on('close', () => {
      this.isClosed = true;
    });
    this.outcome = Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {});
  }

  get text(): string {
    return Buffer.concat(this.pieces).toString();
  }

  /** Waits until exactly this has come. */
  async hears(text: string): Promise<void> {
    await until(`"${text}"`, () => this.text === text).catch((error: Error) => {
      throw new Error(`${error.message}: heard "${this.text}"`);
    });
  }
}
