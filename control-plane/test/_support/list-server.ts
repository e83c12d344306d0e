import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** A server of lists, whose replies a test sets by path. */
export class ListServer {
  /** Requests by path, in the order of their arrival. */
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  /** Date of what it serves. */
  readonly modified = new Date(Date.now() - 33 * 3_600_000).toUTCString();
  readonly #replies = new Map<string, RequestListener>();

  private constructor(readonly url: string) {}

  /** Listens on a free port of an address of this machine until the test ends. */
  static async start(t: Test, address = '127.0.0.1'): Promise<ListServer> {
    const server = createServer((request, response) => {
      const path = request.url ?? '';
      lists.requests.push({ path, headers: request.headers });
      const reply = lists.#replies.get(path) ?? ((_request, missing) => missing.writeHead(404).end());
      reply(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, address, resolve));
    t.teardown(() => {
      server.closeAllConnections();
      server.close();
    });
    const lists = new ListServer(`http://${address}:${(server.address() as AddressInfo).port}`);
    return lists;
  }

  /** Serves a text with an ETag of its own and a date, and 304 for a client that has it. */
  serve(path: string, content: string | Buffer): void {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(content);
    const etag = `"${bytes.length}-${bytes.subarray(-18).toString('base64url')}"`;
    this.reply(path, (request, response) => {
      const headers = { etag, 'last-modified': this.modified };
      if (request.headers['if-none-match'] === etag) response.writeHead(304, headers).end();
      else response.writeHead(200, headers).end(bytes);
    });
  }

  reply(path: string, reply: RequestListener): void {
    this.#replies.set(path, reply);
  }

  /** Number of requests for a path. */
  count(path: string): number {
    return this.requests.filter((request) => request.path === path).length;
  }
}
