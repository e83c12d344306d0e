import { getSystemErrorName } from 'node:util';
import {
  type Addon,
  type AddonSocket,
  type AddonSocketOptions,
  addonEvents,
  batchHead,
  maxSlots,
  perPacket,
} from './addon.js';
import type { Arrival } from './arrival.js';
import { RawSocketError, type SendError } from './errors.js';
import { answersOnly } from './icmp-filter.js';
import { Ipv4Names } from './ipv4-names.js';
import { protocols } from './protocols.js';
import type { RawChannel, RawChannelOptions, RawPacket } from './raw-channel.js';
import { SendQueue } from './send-queue.js';
import { StampTrust } from './stamp-trust.js';

const longestPacketBytes = 2048;
/** Greatest number of batches in one turn of the event loop; the rest comes in the next. */
const maxBatchesPerTurn = 32;

/** A channel over a raw socket of the addon. @throws RawSocketError */
export function openAddonChannel(addon: Addon, options: RawChannelOptions): RawChannel {
  const isSendOnly = options.onPacket === null ? 1 : 0;
  const filter = answersOnly(options.protocol)?.mask ?? null;
  return new AddonChannel(addon, options, { isRaw: 1, isSendOnly, filter, slots: maxSlots });
}

/** A channel for the echo requests of one identifier, which the kernel has chosen. Packets come without IP header. */
export interface DatagramChannel {
  readonly channel: RawChannel;
  readonly identifier: number;
}

/** A channel over an ICMP socket that needs no privileges. @throws RawSocketError */
export function openDatagramChannel(addon: Addon, options: Omit<RawChannelOptions, 'protocol'>): DatagramChannel {
  const protocol = options.family === 4 ? protocols.icmp : protocols.icmpV6;
  const shape = { isRaw: 0, isSendOnly: 0, filter: null, slots: 4 } as const;
  const channel = new AddonChannel(addon, { ...options, protocol }, shape);
  return { channel, identifier: channel.identifier };
}

/** Options of the addon's socket, and the number of packets read at a time. */
type Shape = Pick<AddonSocketOptions, 'isRaw' | 'isSendOnly' | 'filter'> & { readonly slots: number };

class AddonChannel implements RawChannel {
  readonly #options: RawChannelOptions;
  readonly #socket: AddonSocket;
  /** Offset from the addon's clock to the engine's. */
  readonly #clockOffsetMs: number;
  readonly #queue: SendQueue;
  readonly #slots: number;
  readonly #bytes: Buffer;
  readonly #meta: Float64Array;
  readonly #sources: string[] = [];
  readonly #views: Buffer[] = [];
  readonly #names = new Ipv4Names();
  readonly #trust = new StampTrust();
  /** Events of the socket that are heard of. */
  #watched = 0;
  #isClosed = false;

  constructor(addon: Addon, options: RawChannelOptions, { slots, ...shape }: Shape) {
    const { family, protocol } = options;
    this.#options = options;
    this.#slots = slots;
    this.#bytes = Buffer.allocUnsafeSlow(slots * longestPacketBytes);
    this.#meta = new Float64Array(batchHead.length + slots * perPacket.length);
    this.#clockOffsetMs = options.clock.monotonicMs() - addon.monotonicMs();
    try {
      this.#socket = addon.open({ family, protocol, ...shape }, (events) => this.#hear(events));
    } catch (cause) {
      throw RawSocketError.of(cause, family);
    }
    const onRefused = (packet: RawPacket, error: SendError) => this.#refuse(packet, error);
    this.#queue = new SendQueue({ socket: this.#socket, slots, clockOffsetMs: this.#clockOffsetMs, onRefused });
    this.#watch();
  }

  /** Identifier of a socket that is not raw. */
  get identifier(): number {
    return this.#socket.identifier();
  }

  send(packet: RawPacket): void {
    if (this.#isClosed) return;
    // more packets may follow in this turn; packets that wait for buffer space are sent when it is available
    if (this.#queue.isEmpty) queueMicrotask(() => this.#flush());
    this.#queue.push(packet);
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.close();
  }

  #watch(): void {
    const readable = this.#options.onPacket === null ? 0 : addonEvents.readable;
    const wanted = readable | (this.#queue.isEmpty ? 0 : addonEvents.writable);
    if (wanted !== this.#watched) this.#socket.watch(wanted);
    this.#watched = wanted;
  }

  #flush(): void {
    if (this.#isClosed) return;
    this.#queue.flush();
    if (!this.#isClosed) this.#watch();
  }

  #refuse(packet: RawPacket, error: SendError): void {
    queueMicrotask(() => {
      if (!this.#isClosed) packet.onError(error);
    });
  }

  #hear(events: number): void {
    if (events < 0) {
      this.#options.onFault(new Error(`the raw socket failed: ${getSystemErrorName(events)}`));
      // the addon stops polling after an error
      this.#watched = 0;
      this.#watch();
      return;
    }
    if ((events & addonEvents.writable) !== 0) this.#flush();
    if ((events & addonEvents.readable) !== 0) this.#receive();
  }

  #receive(): void {
    for (let batch = 0; batch < maxBatchesPerTurn && !this.#isClosed; batch += 1) {
      const count = this.#socket.receive(this.#bytes, this.#meta, this.#sources);
      if (count < 0) this.#options.onFault(new Error(`cannot receive: ${getSystemErrorName(count)}`));
      else this.#deliver(count);
      if (count < this.#slots) return;
    }
  }

  #deliver(count: number): void {
    const meta = this.#meta;
    const readAtMs = numberAt(meta, batchHead.readAtMs);
    const isTrusted = this.#trust.judge({
      offsetBeforeMs: numberAt(meta, batchHead.offsetBeforeMs),
      offsetAfterMs: numberAt(meta, batchHead.offsetAfterMs),
      isDrained: count < this.#slots,
    });
    for (let slot = 0; slot < count && !this.#isClosed; slot += 1) {
      const own = batchHead.length + slot * perPacket.length;
      const stampMs = isTrusted ? Math.min(numberAt(meta, own + perPacket.atMs), readAtMs) : readAtMs;
      const hopLimit = numberAt(meta, own + perPacket.hopLimit);
      this.#hand(this.#viewOf(slot, numberAt(meta, own + perPacket.bytes)), {
        from: this.#sourceOf(slot, numberAt(meta, own + perPacket.sourceV4)),
        atMs: stampMs + this.#clockOffsetMs,
        hopLimit: hopLimit < 0 ? null : hopLimit,
      });
    }
  }

  /** Answers mostly have the length of the last ones, and a view costs as much as decoding it. */
  #viewOf(slot: number, length: number): Buffer {
    const last = this.#views[slot];
    if (last?.length === length) return last;
    const start = slot * longestPacketBytes;
    const view = this.#bytes.subarray(start, start + length);
    this.#views[slot] = view;
    return view;
  }

  #sourceOf(slot: number, sourceV4: number): string {
    return sourceV4 < 0 ? (this.#sources[slot] ?? '') : this.#names.nameOf(sourceV4);
  }

  #hand(bytes: Buffer, arrival: Arrival): void {
    try {
      this.#options.onPacket?.(bytes, arrival);
    } catch (error) {
      this.#options.onFault(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

/** Every index asked for lies within the array. */
function numberAt(numbers: Float64Array, index: number): number {
  return numbers[index] ?? 0;
}
