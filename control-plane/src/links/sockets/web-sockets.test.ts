import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LINK_SUBPROTOCOL } from '@vantage/shared/protocol/limits.js';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { linkWebSockets } from './web-sockets.js';

const FRAMES = 200;

/** Two ends of one WebSocket. */
async function aPair(t: Test) {
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

/** Counts the turns of the event loop from now on. */
function countTurns(t: Test): () => number {
  let turns = 0;
  let next = setImmediate(function again() {
    turns += 1;
    next = setImmediate(again);
  });
  t.teardown(() => clearImmediate(next));
  return () => turns;
}

t.test('frames that come in one read are taken one by one, a turn of the loop each', async (t) => {
  const { client, taken } = await aPair(t);
  const turn = countTurns(t);
  const turns: number[] = [];
  const allTaken = new Promise<void>((resolve) =>
    taken.on('message', () => {
      turns.push(turn());
      if (turns.length === FRAMES) resolve();
    }),
  );
  // one write of them all
  const { _socket: wire } = client as unknown as { _socket: { cork(): void; uncork(): void } };
  wire.cork();
  for (let frame = 0; frame < FRAMES; frame += 1) client.send(Buffer.from([frame]));
  wire.uncork();
  await allTaken;
  t.equal(new Set(turns).size, FRAMES);
});
