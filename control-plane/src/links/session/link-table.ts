import type { Link } from './link.js';

/** Links of this replica: one per node, the newest wins. */
export class LinkTable {
  readonly #sessions = new Map<string, Link>();
  /** Called for each session that has ended, including replaced ones. */
  onEnded: (session: Link) => void = () => {};

  get size(): number {
    return this.#sessions.size;
  }

  find(nodeId: string): Link | null {
    return this.#sessions.get(nodeId) ?? null;
  }

  all(): IterableIterator<Link> {
    return this.#sessions.values();
  }

  /** Adds a session. @returns the session it replaces */
  add(session: Link): Link | null {
    const before = this.find(session.nodeId);
    this.#sessions.set(session.nodeId, session);
    return before;
  }

  /** Removes a session that has ended, unless a newer one took its place. */
  remove(session: Link): void {
    if (this.#sessions.get(session.nodeId) === session) this.#sessions.delete(session.nodeId);
    this.onEnded(session);
  }
}
