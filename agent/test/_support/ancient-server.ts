import { connect, type Socket } from 'node:net';
import type { Test } from 'tap';
import { startTcpServer, type TestServer } from './tcp-server.js';

export interface AncientServerOptions {
  /** Versions it speaks, as numbers on the wire. */
  readonly versions: readonly number[];
  /** Cipher suites it takes, by number, best first. */
  readonly suiteIds: readonly number[];
}

const handshakeFailure = Buffer.from([21, 3, 1, 0, 2, 2, 40]);

/**
 * A server with ciphers and versions that no OpenSSL of today speaks: it answers a ClientHello with a ServerHello, or
 * an alert, and goes no further. `offered` gets the suites of every hello.
 */
export function startAncientServer(
  t: Test,
  { versions, suiteIds }: AncientServerOptions,
  offered: number[][] = [],
): Promise<TestServer> {
  return startTcpServer(t, (socket) =>
    socket.once('data', (hello) => {
      offered.push(offeredSuites(hello));
      socket.end(ancientReply(hello, { versions, suiteIds }) ?? handshakeFailure);
    }),
  );
}

/** A server in front of a TLS server of today, at `port` of loopback: hellos that it understands itself go no further. */
export function startAncientFront(t: Test, options: AncientServerOptions, port: number): Promise<TestServer> {
  return startTcpServer(t, (socket) =>
    socket.once('data', (hello) => {
      const reply = isOfToday(hello) ? null : ancientReply(hello, options);
      if (reply === null) relay(socket, hello, port);
      else socket.end(reply);
    }),
  );
}

/** ServerHello for a ClientHello; null without a common version and cipher. */
function ancientReply(hello: Buffer, { versions, suiteIds }: AncientServerOptions): Buffer | null {
  const suites = offeredSuites(hello);
  const asked = hello.readUInt16BE(9);
  const version = Math.max(...versions.filter((candidate) => candidate <= asked));
  const suite = suiteIds.find((id) => suites.includes(id));
  return suite === undefined || !Number.isFinite(version) ? null : serverHello(version, suite);
}

/** True for a hello of TLS 1.0 or later that offers AES with a certificate, as every client of today does. */
function isOfToday(hello: Buffer): boolean {
  const offered = offeredSuites(hello);
  return hello.readUInt16BE(9) > 0x0300 && [0x1301, 0xc02b, 0xc02f, 0xc009, 0x002f].some((id) => offered.includes(id));
}

/** True for a hello that also offers TLS 1.3. */
export function isOfTls13(hello: Buffer): boolean {
  return offeredSuites(hello).includes(0x1301);
}

/** Hands a connection over to the server at `port` of loopback. */
export function relay(socket: Socket, hello: Buffer, port: number): void {
  const onward = connect({ port, host: '127.0.0.1' });
  onward.on('error', () => socket.destroy());
  socket.on('close', () => onward.destroy());
  onward.write(hello);
  socket.pipe(onward).pipe(socket);
}

/** record(5) type(1) length(3) version(2) random(32) session id<1> suites<2>. */
function offeredSuites(hello: Buffer): number[] {
  const at = 44 + hello.readUInt8(43);
  const suites = hello.subarray(at + 2, at + 2 + hello.readUInt16BE(at));
  return Array.from({ length: suites.length / 2 }, (_, index) => suites.readUInt16BE(index * 2));
}

/** A ServerHello of `version` with a session id of 32 bytes, in one record. */
export function serverHello(version: number, suiteId: number): Buffer {
  const body = Buffer.concat([
    u16(version),
    Buffer.alloc(32, 7),
    Buffer.from([32]),
    Buffer.alloc(32, 9),
    u16(suiteId),
    Buffer.from([0]),
  ]);
  return inRecord(version, handshakeMessage(2, body));
}

/** A handshake message: type(1) length(3). */
export function handshakeMessage(type: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([type]), vector(3, body)]);
}

/** A record with handshake messages. */
export function inRecord(version: number, messages: Buffer): Buffer {
  return Buffer.concat([Buffer.from([22]), u16(version), vector(2, messages)]);
}

/** Bytes behind their length. */
export function vector(lengthBytes: 2 | 3, body: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUIntBE(body.length, 0, lengthBytes);
  return Buffer.concat([length, body]);
}

function u16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}
