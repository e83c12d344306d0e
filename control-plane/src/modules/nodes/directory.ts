import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Bus } from '../../bus/bus.js';
import type { Node } from './node.js';
import { findNodes, listNodes, listNodesChangedSince } from './store.js';

// bus messages bring changes at once; this finds what they missed
const POLL_MS = 1_000;
// rows of transactions that commit late carry an earlier stamp
const OVERLAP_MS = 10_000;

/** Every node in memory, re-buildable from PostgreSQL at any time. */
export class NodeDirectory {
  readonly #nodes = new Map<string, Node>();
  readonly #listeners: ((node: Node) => void)[] = [];
  #newest = new Date(0);
  #cancelPoll: (() => void) | null = null;
  #isStopped = false;

  constructor(private readonly options: { db: Knex; bus: Bus; clock: Clock; log: Logger }) {}

  /** Loads all nodes and begins to follow changes. */
  async start(): Promise<void> {
    const { bus } = this.options;
    bus.onMessage((message) => {
      if (message.type === 'nodes') this.refresh(message.ids).catch((error) => this.#warn(error));
    });
    bus.onResync(() => void this.#poll());
    await this.load();
    this.#schedulePoll();
  }

  /** Reads all nodes once. */
  async load(): Promise<void> {
    this.#take(await listNodes(this.options.db));
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

  /** Calls back with every record that is new or changed. */
  onChange(listener: (node: Node) => void): void {
    this.#listeners.push(listener);
  }

  /** Reads these nodes again, now. */
  async refresh(ids: readonly string[]): Promise<void> {
    this.#take(await findNodes(this.options.db, ids));
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
      this.#take(await listNodesChangedSince(this.options.db, since));
    } catch (error) {
      this.#warn(error);
    }
  }

  #take(nodes: readonly Node[]): void {
    for (const node of nodes) {
      if (node.updatedAt > this.#newest) this.#newest = node.updatedAt;
      const known = this.#nodes.get(node.id);
      if (known && known.revision >= node.revision) continue;
      this.#nodes.set(node.id, node);
      for (const listener of this.#listeners) listener(node);
    }
  }

  #warn(error: unknown): void {
    if (!this.#isStopped) this.options.log.warn({ err: error }, 'node directory is stale');
  }
}
