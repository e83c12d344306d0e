import { createRequire } from 'node:module';
import { endianness } from 'node:os';
import type { Socket } from 'raw-socket';
import type { Family } from './address.js';
import { RawSocketError, SendError, systemErrorCode } from './errors.js';
import { type ProtocolNumber, protocols } from './protocols.js';

/** One packet to send, without its IP header. */
export interface RawPacket {
  readonly bytes: Buffer;
  /** Canonical address of the channel's family. */
  readonly address: string;
  /** Time to live or hop limit, 1 to 255. */
  readonly hopLimit: number;
  /** Runs right before the system call, after every packet queued earlier has left; may still change `bytes`. */
  readonly prepare: () => void;
  readonly onError: (error: SendError) => void;
}

/** What a channel is for, and who hears of what it receives. */
export interface RawChannelOptions {
  readonly family: Family;
  readonly protocol: ProtocolNumber;
  /**
   * `bytes` is overwritten by the next packet: whoever keeps any of it copies it. IPv4 packets come with their header.
   * Null: the channel only sends.
   */
  readonly onPacket: ((bytes: Buffer, source: string) => void) | null;
  /** The system failed to receive, or `onPacket` threw. */
  readonly onFault: (error: Error) => void;
}

/** One raw socket that is read and written by many. */
export interface RawChannel {
  send(packet: RawPacket): void;
  /** Packets still queued are dropped without a word. */
  close(): void;
}

const longestPacketBytes = 2048;
const wantedReceiveBufferBytes = 4 * 1024 * 1024;

/** @throws RawSocketError */
export function openRawChannel(options: RawChannelOptions): RawChannel {
  const rawSocket = loadRawSocket();
  const socket = createSocket(rawSocket, options);
  const { SocketLevel, SocketOption } = rawSocket;
  // the kernel clamps this to net.core.rmem_max; its default holds some 270 small packets, a stall of 60 ms at full speed
  socket.setOption(SocketLevel.SOL_SOCKET, SocketOption.SO_RCVBUF, wantedReceiveBufferBytes);
  installFilter(socket, options.protocol);
  socket.on('error', options.onFault);
  if (options.onPacket === null) socket.pauseRecv();
  else socket.on('message', options.onPacket);
  const [level, option] =
    options.family === 4
      ? [SocketLevel.IPPROTO_IP, SocketOption.IP_TTL]
      : [SocketLevel.IPPROTO_IPV6, SocketOption.IPV6_UNICAST_HOPS];
  return channelOver(socket, (hopLimit) => socket.setOption(level, option, hopLimit));
}

function channelOver(socket: Socket, setHopLimit: (hopLimit: number) => void): RawChannel {
  let currentHopLimit = 0;
  let isClosed = false;
  return {
    send(packet) {
      const prepare = () => {
        // the limit is the socket's, not the packet's: it is set in the same turn as the system call that uses it
        if (packet.hopLimit !== currentHopLimit) setHopLimit(packet.hopLimit);
        currentHopLimit = packet.hopLimit;
        packet.prepare();
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

type RawSocketModule = typeof import('raw-socket');

/** Loaded on first use: an agent whose native module is missing or of another Node version runs, without ICMP. */
function loadRawSocket(): RawSocketModule {
  try {
    const loaded: RawSocketModule = createRequire(import.meta.url)('raw-socket');
    return loaded;
  } catch (cause) {
    throw new RawSocketError('not_loadable', 'the native module "raw-socket" does not load', { cause });
  }
}

function createSocket(rawSocket: RawSocketModule, { family, protocol }: RawChannelOptions): Socket {
  const addressFamily = family === 4 ? rawSocket.AddressFamily.IPv4 : rawSocket.AddressFamily.IPv6;
  try {
    return rawSocket.createSocket({ addressFamily, protocol, bufferSize: longestPacketBytes });
  } catch (cause) {
    const code = systemErrorCode(cause);
    if (code === 'EPERM' || code === 'EACCES') {
      throw new RawSocketError('not_permitted', 'the system does not permit raw sockets', { cause });
    }
    throw new RawSocketError('not_supported', `the system refuses a raw IPv${family} socket`, { cause });
  }
}

// Linux: SOL_RAW with ICMP_FILTER takes a 32-bit mask, SOL_ICMPV6 with ICMPV6_FILTER 256 bits; a set bit blocks a type.
// Without it every socket wakes up for each ping that others send to this machine.
const icmpFilter = { level: 255, option: 1, words: 1, types: [0, 3, 11, 12] } as const;
const icmpV6Filter = { level: 58, option: 1, words: 8, types: [1, 2, 3, 4, 129] } as const;

function installFilter(socket: Socket, protocol: ProtocolNumber): void {
  if (protocol !== protocols.icmp && protocol !== protocols.icmpV6) return;
  const { level, option, words, types } = protocol === protocols.icmp ? icmpFilter : icmpV6Filter;
  const mask = Buffer.alloc(words * 4, 0xff);
  for (const type of types) clearBit(mask, type);
  socket.setOption(level, option, mask, mask.length);
}

function clearBit(mask: Buffer, bit: number): void {
  const byteInWord = (bit >> 3) & 3;
  const offset = (bit >> 5) * 4 + (endianness() === 'LE' ? byteInWord : 3 - byteInWord);
  mask.writeUInt8(mask.readUInt8(offset) & ~(1 << (bit & 7)), offset);
}

function toSendError(cause: Error): SendError {
  return cause instanceof SendError
    ? cause
    : new SendError(systemErrorCode(cause), `the system refused the packet: ${cause.message}`, { cause });
}
