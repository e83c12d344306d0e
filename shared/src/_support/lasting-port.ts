import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

const ADDRESS = '127.0.0.1';
// below the ephemeral range of Linux: no outgoing connection takes one while its server is down
const FIRST = 20_000;
const END = 32_000;

/**
 * A free TCP port of 127.0.0.1 for a server that is stopped and started again. No other test gets it, of this process or
 * another: the UDP port of its number is held, unused, until this process ends.
 */
export async function lastingPort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    if ((await hold(port)) && (await isFree(port))) return port;
  }
}

function hold(port: number): Promise<boolean> {
  const socket = createSocket('udp4').unref();
  return new Promise((resolve) => {
    socket.once('error', () => resolve(false)).bind(port, ADDRESS, () => resolve(true));
  });
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, ADDRESS, () => resolve(true));
  });
  await new Promise((resolve) => server.close(resolve));
  return isFree;
}
