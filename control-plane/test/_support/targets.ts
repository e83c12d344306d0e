import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer } from 'node:net';
import type { Test } from 'tap';

/** Starts a TCP server that sends a greeting; returns its port. */
export async function startGreeter(t: Test, host: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end('220 ready\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

/**
 * Starts a DNS server that has one address record for every name; returns its port. `addressOf`: current content of the
 * record.
 */
export async function startNameServer(
  t: Test,
  host: string,
  { port = 0, addressOf = () => '203.0.113.10' }: { readonly port?: number; readonly addressOf?: () => string } = {},
): Promise<number> {
  return startUdp(t, { host, port }, (query) => answerOf(query, addressOf()));
}

/** Starts a time server with a reference clock, in step with this machine (RFC 5905 section 7.3); returns its port. */
export async function startTimeServer(t: Test, host: string): Promise<number> {
  return startUdp(t, { host, port: 0 }, (request) => {
    const now = Buffer.alloc(8);
    const seconds = Date.now() / 1000 + 2_208_988_800;
    now.writeUInt32BE(Math.floor(seconds), 0);
    now.writeUInt32BE(Math.floor((seconds % 1) * 2 ** 32), 4);
    // version 4, server, stratum 1; delay and dispersion 0; then reference, origin, receive and transmit time
    const head = Buffer.concat([Buffer.from('240106ec0000000000000000', 'hex'), Buffer.from('TEST')]);
    return Buffer.concat([head, now, request.subarray(40, 48), now, now]);
  });
}

async function startUdp(
  t: Test,
  { host, port }: { readonly host: string; readonly port: number },
  answer: (request: Buffer) => Buffer,
): Promise<number> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  socket.on('message', (request, from) => socket.send(answer(request), from.port, from.address));
  await new Promise<void>((resolve) => socket.bind(port, host, resolve));
  t.teardown(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  return socket.address().port;
}

/** The query with the bits of a response and an address record (RFC 1035 section 4.1); its EDNS record is left out. */
function answerOf(query: Buffer, address: string): Buffer {
  let end = 12;
  while ((query[end] ?? 0) !== 0) end += 1 + (query[end] ?? 0);
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8580, 2);
  header.writeUInt16BE(1, 6);
  header.writeUInt32BE(0, 8);
  const record = Buffer.concat([
    Buffer.from('c00c000100010000003c0004', 'hex'),
    Buffer.from(address.split('.').map(Number)),
  ]);
  return Buffer.concat([header, query.subarray(12, end + 5), record]);
}
