// Sources that cold lookups ask, and the tools beside them: one process, so that its cost is part of neither figure. Each answers after
// DELAY_MS, as if it were a network away. Ends when its parent disconnects.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import packet, { type Answer } from 'dns-packet';

/** Time of every source until it answers, in milliseconds. */
export const DELAY_MS = 20;
const HOST = '127.0.0.1';
const folder = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'demo', 'certificate');

/** Ports of the sources. */
export interface SourcePorts {
  readonly dns: number;
  readonly whois: number;
  /** The bootstrap file of RDAP, which names no server. */
  readonly bootstrap: number;
  readonly web: number;
}

const registration = (domain: string) => `Domain Name: ${domain.toUpperCase()}
Registrar: Bench Registrar
Creation Date: 2001-02-03T04:05:06Z
Registry Expiry Date: 2099-02-03T04:05:06Z
Domain Status: clientTransferProhibited
Name Server: NS1.BENCH.TEST
Name Server: NS2.BENCH.TEST
DNSSEC: unsigned
`;

/** Every name has an address, a text and a mail server. */
function recordsOf(name: string, type: string): Answer[] {
  const ttl = 300;
  if (type === 'A') return [{ type, name, ttl, data: HOST }];
  if (type === 'TXT') return [{ type, name, ttl, data: 'v=spf1 -all' }];
  if (type === 'MX') return [{ type, name, ttl, data: { preference: 10, exchange: 'mail.bench.test' } }];
  return [];
}

function answer(query: Buffer): Buffer {
  const { id = 0, questions = [] } = packet.decode(query);
  const [question] = questions;
  return packet.encode({
    type: 'response',
    id,
    flags: packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE,
    questions,
    answers: question === undefined ? [] : recordsOf(question.name, question.type),
  });
}

async function startDns(): Promise<number> {
  const socket = createSocket('udp4');
  socket.on('message', async (query, { port, address }) => {
    await pause(DELAY_MS);
    socket.send(answer(query), port, address);
  });
  socket.bind(0, HOST);
  await once(socket, 'listening');
  return socket.address().port;
}

function startWhois(): Promise<number> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', async (line) => {
      await pause(DELAY_MS);
      socket.end(registration(line.toString('latin1').trim()));
    });
  });
  return listen(server);
}

function startBootstrap(): Promise<number> {
  return listen(createServer((_request, response) => response.end('{"version":"1.0","services":[]}')));
}

function startWeb(): Promise<number> {
  const read = (name: string) => readFileSync(join(folder, name));
  const certificate = { cert: read('cert.pem'), key: read('key.pem') };
  return listen(https.createServer(certificate, (_request, response) => response.end('ok')));
}

async function listen(server: net.Server): Promise<number> {
  server.listen(0, HOST);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

if (process.send !== undefined) {
  const ports: SourcePorts = {
    dns: await startDns(),
    whois: await startWhois(),
    bootstrap: await startBootstrap(),
    web: await startWeb(),
  };
  process.send(ports);
  process.once('disconnect', () => process.exit());
}
