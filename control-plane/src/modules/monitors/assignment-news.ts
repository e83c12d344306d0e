import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';
import type { Bus } from '../../bus/bus.js';
import { Rounds } from '../../rounds.js';

/** Messages of the bus may be lost: what changed is looked for as well. */
const SWEEP_MS = 2_000;
/** Transactions that commit late carry an earlier stamp. */
const OVERLAP_MS = 10_000;

interface AssignmentNewsOptions {
  readonly bus: Bus;
  readonly listSince: (since: Date) => Promise<readonly { readonly node_id: string; readonly changed_at: Date }[]>;
  /** The link of a node, if this replica holds it. */
  readonly findLink: (nodeId: string) => { lookForAssignments(): void } | null;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Tells the links of this replica, and the other replicas, whose assignments changed. */
export class AssignmentNews {
  /** When each node's changed, as far as its link was told; those of the last seconds. */
  readonly #told = new Map<string, number>();
  #since = new Date(0);
  readonly #rounds: Rounds;

  constructor(private readonly options: AssignmentNewsOptions) {
    const { clock, log } = options;
    this.#rounds = new Rounds({
      everyMs: SWEEP_MS,
      turn: () => this.#sweep(),
      onFailed: (error) => log.warn({ err: error }, 'changed assignments not looked for'),
      clock,
    });
  }

  start(): void {
    const { bus } = this.options;
    this.#since = new Date(this.options.clock.now() - OVERLAP_MS);
    bus.onMessage((message) => {
      if (message.type === 'assignments') this.#tell(message.ids);
    });
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** To be called when it is committed. */
  announce(nodeIds: readonly string[]): void {
    const ids = [...new Set(nodeIds)];
    if (ids.length === 0) return;
    this.#tell(ids);
    this.options.bus.broadcast({ type: 'assignments', ids });
  }

  #tell(nodeIds: readonly string[]): void {
    for (const id of nodeIds) this.options.findLink(id)?.lookForAssignments();
  }

  async #sweep(): Promise<void> {
    const changes = await this.options.listSince(this.#since);
    for (const { node_id: nodeId, changed_at } of changes) {
      const atMs = changed_at.getTime();
      if (this.#told.get(nodeId) === atMs) continue;
      this.#told.set(nodeId, atMs);
      this.#tell([nodeId]);
    }
    const newestMs = changes.at(-1)?.changed_at.getTime() ?? 0;
    this.#since = new Date(Math.max(this.#since.getTime(), newestMs - OVERLAP_MS));
    for (const [nodeId, atMs] of this.#told) if (atMs < this.#since.getTime()) this.#told.delete(nodeId);
  }
}
