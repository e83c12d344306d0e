// NOTE: in step with agent/native/src/module.c.
import { createRequire } from 'node:module';
import type { Family } from './address.js';
import { RawSocketError } from './errors.js';

export interface AddonSocketOptions {
  readonly family: Family;
  /** 1: a raw socket; 0: an ICMP socket without privileges, whose identifier the kernel chooses. */
  readonly isRaw: 0 | 1;
  readonly protocol: number;
  /** 1: the kernel drops all received packets. */
  readonly isSendOnly: 0 | 1;
  /** Value of ICMP_FILTER or ICMP6_FILTER; null for no filter. */
  readonly filter: Uint8Array | null;
}

/** Held by the process until it is closed. No method throws but for arguments of the wrong type. */
export interface AddonSocket {
  /** Selects the `addonEvents` to report. */
  watch(events: number): void;
  /**
   * Sends `count` packets in order, each by a system call of its own, and answers how many are dealt with: fewer where
   * the system has no room for the next one right now; or a negative errno. `bytes` has them one behind the other, each
   * behind the 4 or 16 bytes of its destination; `meta` is `perSent` numbers for each, the last of which is the answer.
   */
  send(bytes: Uint8Array, meta: Float64Array, count: number): number;
  /**
   * Reads the waiting packets, at most one per slot, and returns their number, or a negative errno. `meta` is
   * `batchHead` numbers, then `perPacket` for each slot; `sources` gets the IPv6 address of each.
   */
  receive(bytes: Uint8Array, meta: Float64Array, sources: string[]): number;
  /** The identifier of a socket that is not raw, or a negative errno. */
  identifier(): number;
  /** May be called twice, and from inside the callback. */
  close(): void;
}

/** Bits of what is watched and called back; a negative number is an errno. */
export const addonEvents = { readable: 1, writable: 2 } as const;
/**
 * Positions in the head of a batch: read time, difference of the clocks before and after, and packets dropped so far.
 */
export const batchHead = { readAtMs: 0, offsetBeforeMs: 1, offsetAfterMs: 2, dropped: 3, length: 4 } as const;
/** Positions in a slot: length of the packet, arrival time, its hop limit or -1, its IPv4 source or -1. */
export const perPacket = { bytes: 0, atMs: 1, hopLimit: 2, sourceV4: 3, length: 4 } as const;

/**
 * Positions for a packet to send: length, hop limit, and the time when it left or its negative errno, which the addon
 * writes.
 */
export const perSent = { bytes: 0, hopLimit: 1, atMs: 2, length: 3 } as const;

/** Greatest number of packets that one call of `receive` takes. */
export const maxSlots = 32;

/** The native module. */
export interface Addon {
  /** @throws NodeJS.ErrnoException where the system refuses the socket */
  open(options: AddonSocketOptions, onEvents: (events: number) => void): AddonSocket;
  /** The clock that all times of the addon are of: CLOCK_MONOTONIC. */
  monotonicMs(): number;
}

/** Loaded on first use. @throws RawSocketError `not_loadable` where it was not built */
export function loadAddon(): Addon {
  try {
    const loaded: Addon = createRequire(import.meta.url)('#icmp-socket');
    return loaded;
  } catch (cause) {
    throw new RawSocketError('not_loadable', 'cannot load the ICMP addon', { cause });
  }
}
