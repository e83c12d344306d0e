// Prints, for every probe packet that arrives, what a load balancer takes for its flow: protocol and the first 4 bytes
// of UDP or TCP (the ports), or of an echo request with its identifier (type, code, checksum).
import { createRequire } from 'node:module';
import type * as RawSocketModule from 'raw-socket';

const raw: typeof RawSocketModule = createRequire(import.meta.url)('raw-socket');
// the garbage collector closes a raw socket that nobody holds
const sockets: RawSocketModule.Socket[] = [];

for (const protocol of [raw.Protocol.ICMP, raw.Protocol.UDP, raw.Protocol.TCP]) {
  const socket = raw.createSocket({ addressFamily: raw.AddressFamily.IPv4, protocol });
  sockets.push(socket);
  socket.on('message', (packet: Buffer) => {
    const transport = packet.subarray((packet.readUInt8(0) & 15) * 4);
    if (protocol === raw.Protocol.ICMP && transport[0] !== 8) return;
    const identifier = protocol === raw.Protocol.ICMP ? transport.toString('hex', 4, 6) : '';
    process.stdout.write(`${protocol} ${transport.toString('hex', 0, 4)} ${identifier}\n`);
  });
}
process.stdin.once('end', () => process.exit()).resume();
process.stdout.write('ready\n');
