import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from '../../namespaces.js';
import { serviceAddresses } from '../../topology.js';
import { writeStaple } from '../certificates.js';
import { startDaemon, startProgram } from '../daemon.js';
import type { ServerDefinition, ServerOptions } from '../server.js';
import { nginxConfiguration } from './nginx.js';

const { v4, v6 } = serviceAddresses('web');
const PAGE_SERVER = fileURLToPath(new URL('../../programs/page-server.js', import.meta.url));

/** nginx for what is measured, and a small server of our own for what nginx cannot do: waiting, counting. */
export const web: ServerDefinition = {
  summary: 'nginx: HTTP/1.1, HTTP/2, TLS 1.0 to 1.3, virtual hosts, redirects, gzip',
  programs: ['nginx', 'curl'],
  async start(options: ServerOptions) {
    await Promise.all([startNginx(options), startProgram(options, PAGE_SERVER, [v4, v6])]);
  },
  offers: [
    ['http://www.lab.test/', `a small page; ${v4}, ${v6}`],
    ['http://www.lab.test/1k /100k /1m /10m', 'bytes; /text compressed where asked for; /json, /latin1, /empty'],
    ['http://www.lab.test/redirect/1 .. /redirect/9', 'so many redirects; /redirect/loop; /redirect/https'],
    [
      'http://www.lab.test/status/404',
      'that status, for the usual ones; /echo tells method and headers; /drop hangs up',
    ],
    ['http://other.lab.test/', 'another virtual host'],
    ['https://www.lab.test/', 'HTTP/2 and HTTP/1.1, TLS 1.2 and 1.3, a stapled OCSP answer'],
    ['https://expired.lab.test/', 'also future, self-signed and wrong-name: certificates that are not good'],
    ['https://legacy.lab.test/', 'TLS 1.0 and 1.1 only; tls12.lab.test and tls13.lab.test theirs'],
    ['http://slow.lab.test:8080/delay/MS', 'waits; /bytes/N, /drip/N/MS one byte each MS, POST /upload counts'],
  ],
};

async function startNginx(options: ServerOptions): Promise<void> {
  const { directory, namespace, certificates } = options;
  const file = join(directory, 'nginx.conf');
  const staple = await writeStaple(certificates.good);
  writePages(join(directory, 'pages'));
  writeFileSync(file, nginxConfiguration({ directory, certificates, staple }));
  const look = ['netns', 'exec', namespace, 'curl', '-s', '--max-time', '2', `http://${v4}/`];
  await startDaemon(options, {
    command: ['nginx', '-e', join(directory, 'error.log'), '-p', directory, '-c', file],
    isReady: async () => (await run('ip', look)).includes('hello'),
  });
}

function writePages(directory: string): void {
  mkdirSync(directory);
  const write = (name: string, content: string | Buffer) => writeFileSync(join(directory, name), content);
  write('index.html', '<!doctype html><title>lab</title><p>hello from the lab\n');
  write('other.html', '<!doctype html><title>other</title><p>another virtual host\n');
  const sizes = { '1k': 1024, '100k': 100 * 1024, '1m': 1024 ** 2, '10m': 10 * 1024 ** 2, '100m': 100 * 1024 ** 2 };
  for (const [name, bytes] of Object.entries(sizes)) write(name, Buffer.alloc(bytes, 'vantage lab '));
  write('text', 'Grüße aus dem Labor. '.repeat(500));
  write('json', '{"status": "ok", "items": [1, 2, 3]}\n');
  write('latin1', Buffer.from('Grüße\n', 'latin1'));
}
