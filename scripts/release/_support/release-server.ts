import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { demand } from '@vantage/shared/_support/missing.js';
import type { Test } from 'tap';

const run = promisify(execFile);

interface Place {
  readonly host?: string;
  /** File with the certificate of the server, and its key next to it; see `makeCertificate`. */
  readonly certificate?: string;
  /** Answers instead of the file. */
  readonly answer?: RequestListener;
}

/** Serves the files of a release until `t` ends; with an absolute URL as a proxy does. Returns its URL, and the URLs asked for. */
export async function serveRelease(
  t: Test,
  folder: string,
  { host = '127.0.0.1', certificate, answer }: Place = {},
): Promise<{ readonly url: string; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const send: RequestListener = (request, response) => {
    asked.push(request.url ?? '');
    if (answer !== undefined) return answer(request, response);
    const file = createReadStream(join(folder, basename(request.url ?? '')));
    file.once('error', () => response.writeHead(404).end());
    file.pipe(response);
  };
  const server =
    certificate === undefined
      ? createServer(send)
      : createTlsServer({ cert: await readFile(certificate), key: await readFile(`${certificate}.key`) }, send);
  server.listen(0, host);
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `${certificate === undefined ? 'http' : 'https'}://${name}:${port}`, asked };
}

/** Writes a self-signed certificate for 127.0.0.1, and its key to `FILE.key`. */
export async function makeCertificate(file: string): Promise<void> {
  demand('openssl');
  const subject = ['-subj', '/CN=release', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  await run('openssl', ['req', '-x509', ...kind, ...subject, '-out', file, '-keyout', `${file}.key`]);
}
