import { type AddonSocket, perSent } from './addon.js';
import { SendError, toSendError } from './errors.js';
import type { RawPacket } from './raw-channel.js';

const longestRecordBytes = 2048;

/** Dependencies of a queue. */
export interface SendQueueOptions {
  readonly socket: Pick<AddonSocket, 'send'>;
  /** Packets handed to the addon at a time. */
  readonly slots: number;
  /** Offset from the addon's clock to the engine's. */
  readonly clockOffsetMs: number;
  /** The packet did not leave. */
  readonly onRefused: (packet: RawPacket, error: SendError) => void;
}

/**
 * Packets that have yet to leave, in their order. Each call of the addon takes as many as there are, up to the number of
 * slots, because the call itself costs; still each packet has a time of its own and an error of its own.
 */
export class SendQueue {
  readonly #options: SendQueueOptions;
  readonly #waiting: RawPacket[] = [];
  readonly #bytes: Buffer;
  readonly #meta: Float64Array;

  constructor(options: SendQueueOptions) {
    this.#options = options;
    this.#bytes = Buffer.allocUnsafeSlow(options.slots * longestRecordBytes);
    this.#meta = new Float64Array(options.slots * perSent.length);
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  push(packet: RawPacket): void {
    this.#waiting.push(packet);
  }

  /** Sends everything, or as much as the system has room for right now. */
  flush(): void {
    let isTaken = true;
    while (isTaken && !this.isEmpty) isTaken = this.#sendBatch();
  }

  /** @returns false where the system had no room for all of it */
  #sendBatch(): boolean {
    const batch = this.#pack(this.#waiting.splice(0, this.#options.slots));
    const count = Math.max(0, this.#options.socket.send(this.#bytes, this.#meta, batch.length));
    if (count < batch.length) this.#waiting.unshift(...batch.slice(count));
    for (let slot = 0; slot < count; slot += 1)
      this.#reportSent(batch[slot], this.#meta[slot * perSent.length + perSent.atMs]);
    return count === batch.length;
  }

  /** Writes packets one behind the other, each behind its destination. @returns those that are still to be sent */
  #pack(packets: readonly RawPacket[]): RawPacket[] {
    const batch: RawPacket[] = [];
    let offset = 0;
    for (const packet of packets) {
      if (!this.#prepare(packet)) continue;
      const { bytes, destination } = packet;
      this.#bytes.set(destination, offset);
      this.#bytes.set(bytes, offset + destination.length);
      offset += destination.length + bytes.length;
      this.#meta[batch.length * perSent.length + perSent.bytes] = bytes.length;
      this.#meta[batch.length * perSent.length + perSent.hopLimit] = packet.hopLimit;
      batch.push(packet);
    }
    return batch;
  }

  #prepare(packet: RawPacket): boolean {
    try {
      packet.prepare();
      if (packet.destination.length + packet.bytes.length <= longestRecordBytes) return true;
      throw new SendError('EMSGSIZE', `the packet has ${packet.bytes.length} bytes`);
    } catch (error) {
      this.#options.onRefused(packet, toSendError(error));
      return false;
    }
  }

  #reportSent(packet: RawPacket | undefined, at = 0): void {
    if (packet === undefined) return;
    if (at >= 0) packet.onSent(at + this.#options.clockOffsetMs);
    else this.#options.onRefused(packet, SendError.of(at));
  }
}
