import type { Family } from './address.js';
import type { ProtocolNumber } from './protocols.js';
import type { ChannelOpener, RawChannel, RawChannelOptions } from './raw-channel.js';

/** A channel in use; `release` may be called once. */
export interface ChannelLease {
  readonly channel: RawChannel;
  release(): void;
}

interface Shared {
  readonly channel: RawChannel;
  users: number;
}

/**
 * Raw sockets that exist only while they are in use, one per family and protocol: a raw TCP socket gets a copy of every
 * segment this machine receives.
 */
export class SharedChannels {
  readonly #byKey = new Map<string, Shared>();
  readonly #channels: Pick<ChannelOpener, 'open'>;
  #isClosed = false;

  constructor(channels: Pick<ChannelOpener, 'open'>) {
    this.#channels = channels;
  }

  /** @throws RawSocketError */
  lease(options: RawChannelOptions): ChannelLease {
    if (this.#isClosed) throw new Error('the raw sockets are closed');
    const key = keyOf(options.family, options.protocol);
    const shared = this.#byKey.get(key) ?? { channel: this.#channels.open(options), users: 0 };
    this.#byKey.set(key, shared);
    shared.users += 1;
    return { channel: shared.channel, release: () => this.#release(key, shared) };
  }

  closeAll(): void {
    this.#isClosed = true;
    for (const { channel } of this.#byKey.values()) channel.close();
    this.#byKey.clear();
  }

  #release(key: string, shared: Shared): void {
    shared.users -= 1;
    if (shared.users > 0) return;
    shared.channel.close();
    if (this.#byKey.get(key) === shared) this.#byKey.delete(key);
  }
}

function keyOf(family: Family, protocol: ProtocolNumber): string {
  return `${family}/${protocol}`;
}
