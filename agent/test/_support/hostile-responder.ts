// Answers echo requests as no honest host would: hostile-responder.js MODE. The kernel of this machine keeps silent.
//   lies    every reply is wrong in one way: identifier, sequence, payload, checksum, source; and an error about another host
//   echoes  the right reply, three times
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import type * as RawSocketModule from 'raw-socket';
import { addressBytes } from '../../src/net/icmp/address.js';
import { internetChecksum, pseudoHeaderSum } from '../../src/net/icmp/checksum.js';
import { chainAddresses } from './namespaces.js';

const raw: typeof RawSocketModule = createRequire(import.meta.url)('raw-socket');
const mode = process.argv[2];
const ipv4 = {
  family: 4,
  target: chainAddresses.v4.b,
  other: chainAddresses.v4.nobody,
  prober: '10.71.1.1',
  icmp: raw.Protocol.ICMP,
} as const;
const ipv6 = {
  family: 6,
  target: chainAddresses.v6.b,
  other: chainAddresses.v6.nobody,
  prober: 'fd71:1::1',
  icmp: raw.Protocol.ICMPv6,
} as const;
type Road = typeof ipv4 | typeof ipv6;

// the garbage collector closes a raw socket that nobody holds
const sockets: RawSocketModule.Socket[] = [];

execFileSync('sh', [
  '-c',
  'echo 1 > /proc/sys/net/ipv4/icmp_echo_ignore_all; echo 1 > /proc/sys/net/ipv6/icmp/echo_ignore_all',
]);
for (const road of [ipv4, ipv6]) answer(road);
process.stdin.once('end', () => process.exit()).resume();
process.stdout.write('ready\n');

function answer(road: Road): void {
  const addressFamily = road.family === 4 ? raw.AddressFamily.IPv4 : raw.AddressFamily.IPv6;
  const listener = raw.createSocket({ addressFamily, protocol: road.icmp });
  // IPPROTO_RAW: packets bring their own IP header, source address included
  const sender = raw.createSocket({ addressFamily, protocol: 255 });
  sockets.push(listener, sender);
  listener.on('message', (packet: Buffer) => {
    const request = Buffer.from(road.family === 4 ? packet.subarray((packet.readUInt8(0) & 15) * 4) : packet);
    if (request[0] !== (road.family === 4 ? 8 : 128)) return;
    for (const reply of mode === 'lies' ? lies(road, request) : [1, 2, 3].map(() => truth(road, request))) {
      sender.send(
        reply,
        0,
        reply.length,
        road.prober,
        () => {},
        (error) => {
          if (error !== null) throw error;
        },
      );
    }
  });
}

function truth(road: Road, request: Buffer): Buffer {
  return ipPacket(road, road.target, checked(road, road.target, echoReply(road, request)));
}

function lies(road: Road, request: Buffer): Buffer[] {
  const from = (source: string, message: Buffer) => ipPacket(road, source, checked(road, source, message));
  const spoilt = (offset: number) => {
    const reply = echoReply(road, request);
    reply[offset] = (reply[offset] ?? 0) ^ 0x40;
    return reply;
  };
  const truncated = echoReply(road, request).subarray(0, 16);
  const wrongChecksum = checked(road, road.target, echoReply(road, request));
  wrongChecksum.writeUInt16BE(wrongChecksum.readUInt16BE(2) ^ 0x0101, 2);
  return [
    from(road.target, spoilt(4)),
    from(road.target, spoilt(6)),
    ...(request.length < 24
      ? []
      : [from(road.target, spoilt(8)), from(road.target, spoilt(15)), from(road.target, truncated)]),
    ipPacket(road, road.target, wrongChecksum),
    from(road.other, echoReply(road, request)),
    from(road.target, errorAbout(road, road.other, request)),
  ];
}

function echoReply(road: Road, request: Buffer): Buffer {
  const reply = Buffer.from(request);
  reply[0] = road.family === 4 ? 0 : 129;
  return reply;
}

/** Host unreachable, quoting the request as if it had gone to `destination`. */
function errorAbout(road: Road, destination: string, request: Buffer): Buffer {
  const quoted = ipPacket({ family: road.family, icmp: road.icmp, prober: destination }, road.prober, request);
  return Buffer.concat([Buffer.from([road.family === 4 ? 3 : 1, road.family === 4 ? 1 : 3, 0, 0, 0, 0, 0, 0]), quoted]);
}

function checked(road: Road, source: string, message: Buffer): Buffer {
  const bytes = Buffer.from(message);
  bytes.writeUInt16BE(0, 2);
  const ends = [addressBytes(source, road.family), addressBytes(road.prober, road.family)] as const;
  const initial = road.family === 4 ? 0 : pseudoHeaderSum(...ends, road.icmp, bytes.length);
  bytes.writeUInt16BE(internetChecksum(bytes, initial), 2);
  return bytes;
}

/** A whole packet to the prober; the kernel fills in length and checksum of the IPv4 header. */
function ipPacket(
  road: { readonly family: 4 | 6; readonly icmp: number; readonly prober: string },
  source: string,
  message: Buffer,
): Buffer {
  const header = Buffer.alloc(road.family === 4 ? 20 : 40);
  const [addresses, protocol, hopLimit] = road.family === 4 ? [12, 9, 8] : [8, 6, 7];
  header[0] = road.family === 4 ? 0x45 : 0x60;
  if (road.family === 4) header.writeUInt16BE(header.length + message.length, 2);
  else header.writeUInt16BE(message.length, 4);
  header[protocol] = road.icmp;
  header[hopLimit] = 64;
  addressBytes(source, road.family).copy(header, addresses);
  addressBytes(road.prober, road.family).copy(header, addresses + (road.family === 4 ? 4 : 16));
  return Buffer.concat([header, message]);
}
