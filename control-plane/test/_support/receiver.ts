import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** A request as a receiver took it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Response of a receiver; null if it never responds. */
export type ReceiverReply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
} | null;

export interface Receiver {
  /** `http://127.0.0.1:port` */
  readonly url: string;
  /** In the order they came; may be emptied. */
  readonly requests: ReceivedRequest[];
  /** 200 unless it says otherwise; may be changed at any time. */
  reply: (request: ReceivedRequest) => ReceiverReply | Promise<ReceiverReply>;
}

/** A real HTTP server on a free port that keeps what it is sent; closed when `t` ends. */
export async function startReceiver(t: Test): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      const received = { method, path, headers, body: Buffer.concat(chunks).toString() };
      requests.push(received);
      void Promise.resolve(receiver.reply(received)).then((reply) => {
        if (reply !== null) response.writeHead(reply.status, reply.headers).end(reply.body ?? '');
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    reply: () => ({ status: 200 }),
  };
  return receiver;
}
