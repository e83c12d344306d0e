import type { BusMessage } from './bus.js';

// pg_notify refuses payloads of 8000 bytes and more; an id is at most 30 characters with quotes and comma
const IDS_PER_MESSAGE = 200;
/** Kept for one channel and kind while nothing can be sent; receivers read again what they were not told. */
const MAX_WAITING_IDS = 20_000;

/** A message and where it goes. */
export interface Addressed {
  readonly channel: string;
  readonly message: BusMessage;
}

/** Messages waiting to be sent, ids of one kind to one channel joined. Not a queue of events: a set of hints. */
export class Outbox {
  readonly #pending = new Map<string, Map<BusMessage['type'], Set<string>>>();

  add(channel: string, message: BusMessage): void {
    let kinds = this.#pending.get(channel);
    if (!kinds) this.#pending.set(channel, (kinds = new Map()));
    let ids = kinds.get(message.type);
    if (!ids) kinds.set(message.type, (ids = new Set()));
    for (const id of message.ids) ids.add(id);
    // the oldest are those that receivers will have found by themselves
    for (const id of ids) {
      if (ids.size <= MAX_WAITING_IDS) break;
      ids.delete(id);
    }
  }

  get isEmpty(): boolean {
    return this.#pending.size === 0;
  }

  /** Takes everything out, in messages small enough to send. */
  take(): Addressed[] {
    const taken: Addressed[] = [];
    for (const [channel, kinds] of this.#pending) {
      for (const [type, ids] of kinds) {
        const all = [...ids];
        for (let start = 0; start < all.length; start += IDS_PER_MESSAGE) {
          taken.push({ channel, message: { type, ids: all.slice(start, start + IDS_PER_MESSAGE) } });
        }
      }
    }
    this.#pending.clear();
    return taken;
  }
}
