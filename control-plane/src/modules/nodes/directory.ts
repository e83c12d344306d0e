import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';
import type { Bus } from '../../bus/bus.js';
import { Batcher } from '../../db/batcher.js';
import type { Node } from './node.js';
import type { NodeReads, NodeRevision } from './store.js';

// bus messages bring changes at once; this finds what they missed
const POLL_MS = 1_000;
// rows of transactions that commit late carry an earlier stamp
const OVERLAP_MS = 10_000;
const READ_AT_ONCE = 500;

/** Every node in memory, re-buildable from PostgreSQL at any time. */
export class NodeDirectory {
  readonly #nodes = new Map<string, Node>();
  /** What was taken away: told to whoever listens, found by nobody. */
  readonly #deleted = new Map<string, Node>();
  readonly #listeners: ((node: Node) => void)[] = [];
  readonly #returnListeners: (() => void)[] = [];
  /** Links open by the thousand, each with news of its node. */
  readonly #refreshes = new Batcher<string, undefined>({
    maxItems: READ_AT_ONCE,
    flush: async (ids) => {
      this.#take(await this.options.nodes.find([...new Set(ids)]));
      return ids.map(() => undefined);
    },
  });
  #newest = new Date(0);
  /** The database was away: it may be another one now, with an older state. */
  #isInDoubt = false;
  #cancelPoll: (() => void) | null = null;
  #isStopped = false;

  constructor(private readonly options: { nodes: NodeReads; bus: Bus; clock: Clock; log: Logger }) {}

  /** Loads all nodes and begins to follow changes. */
  async start(): Promise<void> {
    const { bus } = this.options;
    bus.onMessage((message) => {
      if (message.type === 'nodes') this.refresh(message.ids).catch((error) => this.#warn(error));
    });
    bus.onResync(() => {
      this.#isInDoubt = true;
      void this.#poll();
    });
    await this.load();
    this.#schedulePoll();
  }

  /** Reads all nodes once. */
  async load(): Promise<void> {
    this.#take(await this.options.nodes.listAll());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelPoll?.();
  }

  find(id: string): Node | null {
    return this.#nodes.get(id) ?? null;
  }

  all(): IterableIterator<Node> {
    return this.#nodes.values();
  }

  /** Since when a node is banned, also one that was deleted then; null: it is not, or nobody knows it. */
  bannedAt(id: string): Date | null {
    return (this.find(id) ?? this.#deleted.get(id))?.bannedAt ?? null;
  }

  /** Calls back with every record that is new or changed. */
  onChange(listener: (node: Node) => void): void {
    this.#listeners.push(listener);
  }

  /** Calls back when the database is there again after it was away, and what it says now is known. */
  onReturn(listener: () => void): void {
    this.#returnListeners.push(listener);
  }

  /** Reads these nodes again, now. */
  async refresh(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => this.#refreshes.add(id)));
  }

  /** Reads these nodes again and tells the other replicas to. */
  async announce(ids: readonly string[]): Promise<void> {
    this.options.bus.broadcast({ type: 'nodes', ids });
    await this.refresh(ids);
  }

  #schedulePoll(): void {
    if (this.#isStopped) return;
    this.#cancelPoll = this.options.clock.after(POLL_MS, () => void this.#poll().finally(() => this.#schedulePoll()));
  }

  async #poll(): Promise<void> {
    const since = new Date(Math.max(0, this.#newest.getTime() - OVERLAP_MS));
    try {
      if (this.#isInDoubt) return await this.#readAnew();
      const changed = await this.options.nodes.listRevisionsSince(since);
      await this.refresh(changed.filter((news) => this.#isNews(news)).map(({ id }) => id));
    } catch (error) {
      this.#isInDoubt = true;
      this.#warn(error);
    }
  }

  /** A database that was failed over may have lost its last changes: what it says counts, also where it is older. */
  async #readAnew(): Promise<void> {
    const nodes = await this.options.nodes.listAll();
    this.#isInDoubt = false;
    const revisions = new Map(nodes.map(({ id, revision }) => [id, revision]));
    for (const known of [this.#nodes, this.#deleted]) {
      for (const { id, revision } of known.values()) if (revision > (revisions.get(id) ?? 0)) known.delete(id);
    }
    this.#take(nodes);
    for (const listener of this.#returnListeners) listener();
  }

  #take(nodes: readonly Node[]): void {
    for (const node of nodes) {
      if (node.updatedAt > this.#newest) this.#newest = node.updatedAt;
      if (!this.#isNews(node)) continue;
      this.#keep(node);
      for (const listener of this.#listeners) listener(node);
    }
  }

  #isNews({ id, revision }: NodeRevision): boolean {
    const known = this.#nodes.get(id) ?? this.#deleted.get(id);
    return known === undefined || known.revision < revision;
  }

  #keep(node: Node): void {
    if (!node.isDeleted) {
      this.#nodes.set(node.id, node);
      return;
    }
    this.#nodes.delete(node.id);
    this.#deleted.set(node.id, node);
  }

  #warn(error: unknown): void {
    if (!this.#isStopped) this.options.log.warn({ err: error }, 'node directory is stale');
  }
}
