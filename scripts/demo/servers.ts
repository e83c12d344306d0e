import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import net from 'node:net';
import { join } from 'node:path';
import { systemClock } from '@vantage/shared/clock.js';
import { SMTPServer } from 'smtp-server';
import { startSpeedtestServer } from 'vantage-agent/net/speedtest-server.js';
import { listen, type Server } from './listen.js';
import { startNameServer } from './name-server.js';
import { HOST, MAIL_DOMAIN } from './names.js';
import { timeAnswer } from './time-answer.js';

/** The ports of the demo's servers, by what speaks there. */
export interface Servers {
  readonly ports: Readonly<Record<keyof typeof starters, number>>;
  stop(): Promise<void>;
}

const starters = {
  web: startWeb,
  greeter: startGreeter,
  dns: startNameServer,
  time: () => startUdp(timeAnswer),
  mail: startMail,
  speedtest: async (): Promise<Server> => {
    const { address, stop } = await startSpeedtestServer(HOST, 0, systemClock);
    return { port: address.port, stop };
  },
};

/** Starts small servers of every kind on free ports of loopback. `root`: of the project, for the certificate. */
export async function startServers(root: string): Promise<Servers> {
  const certificate = readCertificate(root);
  const names = Object.keys(starters) as (keyof typeof starters)[];
  const servers = await Promise.all(names.map(async (name) => [name, await starters[name](certificate)] as const));
  const ports = Object.fromEntries(servers.map(([name, { port }]) => [name, port])) as Servers['ports'];
  return { ports, stop: async () => void (await Promise.all(servers.map(([, server]) => server.stop()))) };
}

interface Certificate {
  readonly cert: string;
  readonly key: string;
}

function readCertificate(root: string): Certificate {
  const folder = join(root, 'scripts', 'demo', 'certificate');
  return { cert: readFileSync(join(folder, 'cert.pem'), 'utf8'), key: readFileSync(join(folder, 'key.pem'), 'utf8') };
}

async function startWeb(certificate: Certificate): Promise<Server> {
  const server = https.createServer(certificate, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('hello from the demo target\n');
  });
  return listen(server);
}

function startGreeter(): Promise<Server> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.end('220 demo target ready\r\n');
  });
  return listen(server);
}

/** Greets and speaks TLS, and takes no mail. */
async function startMail(certificate: Certificate): Promise<Server> {
  const mail = new SMTPServer({
    ...certificate,
    name: MAIL_DOMAIN,
    disabledCommands: ['AUTH'],
    disableReverseLookup: true,
    closeTimeout: 100,
    onMailFrom: (_address, _session, done) => done(new Error('this server accepts no mail')),
  });
  mail.on('error', () => {});
  const { port } = await listen(mail.server);
  return { port, stop: () => new Promise((resolve) => mail.close(() => resolve())) };
}

/** Answers each datagram with what `answer` makes of it; null is silence. */
async function startUdp(answer: (request: Buffer) => Buffer | null): Promise<Server> {
  const socket = createSocket('udp4');
  socket.on('message', (request, from) => {
    const reply = answer(request);
    if (reply !== null) socket.send(reply, from.port, from.address);
  });
  socket.bind(0, HOST);
  await once(socket, 'listening');
  return { port: socket.address().port, stop: () => new Promise((resolve) => socket.close(() => resolve())) };
}
