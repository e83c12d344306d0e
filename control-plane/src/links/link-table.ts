import type { LinkSession } from './session.js';

/** The links this replica holds: one per node, the newest wins. */
export class LinkTable {
  readonly #sessions = new Map<string, LinkSession>();
  /** Hears of each session that has ended, replaced ones too. */
  onEnded: (session: LinkSession) => void = () => {};

  get size(): number {
    return this.#sessions.size;
  }

  find(nodeId: string): LinkSession | null {
    return this.#sessions.get(nodeId) ?? null;
  }

  all(): IterableIterator<LinkSession> {
    return this.#sessions.values();
  }

  /** Puts a session in; returns the one it replaces. */
  add(session: LinkSession): LinkSession | null {
    const before = this.find(session.nodeId);
    this.#sessions.set(session.nodeId, session);
    return before;
  }

  /** A session has ended: it is taken out unless a newer one took its place. */
  remove(session: LinkSession): void {
    if (this.#sessions.get(session.nodeId) === session) this.#sessions.delete(session.nodeId);
    this.onEnded(session);
  }
}
