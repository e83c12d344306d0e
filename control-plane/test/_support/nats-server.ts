import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from '@nats-io/transport-node';
import { lastingPort } from '@vantage/shared/_support/lasting-port.js';
import type { Test } from 'tap';
import { temporaryDirectory } from './temporary-directory.js';
import { until } from './until.js';

/** Why tests with NATS can't run here; false: they can. Never a reason where everything has to be there. */
export const withoutNats: string | false =
  process.env['CI'] === 'true' || spawnSync('nats-server', ['--version']).status === 0
    ? false
    : 'nats-server is not installed';

/** Debian's nats-server on a port of its own, which a test ends and starts again. */
export class NatsServer {
  #process: ChildProcess | null = null;

  private constructor(
    readonly port: number,
    private readonly args: readonly string[],
    private readonly credentials: { user?: string; pass?: string; token?: string },
  ) {}

  /** Started; ended with the test. `args`: of its command line, beside the address. */
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
    const child = spawn('nats-server', this.args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#process = child;
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    await until(`nats-server: ${log}`, () => log.includes('Server is ready') || child.exitCode !== null);
    if (child.exitCode !== null) throw new Error(`nats-server ended: ${log}`);
  }

  /** It stays there and does nothing any more, as a machine that hangs. */
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
