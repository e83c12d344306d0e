// Serves responses that nginx cannot: page-server.js ADDRESS... Listens on port 8080 of each and prints "ready".
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const PORT = 8080;
const CHUNK = Buffer.alloc(65_536, 'vantage lab ');

type Handler = (request: IncomingMessage, response: ServerResponse, values: readonly number[]) => Promise<void>;

const routes: readonly (readonly [RegExp, Handler])[] = [
  [/^\/delay\/(\d+)$/, delay],
  [/^\/bytes\/(\d+)$/, bytes],
  [/^\/drip\/(\d+)\/(\d+)$/, drip],
  [/^\/upload$/, upload],
];

for (const address of process.argv.slice(2)) {
  const server = createServer((request, response) => {
    // a client that disconnects is not an error
    void answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(PORT, address, resolve));
}
process.stdout.write('ready\n');

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '').split('?')[0] ?? '';
  for (const [pattern, handle] of routes) {
    const values = pattern.exec(path)?.slice(1).map(Number);
    if (values !== undefined) return handle(request, response, values);
  }
  response.writeHead(404).end('no such page\n');
}

async function delay(_request: IncomingMessage, response: ServerResponse, [ms = 0]: readonly number[]): Promise<void> {
  await pause(ms);
  response.end('waited\n');
}

async function bytes(
  _request: IncomingMessage,
  response: ServerResponse,
  [count = 0]: readonly number[],
): Promise<void> {
  response.setHeader('Content-Length', count);
  for (let left = count; left > 0 && !response.destroyed; left -= CHUNK.length) {
    const isTaken = response.write(left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK);
    if (!isTaken) await Promise.race([once(response, 'drain'), once(response, 'close')]);
  }
  response.end();
}

async function drip(
  _request: IncomingMessage,
  response: ServerResponse,
  [count = 0, ms = 0]: readonly number[],
): Promise<void> {
  response.setHeader('Content-Length', count);
  for (let sent = 0; sent < count && !response.destroyed; sent += 1) {
    response.write('x');
    await pause(ms);
  }
  response.end();
}

async function upload(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let received = 0;
  for await (const chunk of request) received += (chunk as Buffer).length;
  response.setHeader('Content-Type', 'application/json').end(`{"bytes": ${received}}\n`);
}

function once(response: ServerResponse, event: 'drain' | 'close'): Promise<void> {
  return new Promise((resolve) => response.once(event, () => resolve()));
}
