// Misbehaving web servers: hostile-web.js ADDRESS... One port for each misbehaviour; prints "ready".
import { createServer, type Socket } from 'node:net';
import { brotliCompressSync, constants } from 'node:zlib';
import { type Misbehaviour, misbehaviours } from './misbehaviours.js';

const OK = 'HTTP/1.1 200 OK\r\n';
const BOMB_BYTES = 16 * 1024 * 1024;

const bomb = brotliCompressSync(Buffer.alloc(BOMB_BYTES), { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
const bombHead = `${OK}Content-Type: text/plain\r\nContent-Encoding: br\r\nContent-Length: ${bomb.length}\r\n\r\n`;

/** Handling of a connection by misbehaviour. */
const servings: Readonly<Record<Misbehaviour, (socket: Socket) => void>> = {
  'endless-body': flooding(`${OK}Content-Type: text/plain\r\n\r\n`, 'x'.repeat(1024)),
  'one-byte-every-5-seconds': afterRequest((socket) => {
    socket.write(`${OK}Content-Length: 1000000\r\n\r\n`);
    const timer = setInterval(() => socket.write('x'), 5000);
    socket.once('close', () => clearInterval(timer));
  }),
  'ten-megabytes-of-headers': flooding(`${OK}X: `, 'x'.repeat(1024)),
  'hundred-thousand-header-lines': answering(OK, 'a:b\r\n'.repeat(100_000), '\r\n'),
  'endless-interim-responses': flooding('', 'HTTP/1.1 100 Continue\r\n\r\n'),
  'http-0.9': answering('<html>hello</html>'),
  'wrong-chunk-sizes': answering(`${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello world\r\n0\r\n\r\n`),
  'brotli-bomb': answering(bombHead, bomb),
  'reset-after-request': afterRequest((socket) => socket.resetAndDestroy()),
  'reset-after-accept': (socket) => socket.resetAndDestroy(),
  'never-reads': (socket) => socket.pause(),
  'half-close': (socket) => socket.end(),
  'silent-after-accept': (socket) => socket.resume(),
  'endless-banner': (socket) => pour(socket, Buffer.alloc(16_384, 'x')),
  'two-lengths': answering(`${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`),
  'short-body': answering(`${OK}Content-Length: 10\r\n\r\nhello`),
};

for (const address of process.argv.slice(2)) {
  for (const [name, port] of Object.entries(misbehaviours)) {
    const serve = servings[name as Misbehaviour];
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: name === 'never-reads' }, (socket) => {
      socket.on('error', () => {});
      socket.on('end', () => socket.end());
      serve(socket);
    });
    await new Promise<void>((resolve) => server.listen(port, address, resolve));
  }
}
process.stdout.write('ready\n');

function afterRequest(serve: (socket: Socket) => void): (socket: Socket) => void {
  return (socket) => {
    socket.once('data', () => serve(socket));
  };
}

function answering(...parts: readonly (string | Buffer)[]): (socket: Socket) => void {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return afterRequest((socket) => socket.end(bytes));
}

/** Writes `chunk` after `head` as fast as the client takes it, until it has had enough. */
function flooding(head: string, chunk: string): (socket: Socket) => void {
  const bytes = Buffer.from(chunk.repeat(Math.ceil(16_384 / chunk.length)));
  return afterRequest((socket) => {
    socket.write(head);
    pour(socket, bytes);
  });
}

function pour(socket: Socket, bytes: Buffer): void {
  const more = () => {
    while (!socket.destroyed && socket.writable && socket.write(bytes));
  };
  socket.on('drain', more);
  more();
}
