import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LINK_SUBPROTOCOL } from '@vantage/shared/protocol/limits.js';
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import { linkWebSockets } from '../../src/links/sockets/web-sockets.js';

/** Two ends of one WebSocket, that of an agent and that of the control plane; closed when `t` ends. */
export async function webSocketPair(t: Test): Promise<{ client: WebSocket; taken: WebSocket }> {
  const sockets = linkWebSockets();
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const taken = new Promise<WebSocket>((resolve) =>
    server.on('upgrade', (request, socket, head) => sockets.handleUpgrade(request, socket, head, resolve)),
  );
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, LINK_SUBPROTOCOL);
  t.teardown(() => {
    client.terminate();
    server.close();
  });
  await once(client, 'open');
  return { client, taken: await taken };
}
