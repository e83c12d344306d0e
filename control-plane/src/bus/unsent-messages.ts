import type { BusMessage } from './bus.js';

// pg_notify refuses payloads of 8000 bytes and more, and every other message of its statement with them; the difference
// is for the sender, the type and the signature
const ID_BYTES_PER_MESSAGE = 7_000;
/** Ids kept for one channel and kind while nothing can be sent; receivers read again what they missed. */
const MAX_WAITING_IDS = 20_000;

/** Message and its destination. */
export interface Addressed {
  readonly channel: string;
  readonly message: BusMessage;
}

/** Messages waiting to be sent, ids of one kind to one channel joined. Not a queue of events: a set of hints. */
export class UnsentMessages {
  readonly #pending = new Map<string, Map<BusMessage['type'], Set<string>>>();

  add(channel: string, message: BusMessage): void {
    let kinds = this.#pending.get(channel);
    if (!kinds) this.#pending.set(channel, (kinds = new Map()));
    let ids = kinds.get(message.type);
    if (!ids) kinds.set(message.type, (ids = new Set()));
    for (const id of message.ids) ids.add(id);
    // receivers will have found the oldest by themselves
    for (const id of ids) {
      if (ids.size <= MAX_WAITING_IDS) break;
      ids.delete(id);
    }
  }

  get isEmpty(): boolean {
    return this.#pending.size === 0;
  }

  /** Removes everything, in messages small enough to send. */
  take(): Addressed[] {
    const taken: Addressed[] = [];
    for (const [channel, kinds] of this.#pending) {
      for (const [type, ids] of kinds) {
        for (const part of inParts(ids)) taken.push({ channel, message: { type, ids: part } });
      }
    }
    this.#pending.clear();
    return taken;
  }
}

/** Splits ids into lists of limited size in bytes, each with at least one id. */
function inParts(ids: Iterable<string>): string[][] {
  const parts: string[][] = [];
  let bytes = ID_BYTES_PER_MESSAGE;
  for (const id of ids) {
    const size = Buffer.byteLength(JSON.stringify(id)) + 1;
    if (bytes + size > ID_BYTES_PER_MESSAGE) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(id);
    bytes += size;
  }
  return parts;
}
