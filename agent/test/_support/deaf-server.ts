import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Test } from 'tap';

/** Listens with the shortest queue and then runs no more, so that the kernel alone answers; ends by itself after a minute. */
const program = `
  const server = require('node:net').createServer();
  server.listen({ host: process.argv[1], port: 0, backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000);
    process.exit();
  });
`;

/**
 * A port whose kernel completes handshakes for a program that never accepts or reads: connections open, what is sent
 * piles up until the window is zero, nothing is ever answered.
 */
export async function startDeafServer(t: Test, host = '127.0.0.1'): Promise<number> {
  const child = spawn(process.execPath, ['-e', program, host], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  const [port] = await once(child.stdout, 'data');
  return Number(String(port));
}

/** A port whose queue of connections is full: SYNs are dropped, connects hang. */
export async function startSilentPort(t: Test, host = '127.0.0.1'): Promise<number> {
  const port = await startDeafServer(t, host);
  const fillers: Socket[] = [];
  t.teardown(() => fillers.forEach((socket) => socket.destroy()));
  for (;;) {
    const socket = connect({ host, port, autoSelectFamily: false });
    socket.on('error', () => {});
    fillers.push(socket);
    // a SYN on loopback is answered within microseconds, or dropped
    const isConnected = await Promise.race([once(socket, 'connect').then(() => true), wait(200)]);
    if (!isConnected) return port;
  }
}

function wait(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), ms));
}
