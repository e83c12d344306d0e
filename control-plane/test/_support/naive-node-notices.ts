const WAIT_MS = 30_000;
const BEFORE_OFFLINE_MS = 300_000;

type Kind = 'node.offline' | 'node.unhealthy';

interface Wait {
  readonly node: string;
  readonly kind: Kind;
  readonly sinceMs: number;
  readonly dueMs: number;
}

interface Offline {
  readonly node: string;
  readonly sinceMs: number;
  endedMs: number | null;
}

/** Notices about the nodes of one owner, the slow and simple way: lists, and a clock that looks. */
export class NaiveNodeNotices {
  /** Titles of the notices. */
  readonly sent: string[] = [];
  #waits: Wait[] = [];
  #offline: Offline[] = [];

  happens(what: Kind | 'node.online', node: string, nowMs: number): void {
    if (what === 'node.online') {
      this.#waits = this.#waits.filter((wait) => wait.node !== node || wait.kind !== 'node.offline');
      for (const one of this.#offline) if (one.node === node) one.endedMs ??= nowMs;
      return;
    }
    const dueMs = Math.min(
      nowMs + WAIT_MS,
      ...this.#waits.filter(({ kind }) => kind === what).map((wait) => wait.dueMs),
    );
    this.#waits = this.#waits.filter((wait) => wait.node !== node || wait.kind !== what);
    this.#waits.push({ node, kind: what, sinceMs: nowMs, dueMs });
    if (what === 'node.offline') this.#offline = this.#offline.filter((one) => one.node !== node);
  }

  sendDue(nowMs: number): void {
    const all = this.#waits;
    const isBlocked = ({ node, kind }: Wait) =>
      kind === 'node.unhealthy' && all.some((wait) => wait.node === node && wait.kind === 'node.offline');
    for (const kind of ['node.offline', 'node.unhealthy'] as const) {
      const own = all.filter((wait) => wait.kind === kind);
      if (!own.some(({ dueMs }) => dueMs <= nowMs)) continue;
      const taken = own.filter((wait) => !isBlocked(wait));
      this.#waits = this.#waits.filter((wait) => !taken.includes(wait));
      const unnotified = taken.filter((wait) => kind === 'node.offline' || !this.#isKnown(wait));
      if (kind === 'node.offline')
        for (const { node, sinceMs } of taken) this.#offline.push({ node, sinceMs, endedMs: null });
      const [first] = unnotified;
      const words = kind === 'node.offline' ? 'offline' : 'unhealthy';
      if (first !== undefined)
        this.sent.push(
          unnotified.length === 1 ? `Node ${words}: ${first.node}` : `${unnotified.length} nodes ${words}`,
        );
    }
  }

  #isKnown({ node, sinceMs }: Wait): boolean {
    return this.#offline.some(
      (one) =>
        one.node === node &&
        one.sinceMs - BEFORE_OFFLINE_MS <= sinceMs &&
        (one.endedMs === null || sinceMs <= one.endedMs),
    );
  }
}
