import { spawn } from 'node:child_process';
import { createConnection } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { demand } from '@vantage/shared/_support/missing.js';
import type { Test } from 'tap';
import type { MadeCertificate } from './made-certificates.js';
import { unusedPort } from './tcp-server.js';

/** Starts openssl's own server on a port of loopback, with a certificate and its issuer; ended with the test. */
export async function startOpensslServer(
  t: Test,
  [{ certFile, keyFile }, issuer]: readonly [leaf: MadeCertificate, issuer: MadeCertificate],
  ...words: string[]
): Promise<number> {
  demand('openssl');
  const port = await unusedPort();
  const accept = ['s_server', '-accept', `127.0.0.1:${port}`, '-cert', certFile, '-key', keyFile, '-quiet'];
  const server = spawn('openssl', [...accept, '-cert_chain', issuer.certFile, ...words], { stdio: 'ignore' });
  t.teardown(() => server.kill());
  while (!(await isListening(port))) await pause(20);
  return port;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
