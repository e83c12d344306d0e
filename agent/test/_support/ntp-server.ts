import { createSocket } from 'node:dgram';
import type { Test } from 'tap';

/** Reply of a test's time server; fields left out are those of a stratum 2 server. */
export interface NtpAnswer {
  leap?: number;
  version?: number;
  mode?: number;
  stratum?: number;
  referenceId?: Buffer;
  /** The random number of the request, unless it lies. */
  origin?: bigint;
  /** Seconds since 1900 and fraction, 64 bits. */
  receivedAt?: bigint;
  sentAt?: bigint;
}

/** A time server of a test, closed with it. */
export interface TestNtpServer {
  readonly port: number;
  /** Requests in order of arrival. */
  readonly requests: readonly Buffer[];
}

/** Wall milliseconds as the 64 bits that travel. */
export function ntpTimestamp(wallMs: number): bigint {
  const sinceMs = BigInt(Math.round(wallMs * 1000)) + 2_208_988_800_000_000n;
  return BigInt.asUintN(64, (sinceMs << 32n) / 1_000_000n);
}

/** 48 bytes that answer a request. */
export function ntpPacket(request: Buffer, answer: NtpAnswer = {}): Buffer {
  const { leap = 0, version = 4, mode = 4, stratum = 2, referenceId = Buffer.from([192, 0, 2, 1]) } = answer;
  const now = ntpTimestamp(performance.timeOrigin + performance.now());
  const packet = Buffer.alloc(48);
  packet.writeUInt8((leap << 6) | (version << 3) | mode, 0);
  packet.writeUInt8(stratum, 1);
  packet.writeInt8(6, 2);
  packet.writeInt8(-23, 3);
  packet.writeUInt32BE(0x0000_8000, 4);
  packet.writeUInt32BE(0x0000_4000, 8);
  referenceId.copy(packet, 12);
  packet.writeBigUInt64BE(answer.origin ?? request.readBigUInt64BE(40), 24);
  packet.writeBigUInt64BE(answer.receivedAt ?? now, 32);
  packet.writeBigUInt64BE(answer.sentAt ?? now, 40);
  return packet;
}

/** Answers each request with the datagrams that `handle` makes of it; none is silence. */
export async function startNtpServer(
  t: Test,
  handle: (request: Buffer) => readonly Buffer[] = (request) => [ntpPacket(request)],
  address = '127.0.0.1',
): Promise<TestNtpServer> {
  const requests: Buffer[] = [];
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  socket.on('message', (request, from) => {
    requests.push(request);
    for (const answer of handle(request)) socket.send(answer, from.port, from.address);
  });
  await new Promise<void>((resolve, reject) => socket.once('error', reject).bind(0, address, resolve));
  t.teardown(() => socket.close());
  return { port: socket.address().port, requests };
}
