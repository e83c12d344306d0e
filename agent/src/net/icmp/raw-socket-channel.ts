import { createRequire } from 'node:module';
import type { Socket } from 'raw-socket';
import type { Arrival } from './arrival.js';
import { RawSocketError, toSendError } from './errors.js';
import { answersOnly } from './icmp-filter.js';
import type { RawChannel, RawChannelOptions } from './raw-channel.js';

const longestPacketBytes = 2048;
const wantedReceiveBufferBytes = 4 * 1024 * 1024;

type RawSocketModule = typeof import('raw-socket');

/** A channel over the npm package raw-socket: times are the event loop's, and IPv6 hop limits are hidden. @throws RawSocketError */
export function openRawSocketChannel(options: RawChannelOptions): RawChannel {
  const rawSocket = loadRawSocket();
  const socket = createSocket(rawSocket, options);
  const { SocketLevel, SocketOption } = rawSocket;
  // the kernel clamps this to net.core.rmem_max; its default holds about 270 small packets, a stall of 60 ms at full
  // speed
  socket.setOption(SocketLevel.SOL_SOCKET, SocketOption.SO_RCVBUF, wantedReceiveBufferBytes);
  const filter = answersOnly(options.protocol);
  if (filter !== null) socket.setOption(filter.level, filter.option, filter.mask, filter.mask.length);
  socket.on('error', options.onFault);
  receiveInto(socket, options);
  const [level, option] =
    options.family === 4
      ? [SocketLevel.IPPROTO_IP, SocketOption.IP_TTL]
      : [SocketLevel.IPPROTO_IPV6, SocketOption.IPV6_UNICAST_HOPS];
  return channelOver(socket, options, (hopLimit) => socket.setOption(level, option, hopLimit));
}

function receiveInto(socket: Socket, { family, clock, onPacket }: RawChannelOptions): void {
  if (onPacket === null) {
    socket.pauseRecv();
    return;
  }
  socket.on('message', (bytes: Buffer, from: string) => {
    const atMs = clock.monotonicMs();
    const hopLimit = family === 4 && bytes.length >= 20 ? bytes.readUInt8(8) : null;
    const arrival: Arrival = { from, atMs, hopLimit };
    onPacket(bytes, arrival);
  });
}

function channelOver(
  socket: Socket,
  { clock }: RawChannelOptions,
  setHopLimit: (hopLimit: number) => void,
): RawChannel {
  let currentHopLimit = 0;
  let isClosed = false;
  return {
    send(packet) {
      const prepare = () => {
        // the limit is the socket's, not the packet's: it is set in the same turn as the system call that uses it
        if (packet.hopLimit !== currentHopLimit) setHopLimit(packet.hopLimit);
        currentHopLimit = packet.hopLimit;
        packet.prepare();
        packet.onSent(clock.monotonicMs());
      };
      socket.send(packet.bytes, 0, packet.bytes.length, packet.address, prepare, (error) => {
        if (error !== null && !isClosed) packet.onError(toSendError(error));
      });
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      socket.close();
    },
  };
}

/** Loaded on first use: an agent whose native module is missing or of another Node version runs, without ICMP. */
function loadRawSocket(): RawSocketModule {
  try {
    const loaded: RawSocketModule = createRequire(import.meta.url)('raw-socket');
    return loaded;
  } catch (cause) {
    throw new RawSocketError('not_loadable', 'cannot load the native module "raw-socket"', { cause });
  }
}

function createSocket(rawSocket: RawSocketModule, { family, protocol }: RawChannelOptions): Socket {
  const addressFamily = family === 4 ? rawSocket.AddressFamily.IPv4 : rawSocket.AddressFamily.IPv6;
  try {
    return rawSocket.createSocket({ addressFamily, protocol, bufferSize: longestPacketBytes });
  } catch (cause) {
    throw RawSocketError.of(cause, family);
  }
}
