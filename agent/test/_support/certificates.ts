import { readFileSync } from 'node:fs';
import type { AddressInfo, Socket } from 'node:net';
import { createServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';

/** Leaf certificates in test/testdata/tls; its README says what is wrong with each. */
export type Leaf = 'good' | 'expired' | 'future' | 'wrong-name' | 'self-signed';

/** The authority that signed the leaves, PEM. */
export const testAuthority = read('ca.pem');

/** Path of the file, for NODE_EXTRA_CA_CERTS. */
export const testAuthorityFile = fileURLToPath(urlOf('ca.pem'));

/** Key and certificate of a leaf, for `createServer`; the authority is sent along where `withAuthority`. */
export function tlsIdentity(leaf: Leaf, options: { withAuthority?: boolean } = {}): { key: string; cert: string } {
  const cert = read(`${leaf}.pem`) + (options.withAuthority ? testAuthority : '');
  return { key: read('server.key'), cert };
}

/** A TLS server of a test, closed with it. `open` counts connections, established or not; `staple` goes to who asks. */
export async function startTlsServer(
  t: Test,
  options: TlsOptions,
  serve: (socket: TLSSocket) => void,
  staple?: Buffer,
  { host = '127.0.0.1', port = 0 }: { readonly host?: string; readonly port?: number } = {},
): Promise<{ readonly port: number; readonly open: number }> {
  const sockets = new Set<Socket>();
  const server = createServer(options, (socket) => {
    socket.on('error', () => {});
    serve(socket);
  });
  server.on('tlsClientError', () => {});
  if (staple !== undefined) server.on('OCSPRequest', (_certificate, _issuer, answer) => answer(null, staple));
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    port: (server.address() as AddressInfo).port,
    get open() {
      return sockets.size;
    },
  };
}

function read(file: string): string {
  return readFileSync(urlOf(file), 'utf8');
}

function urlOf(file: string): URL {
  return new URL(`../../../test/testdata/tls/${file}`, import.meta.url);
}
