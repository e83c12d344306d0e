import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer } from 'node:net';
import type { Test } from 'tap';

/** A TCP server that greets; its port. */
export async function startGreeter(t: Test, host: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end('220 ready\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

/** A DNS server that knows one address record, whatever name is asked for; its port. */
export async function startNameServer(t: Test, host: string): Promise<number> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  socket.on('message', (query, from) => socket.send(answerOf(query), from.port, from.address));
  await new Promise<void>((resolve) => socket.bind(0, host, resolve));
  t.teardown(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  return socket.address().port;
}

/** The query with the bits of an answer and the record 203.0.113.10 (RFC 1035 section 4.1); its EDNS record is left out. */
function answerOf(query: Buffer): Buffer {
  let end = 12;
  while ((query[end] ?? 0) !== 0) end += 1 + (query[end] ?? 0);
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8580, 2);
  header.writeUInt16BE(1, 6);
  header.writeUInt32BE(0, 8);
  const record = Buffer.from('c00c000100010000003c0004cb00710a', 'hex');
  return Buffer.concat([header, query.subarray(12, end + 5), record]);
}
