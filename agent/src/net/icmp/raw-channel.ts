import type { Clock } from '@vantage/shared/clock.js';
import { loadAddon } from './addon.js';
import { openAddonChannel } from './addon-channel.js';
import type { Family } from './address.js';
import type { Arrival } from './arrival.js';
import { RawSocketError, type SendError } from './errors.js';
import type { ProtocolNumber } from './protocols.js';
import { openRawSocketChannel } from './raw-socket-channel.js';

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
  /** It leaves, or has just left; `atMs` is the engine's clock right before its own system call. An error may still follow. */
  onSent(atMs: number): void;
  /** Never within `send` itself. */
  onError(error: SendError): void;
}

/** What a channel is for, and who hears of what it receives. */
export interface RawChannelOptions {
  readonly family: Family;
  readonly protocol: ProtocolNumber;
  readonly clock: Clock;
  /**
   * `bytes` is overwritten by later packets: whoever keeps any of it copies it. IPv4 packets come with their header.
   * Null: the channel only sends.
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
 * By what raw sockets are opened. `addon`: our own, with times of the kernel and a hop limit of each packet's own.
 * `raw-socket`: the npm package, whose times are those of the event loop.
 */
export type ChannelKind = 'addon' | 'raw-socket';

/** Opens channels of one kind. */
export interface ChannelOpener {
  readonly kind: ChannelKind;
  /** @throws RawSocketError */
  open(options: RawChannelOptions): RawChannel;
}

/** The given kind, or the better of the two that loads. @throws RawSocketError where the given one does not */
export function chooseChannels(kind?: ChannelKind): ChannelOpener {
  if (kind === 'addon') return addonChannels();
  const packaged: ChannelOpener = { kind: 'raw-socket', open: openRawSocketChannel };
  if (kind === 'raw-socket') return packaged;
  try {
    return addonChannels();
  } catch (error) {
    if (error instanceof RawSocketError) return packaged;
    throw error;
  }
}

function addonChannels(): ChannelOpener {
  const addon = loadAddon();
  return { kind: 'addon', open: (options) => openAddonChannel(addon, options) };
}
