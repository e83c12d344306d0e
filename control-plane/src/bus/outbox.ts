import type { BusMessage } from './bus.js';

// pg_notify refuses payloads of 8000 bytes and more; an id is at most 30 characters with quotes and comma
const IDS_PER_MESSAGE = 200;

/** Messages waiting to be sent, ids of one kind to one channel joined. Not a queue of events: a set of hints. */
export class Outbox {
  readonly #pending = new Map<string, Map<BusMessage['type'], Set<string>>>();

  add(channel: string, message: BusMessage): void {
    let kinds = this.#pending.get(channel);
    if (!kinds) this.#pending.set(channel, (kinds = new Map()));
    let ids = kinds.get(message.type);
    if (!ids) kinds.set(message.type, (ids = new Set()));
    for (const id of message.ids) ids.add(id);
  }

  get isEmpty(): boolean {
    return this.#pending.size === 0;
  }

  /** Takes everything out, in messages small enough to send. */
  take(): { readonly channel: string; readonly message: BusMessage }[] {
    const taken: { channel: string; message: BusMessage }[] = [];
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
