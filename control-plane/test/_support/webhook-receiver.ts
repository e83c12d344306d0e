import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Test } from 'tap';

/** Request that a receiver got, whatever it replied. */
export interface ReceivedEvent {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every kind
  readonly body: any;
}

/** Replies to a request; by default 200. */
export type Reply = (event: ReceivedEvent, response: ServerResponse) => void;

/** HTTP server of a user that receives webhook events; closed when the test ends. */
export class WebhookReceiver {
  readonly events: ReceivedEvent[] = [];
  reply: Reply = (_, response) => void response.end('thanks');
  readonly #sockets = new Set<Socket>();
  #url = '';
  #connections = 0;

  /** Connections so far. */
  get connections(): number {
    return this.#connections;
  }

  /** Connections that are open. */
  get open(): number {
    return this.#sockets.size;
  }

  /** `http://address:port/hook` */
  get url(): string {
    return this.#url;
  }

  static async start(t: Test, reply?: Reply, address = '127.0.0.1'): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    if (reply !== undefined) receiver.reply = reply;
    const sockets = receiver.#sockets;
    // it leaves it to its clients to close connections that are idle
    const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => {});
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const event = { headers: request.headers, text, body: JSON.parse(text) };
        receiver.events.push(event);
        receiver.reply(event, response);
      });
    });
    server.on('connection', (socket) => {
      receiver.#connections += 1;
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    });
    server.listen(0, address);
    await once(server, 'listening');
    t.teardown(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    receiver.#url = `http://${address}:${(server.address() as AddressInfo).port}/hook`;
    return receiver;
  }
}

export function status(code: number, headers: Readonly<Record<string, string>> = {}, text = ''): Reply {
  return (_, response) => void response.writeHead(code, headers).end(text);
}
