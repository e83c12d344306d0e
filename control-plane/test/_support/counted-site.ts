import http, { type RequestListener } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Test } from 'tap';
import type { SiteCertificate } from './site-certificates.js';
import { testdata } from './testdata.js';

interface SiteOptions {
  readonly host: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Speaks TLS, with a certificate that signs itself unless `certificate` is another one. */
  readonly isTls?: boolean;
  readonly certificate?: SiteCertificate;
}

/** A web server on loopback that counts those who connect. */
export interface CountedSite {
  readonly port: number;
  readonly connections: number;
}

/** Starts a web server, closed with the test. */
export async function startSite(t: Test, answer: RequestListener, options: SiteOptions): Promise<CountedSite> {
  const selfSigned = { key: testdata('localhost.key.pem'), cert: testdata('localhost.crt.pem') };
  const { host, port = 0, isTls = false, certificate = selfSigned } = options;
  const server = isTls ? https.createServer(certificate, answer) : http.createServer(answer);
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
  };
}
