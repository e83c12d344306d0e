import { createSocket, type RemoteInfo } from 'node:dgram';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type Answer, decode, encode, type Packet } from 'dns-packet';
import type { Test } from 'tap';

/** One query as the server saw it. */
export interface SeenQuery {
  readonly id: number;
  /** Name in lower case; `asked` is as received. */
  readonly name: string;
  readonly asked: string;
  readonly type: string;
  /** Options of EDNS by code; null without EDNS. */
  readonly options: ReadonlyMap<number, Buffer> | null;
  /** DO: whether signatures are wanted. */
  readonly wantsSignatures: boolean;
  readonly transport: 'udp' | 'tcp';
  /** Bits of the header: RD, AD, CD. */
  readonly flags: number;
  readonly bytes: number;
  readonly sourcePort: number;
}

/** Chooses the reply: parts of a packet, raw messages in order, or nothing. `id` and the question are filled in. */
export type DnsHandler = (query: SeenQuery) => (Partial<Packet> & { rcode?: string }) | readonly Buffer[] | null;

export interface TestDnsServer {
  readonly endpoint: { readonly address: string; readonly port: number };
  readonly queries: readonly SeenQuery[];
  /** Connections still open on this side. */
  readonly openConnections: number;
}

/** A DNS server of a test, UDP and TCP on one port of 127.0.0.1, closed with it. */
export async function startDnsServer(
  t: Test,
  handle: DnsHandler,
  address = '127.0.0.1',
  wantedPort = 0,
): Promise<TestDnsServer> {
  const queries: SeenQuery[] = [];
  const sockets = new Set<Socket>();

  const answer = (query: Buffer, transport: 'udp' | 'tcp', sourcePort: number): readonly Buffer[] => {
    const packet = decode(query);
    const [question] = packet.questions ?? [];
    const seen = {
      id: packet.id ?? 0,
      name: (question?.name ?? '').toLowerCase(),
      asked: question?.name ?? '',
      type: question?.type ?? '',
      ...ednsOf(packet.additionals ?? []),
      transport,
      flags: packet.flags ?? 0,
      bytes: query.length,
      sourcePort,
    };
    queries.push(seen);
    const reply = handle(seen);
    if (reply === null) return [];
    if (isMessages(reply)) return reply;
    return [dnsMessage({ id: packet.id ?? 0, questions: packet.questions ?? [], ...reply })];
  };

  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      for (const message of answer(chunk.subarray(2), 'tcp', socket.remotePort ?? 0)) socket.write(withLength(message));
    });
  });
  await new Promise<void>((resolve) => tcp.listen(wantedPort, address, resolve));
  const { port } = tcp.address() as AddressInfo;

  const udp = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  udp.on('message', (query: Buffer, from: RemoteInfo) => {
    for (const message of answer(query, 'udp', from.port)) udp.send(message, from.port, from.address);
  });
  await new Promise<void>((resolve, reject) => udp.once('error', reject).bind(port, address, resolve));

  t.teardown(async () => {
    udp.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => tcp.close(resolve));
  });
  return {
    endpoint: { address, port },
    queries,
    get openConnections() {
      return sockets.size;
    },
  };
}

function ednsOf(additionals: readonly Answer[]): Pick<SeenQuery, 'options' | 'wantsSignatures'> {
  const opt = additionals.find((record) => record.type === 'OPT');
  if (opt?.type !== 'OPT') return { options: null, wantsSignatures: false };
  const options = opt.options.map(({ code, data = Buffer.alloc(0) }): [number, Buffer] => [code, data]);
  return { options: new Map(options), wantsSignatures: opt.flag_do };
}

/** An OPT record with these options. */
export function optRecord(options: readonly { code: number; data: Buffer }[], extendedRcode = 0): Answer {
  const opt = { type: 'OPT', name: '.', udpPayloadSize: 1232, extendedRcode, ednsVersion: 0, flags: 0 };
  return { ...opt, options: [...options] } as never;
}

/** A response on the wire; `rcode` by its name. */
export function dnsMessage(packet: Partial<Packet> & { rcode?: string }): Buffer {
  const { rcode = 'NOERROR', ...rest } = packet;
  // the library encodes the response code as part of the flags only
  const code = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'].indexOf(rcode);
  return encode({ type: 'response', ...rest, flags: (rest.flags ?? 0) | code });
}

/**
 * A handler that knows these records: a question for a known name gets those of its type and its aliases, one for an
 * unknown name NXDOMAIN.
 */
export function zone(records: readonly Answer[]): DnsHandler {
  return ({ name, type }) => {
    const ofName = records.filter((record) => record.name === name);
    if (ofName.length === 0) return { rcode: 'NXDOMAIN' };
    return { answers: ofName.filter((record) => record.type === type || record.type === 'CNAME') };
  };
}

/** A TCP message with its length before it (RFC 1035 section 4.2.2). */
function withLength(message: Buffer): Buffer {
  const prefix = Buffer.alloc(2);
  prefix.writeUInt16BE(message.length);
  return Buffer.concat([prefix, message]);
}

function isMessages(reply: object): reply is readonly Buffer[] {
  return Array.isArray(reply);
}
