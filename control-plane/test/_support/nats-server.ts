import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from '@nats-io/transport-node';
import { lastingPort } from '@vantage/shared/_support/lasting-port.js';
import { demand } from '@vantage/shared/_support/missing.js';
import { until } from '@vantage/shared/_support/until.js';
import type { Test } from 'tap';
import { temporaryDirectory } from './temporary-directory.js';

/** Debian's nats-server on a port of its own, which a test stops and restarts. */
export class NatsServer {
  #process: ChildProcess | null = null;

  private constructor(
    readonly port: number,
    private readonly args: readonly string[],
    private readonly credentials: { user?: string; pass?: string; token?: string },
  ) {}

  /** Starts the server; stopped with the test. `args`: command line arguments in addition to the address. */
  static async start(
    t: Test,
    args: readonly string[] = [],
    credentials: { user?: string; pass?: string; token?: string } = {},
  ): Promise<NatsServer> {
    const port = await lastingPort();
    const where = ['--addr', '127.0.0.1', '--port', String(port), '--store_dir', temporaryDirectory(t)];
    const server = new NatsServer(port, [...where, ...args], credentials);
    t.teardown(() => server.stop());
    await server.start();
    return server;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    demand('nats-server');
    const child = spawn('nats-server', this.args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#process = child;
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    await until(`nats-server: ${log}`, () => log.includes('Server is ready') || child.exitCode !== null);
    if (child.exitCode !== null) throw new Error(`nats-server ended: ${log}`);
  }

  /** Suspends the server: it keeps its port and does nothing, like a machine that hangs. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  /** kill -9. May be called twice. */
  async stop(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child === null || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Publishes as any other client of the server may. */
  async publish(subject: string, payload: string | Uint8Array): Promise<void> {
    const client = await connect({ servers: this.address, ...this.credentials });
    client.publish(subject, payload);
    await client.flush();
    await client.close();
  }
}
