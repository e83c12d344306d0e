import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';
import type { Bus } from '../../../bus/bus.js';
import type { Link } from '../../../links/index.js';
import { background, type Rounds } from '../../../runtime/background.js';

/** Interval of looks for changed assignments, in milliseconds: messages of the bus may be lost. */
const SWEEP_MS = 2_000;
/** Overlap of two looks, in milliseconds: transactions that commit late have an earlier stamp. */
const OVERLAP_MS = 10_000;

/** Assignments announced by their monitors at most; of more changes, the links compare all assignments of their nodes. */
const MAX_NAMED = 200;

/** Change of a monitor's assignments. */
export interface AssignmentChange {
  /** Id of the monitor. */
  readonly id: string;
  /** Nodes whose assignments of the monitor changed. */
  readonly nodeIds: readonly string[];
}

interface AssignmentAnnouncementsOptions {
  readonly bus: Bus;
  readonly listSince: (since: Date) => Promise<readonly { readonly node_id: string; readonly changed_at: Date }[]>;
  /** Finds the link of a node; null if this replica does not hold it. */
  readonly findLink: (nodeId: string) => Pick<Link, 'lookForAssignments' | 'lookForAssignmentsOf'> | null;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Notifies links of this replica and other replicas of changed assignments. */
export class AssignmentAnnouncements {
  /** Time of the last change that each node's link was notified of; only those of the last seconds. */
  readonly #notified = new Map<string, number>();
  #since = new Date(0);
  readonly #rounds: Rounds;

  constructor(private readonly options: AssignmentAnnouncementsOptions) {
    const { clock, log } = options;
    this.#rounds = background({
      name: 'assignment news',
      everyMs: SWEEP_MS,
      look: () => this.#sweep(),
      failing: 'cannot look for changed assignments, retrying',
      clock,
      log,
    });
  }

  start(): void {
    const { bus } = this.options;
    this.#since = new Date(this.options.clock.now() - OVERLAP_MS);
    bus.onMessage((message) => {
      if (message.type === 'assignments') this.#notify(message.ids);
    });
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Notifies nodes of changed assignments; to be called after the commit. */
  announce(changes: readonly AssignmentChange[]): void {
    const named = changes.flatMap(({ id, nodeIds }) => nodeIds.map((nodeId) => `${nodeId} ${id}`));
    const isLong = named.length > MAX_NAMED;
    const ids = [...new Set(isLong ? changes.flatMap(({ nodeIds }) => nodeIds) : named)];
    if (ids.length === 0) return;
    this.#notify(ids);
    this.options.bus.broadcast({ type: 'assignments', ids });
  }

  /** `ids`: those of nodes, each with the monitor whose assignment changed, if it is named. */
  #notify(ids: readonly string[]): void {
    for (const [nodeId = '', monitorId] of ids.map((id) => id.split(' '))) {
      const link = this.options.findLink(nodeId);
      if (monitorId === undefined) link?.lookForAssignments();
      else link?.lookForAssignmentsOf([monitorId]);
    }
  }

  async #sweep(): Promise<void> {
    const changes = await this.options.listSince(this.#since);
    for (const { node_id: nodeId, changed_at } of changes) {
      const atMs = changed_at.getTime();
      if (this.#notified.get(nodeId) === atMs) continue;
      this.#notified.set(nodeId, atMs);
      this.#notify([nodeId]);
    }
    const newestMs = changes.at(-1)?.changed_at.getTime() ?? 0;
    this.#since = new Date(Math.max(this.#since.getTime(), newestMs - OVERLAP_MS));
    for (const [nodeId, atMs] of this.#notified) if (atMs < this.#since.getTime()) this.#notified.delete(nodeId);
  }
}
