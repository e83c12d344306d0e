import type { Socket } from 'node:net';
import pg from 'pg';

/**
 * One connection to a server, opened by the first statement and reused by later ones. While no statement runs it keeps
 * no process alive, and it ends with the process.
 */
export class ServerConnection {
  readonly #url: string;
  #client: Promise<pg.Client> | null = null;
  #running = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** Runs one statement. @returns the rows */
  async run(sql: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    this.#client ??= this.#connect();
    const client = await this.#client;
    this.#hold(client, 1);
    try {
      return (await client.query(sql, [...values])).rows;
    } finally {
      this.#hold(client, -1);
    }
  }

  #hold(client: pg.Client, count: 1 | -1): void {
    this.#running += count;
    const socket = client.connection.stream as Socket;
    if (this.#running === 0) socket.unref();
    else socket.ref();
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.#url, application_name: 'vantage test' });
    // the server may have been stopped by a test; the next statement fails then
    client.on('error', () => {
      this.#client = null;
    });
    await client.connect();
    return client;
  }
}
