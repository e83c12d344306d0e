// Registries and a site that refer to where no probe may go: hostile-registries.js ADDRESS... Prints "ready".
//
//   http :8100  /redirect/N…    302 to place N
//               /dns.json       RDAP servers: of placeN.com place N itself, of movedN.com a server that redirects to place N
//               /ipv4.json      RDAP server of 25.80.10.0/24: a private address
//   WHOIS :43   whoisN.com      refers to the host of place N
//               net, org        top-level domains whose servers are at a private address, and at a name that leads to one
import { createServer } from 'node:http';
import { createServer as createTcpServer, isIPv6 } from 'node:net';
import { refusedHosts, refusedUrls } from './refused-places.js';

const HTTP_PORT = 8100;
const WHOIS_PORT = 43;

for (const address of process.argv.slice(2)) {
  await serveHttp(address);
  await serveWhois(address);
}
process.stdout.write('ready\n');

function serveHttp(address: string): Promise<void> {
  const base = `http://${isIPv6(address) ? `[${address}]` : address}:${HTTP_PORT}`;
  const bootstraps: Readonly<Record<string, readonly unknown[]>> = {
    '/dns.json': refusedUrls.flatMap((url, number) => [
      [[`place${number}.com`], [url]],
      [[`moved${number}.com`], [`${base}/redirect/${number}/`]],
    ]),
    '/ipv4.json': [[['25.80.10.0/24'], ['http://10.0.0.1/']]],
  };
  const server = createServer(({ url = '' }, response) => {
    const services = bootstraps[url];
    const place = refusedUrls[Number(/^\/redirect\/(\d+)/.exec(url)?.[1])];
    if (services !== undefined) response.end(JSON.stringify({ version: '1.0', services }));
    else if (place !== undefined) response.writeHead(302, { location: place }).end();
    else response.writeHead(404).end();
  });
  return new Promise((resolve) => server.listen(HTTP_PORT, address, resolve));
}

function serveWhois(address: string): Promise<void> {
  const hosts = new Map(refusedHosts.map(([number, host]) => [`whois${number}.com`, host]));
  hosts.set('net', '10.0.0.1').set('org', 'private.hostile.test');
  const server = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (question) => {
      const name = question.toString('latin1').trim().split(' ').at(-1) ?? '';
      socket.end(`% of the lab\r\nwhois: ${hosts.get(name) ?? 'no'}\r\n`);
    });
  });
  return new Promise((resolve) => server.listen(WHOIS_PORT, address, resolve));
}
