import { getSystemErrorName } from 'node:util';
import { type Addon, type AddonSocket, addonEvents, batchHead, maxSlots, perPacket } from './addon.js';
import type { Arrival } from './arrival.js';
import { RawSocketError, SendError, toSendError } from './errors.js';
import { answersOnly } from './icmp-filter.js';
import type { RawChannel, RawChannelOptions, RawPacket } from './raw-channel.js';
import { StampTrust } from './stamp-trust.js';

const longestPacketBytes = 2048;
/** In one turn of the event loop; what is left comes in the next. */
const maxBatchesPerTurn = 32;

/** A channel over a socket of the addon. @throws RawSocketError */
export function openAddonChannel(addon: Addon, options: RawChannelOptions): RawChannel {
  return new AddonChannel(addon, options);
}

class AddonChannel implements RawChannel {
  readonly #options: RawChannelOptions;
  readonly #socket: AddonSocket;
  /** From the addon's clock to the engine's. */
  readonly #clockOffsetMs: number;
  readonly #waiting: RawPacket[] = [];
  readonly #bytes = Buffer.allocUnsafeSlow(maxSlots * longestPacketBytes);
  readonly #meta = new Float64Array(batchHead.length + maxSlots * perPacket.length);
  readonly #sources: string[] = [];
  readonly #trust = new StampTrust();
  #isClosed = false;

  constructor(addon: Addon, options: RawChannelOptions) {
    this.#options = options;
    this.#clockOffsetMs = options.clock.monotonicMs() - addon.monotonicMs();
    this.#socket = createSocket(addon, options, (events) => this.#hear(events));
    this.#watch();
  }

  send(packet: RawPacket): void {
    if (this.#isClosed) return;
    if (this.#waiting.length === 0 && this.#sendNow(packet)) return;
    this.#waiting.push(packet);
    this.#watch();
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.close();
  }

  #watch(): void {
    const readable = this.#options.onPacket === null ? 0 : addonEvents.readable;
    this.#socket.watch(readable | (this.#waiting.length === 0 ? 0 : addonEvents.writable));
  }

  /** @returns whether it is dealt with; the system may have no room for it right now */
  #sendNow(packet: RawPacket): boolean {
    try {
      packet.prepare();
    } catch (error) {
      this.#fail(packet, toSendError(error));
      return true;
    }
    const at = this.#socket.send(packet.bytes, packet.address, packet.hopLimit);
    if (at >= 0) packet.onSent(at + this.#clockOffsetMs);
    else if (getSystemErrorName(at) === 'EAGAIN') return false;
    else this.#fail(packet, SendError.of(at));
    return true;
  }

  #fail(packet: RawPacket, error: SendError): void {
    queueMicrotask(() => {
      if (!this.#isClosed) packet.onError(error);
    });
  }

  #hear(events: number): void {
    if (events < 0) {
      this.#options.onFault(new Error(`the raw socket failed: ${getSystemErrorName(events)}`));
      this.#watch();
      return;
    }
    if ((events & addonEvents.writable) !== 0) this.#sendWaiting();
    if ((events & addonEvents.readable) !== 0) this.#receive();
  }

  #sendWaiting(): void {
    for (let packet = this.#waiting[0]; packet !== undefined && !this.#isClosed; packet = this.#waiting[0]) {
      if (!this.#sendNow(packet)) return;
      this.#waiting.shift();
    }
    this.#watch();
  }

  #receive(): void {
    for (let batch = 0; batch < maxBatchesPerTurn && !this.#isClosed; batch += 1) {
      const count = this.#socket.receive(this.#bytes, this.#meta, this.#sources);
      if (count < 0) this.#options.onFault(new Error(`cannot receive: ${getSystemErrorName(count)}`));
      else this.#deliver(count);
      if (count < maxSlots) return;
    }
  }

  #deliver(count: number): void {
    const meta = this.#meta;
    const readAtMs = numberAt(meta, batchHead.readAtMs);
    const isTrusted = this.#trust.judge({
      offsetBeforeMs: numberAt(meta, batchHead.offsetBeforeMs),
      offsetAfterMs: numberAt(meta, batchHead.offsetAfterMs),
      isDrained: count < maxSlots,
    });
    for (let slot = 0; slot < count && !this.#isClosed; slot += 1) {
      const own = batchHead.length + slot * perPacket.length;
      const stampMs = isTrusted ? Math.min(numberAt(meta, own + perPacket.atMs), readAtMs) : readAtMs;
      const hopLimit = numberAt(meta, own + perPacket.hopLimit);
      const start = slot * longestPacketBytes;
      this.#hand(this.#bytes.subarray(start, start + numberAt(meta, own + perPacket.bytes)), {
        from: this.#sources[slot] ?? '',
        atMs: stampMs + this.#clockOffsetMs,
        hopLimit: hopLimit < 0 ? null : hopLimit,
      });
    }
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

function createSocket(addon: Addon, options: RawChannelOptions, onEvents: (events: number) => void): AddonSocket {
  const { family, protocol, onPacket } = options;
  const filter = answersOnly(protocol)?.mask ?? null;
  try {
    return new addon.Socket({ family, isRaw: 1, protocol, isSendOnly: onPacket === null ? 1 : 0, filter }, onEvents);
  } catch (cause) {
    throw RawSocketError.of(cause, family);
  }
}
