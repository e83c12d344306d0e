import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Bus } from '../../bus/bus.js';
import { Batcher } from '../../db/batcher.js';
import type { Node } from './node.js';
import { type NodeReads, type NodeRevision, nodeReads } from './store.js';

// bus messages announce changes at once; polling finds those whose message was lost
const POLL_MS = 1_000;
// rows of transactions that commit late have an earlier timestamp
const OVERLAP_MS = 10_000;
const READ_AT_ONCE = 500;

interface DirectoryOptions {
  readonly nodes: NodeReads;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Logger;
}

/** In-memory copy of all nodes, which can be rebuilt from PostgreSQL at any time. */
export class NodeDirectory {
  readonly #nodes = new Map<string, Node>();
  /** Deleted nodes: listeners are notified of them, `find` and `all` do not return them. */
  readonly #deleted = new Map<string, Node>();
  readonly #listeners: ((node: Node) => void)[] = [];
  readonly #returnListeners: (() => void)[] = [];
  /** Reads in batches: thousands of links may open at once, each with a change of its node. */
  readonly #refreshes = new Batcher<string, undefined>({
    maxItems: READ_AT_ONCE,
    flush: async (ids) => {
      this.#take(await this.options.nodes.find([...new Set(ids)]));
      return ids.map(() => undefined);
    },
  });
  #newest = new Date(0);
  /** True after the database was unavailable (it may have failed over to an older state), or bus messages may have been lost. */
  #isInDoubt = false;
  #cancelPoll: (() => void) | null = null;
  #isStopped = false;

  constructor(private readonly options: DirectoryOptions) {}

  /** Opens the directory of a database; it reads nothing until it is started or loaded. */
  static open({ db, ...rest }: Omit<DirectoryOptions, 'nodes'> & { readonly db: Knex }): NodeDirectory {
    return new NodeDirectory({ ...rest, nodes: nodeReads(db) });
  }

  /** Loads all nodes and starts to follow changes. */
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

  /** Time of the ban of a node, also of one that was deleted after it; null if not banned, or if unknown. */
  bannedAt(id: string): Date | null {
    return (this.find(id) ?? this.#deleted.get(id))?.bannedAt ?? null;
  }

  /** Calls back with every new or changed node. */
  onChange(listener: (node: Node) => void): void {
    this.#listeners.push(listener);
  }

  /** Calls back when all nodes have been read again, after the database was unavailable or bus messages may have been lost. */
  onReturn(listener: () => void): void {
    this.#returnListeners.push(listener);
  }

  /** Reads the nodes again now. */
  async refresh(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => this.#refreshes.add(id)));
  }

  /** Reads the nodes again, and has the other replicas do so. */
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
      if (this.#isInDoubt) return await this.#reread();
      const changed = await this.options.nodes.listRevisionsSince(since);
      await this.refresh(changed.filter((node) => this.#isNewer(node)).map(({ id }) => id));
    } catch (error) {
      this.#isInDoubt = true;
      this.#warn(error);
    }
  }

  /** Replaces all nodes: a database that failed over may have lost its last changes, and its state counts even if it is older. */
  async #reread(): Promise<void> {
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
      if (!this.#isNewer(node)) continue;
      this.#keep(node);
      for (const listener of this.#listeners) listener(node);
    }
  }

  #isNewer({ id, revision }: NodeRevision): boolean {
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
    if (!this.#isStopped) this.options.log.warn({ err: error }, 'cannot refresh the node directory, retrying');
  }
}
