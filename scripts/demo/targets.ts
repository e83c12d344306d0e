import { createSocket, type Socket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ProbeType } from '@vantage/shared/probe-types/index.js';
import packet from 'dns-packet';

/** What one probe of the demo asks for. */
export interface DemoProbe {
  readonly type: ProbeType;
  readonly target: string;
  readonly params: object;
}

/** Small servers on loopback for the demo to probe. */
export interface Targets {
  readonly probes: readonly DemoProbe[];
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const DOMAIN = 'www.demo.example';

/** Starts an HTTP, a TLS, a DNS and a TCP server on free ports. */
export async function startTargets(root: string): Promise<Targets> {
  const page = (_request: http.IncomingMessage, response: http.ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('hello from the demo target\n');
  };
  const plain = http.createServer(page);
  const secure = https.createServer(readCertificate(root), page);
  const tcp = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.end('220 demo target ready\r\n');
  });
  const dns = createSocket('udp4');
  dns.on('message', (query, from) => answer(dns, query, from.port, from.address));
  await listen(plain);
  const securePort = await listen(secure);
  const tcpPort = await listen(tcp);
  await new Promise<void>((resolve) => dns.bind(0, HOST, resolve));
  const probes: DemoProbe[] = [
    { type: 'http', target: `https://${HOST}:${securePort}/`, params: {} },
    { type: 'ping', target: HOST, params: { count: 3, interval_ms: 200 } },
    { type: 'dns', target: DOMAIN, params: { server: HOST, port: dns.address().port } },
    { type: 'tcp', target: `${HOST}:${tcpPort}`, params: { banner: true } },
    { type: 'traceroute', target: HOST, params: {} },
  ];
  return { probes, stop: () => stopAll([plain, secure, tcp], dns) };
}

/** The same five questions about a target of the caller's. @throws TypeError when it is neither URL nor host */
export function probesOf(target: string): DemoProbe[] {
  const url = new URL(/^https?:\/\//.test(target) ? target : `https://${target}/`);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  const isAddress = net.isIP(host) !== 0;
  return [
    { type: 'http', target: url.href, params: {} },
    { type: 'ping', target: host, params: { count: 3, interval_ms: 200 } },
    { type: 'dns', target: host, params: isAddress ? { record_type: 'PTR' } : {} },
    { type: 'tcp', target: host, params: { port } },
    { type: 'traceroute', target: host, params: {} },
  ];
}

function readCertificate(root: string): { cert: string; key: string } {
  const folder = join(root, 'scripts', 'demo', 'certificate');
  return { cert: readFileSync(join(folder, 'cert.pem'), 'utf8'), key: readFileSync(join(folder, 'key.pem'), 'utf8') };
}

function answer(socket: Socket, query: Buffer, port: number, address: string): void {
  let question: ReturnType<typeof packet.decode>;
  try {
    question = packet.decode(query);
  } catch {
    return;
  }
  const isKnown = question.questions?.some(({ name, type }) => name.toLowerCase() === DOMAIN && type === 'A');
  const reply = packet.encode({
    type: 'response',
    id: question.id ?? 0,
    flags: packet.AUTHORITATIVE_ANSWER | packet.RECURSION_DESIRED | (isKnown ? 0 : 3),
    questions: question.questions ?? [],
    answers: isKnown ? [{ type: 'A', name: DOMAIN, ttl: 60, data: '203.0.113.10' }] : [],
  });
  socket.send(reply, port, address);
}

async function listen(server: net.Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, HOST, resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function stopAll(servers: readonly (net.Server | http.Server)[], dns: Socket): Promise<void> {
  dns.close();
  await Promise.all(
    servers.map((server) => {
      if ('closeAllConnections' in server) server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    }),
  );
}
