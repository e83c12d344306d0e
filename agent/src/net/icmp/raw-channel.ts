import type { Clock } from '@vantage/shared/clock.js';
import type { Family } from './address.js';
import type { Arrival } from './arrival.js';
import type { SendError } from './errors.js';
import type { ProtocolNumber } from './protocols.js';

/** One packet to send, without its IP header. */
export interface RawPacket {
  readonly bytes: Buffer;
  /** Canonical address of the channel's family. */
  readonly address: string;
  /** The same address as it stands in a packet: 4 or 16 bytes. */
  readonly destination: Buffer;
  /** Time to live or hop limit, 1 to 255. */
  readonly hopLimit: number;
  /**
   * Runs right before `bytes` are read, which happens in the order of `send`, and again where the system had no room;
   * may still change them. What it throws calls the packet off.
   */
  prepare(): void;
  /**
   * Called when the packet leaves; `atMs` is the engine's clock right before its own system call. An error may still
   * follow.
   */
  onSent(atMs: number): void;
  /** Called on an error, never within `send` itself. */
  onError(error: SendError): void;
}

/** Family, protocol and listeners of a channel. */
export interface RawChannelOptions {
  readonly family: Family;
  readonly protocol: ProtocolNumber;
  readonly clock: Clock;
  /**
   * `bytes` is overwritten by later packets: copy what is kept. IPv4 packets come with their header. Null if the channel
   * only sends.
   */
  readonly onPacket: ((bytes: Buffer, arrival: Arrival) => void) | null;
  /** The system failed to receive, or `onPacket` threw. */
  readonly onFault: (error: Error) => void;
}

/** One raw socket that is read and written by many. */
export interface RawChannel {
  /** The packet leaves in this turn of the event loop, or when the system has room for it. */
  send(packet: RawPacket): void;
  /** Packets still queued are dropped without a word. May be called twice. */
  close(): void;
}

/**
 * Implementation of raw sockets. `addon`: our own, with times of the kernel and a hop limit for each packet.
 * `raw-socket`: the npm package, whose times are those of the event loop.
 */
export type ChannelKind = 'addon' | 'raw-socket';

/** Opens channels of one kind. */
export interface ChannelOpener {
  readonly kind: ChannelKind;
  /** @throws RawSocketError */
  open(options: RawChannelOptions): RawChannel;
}
