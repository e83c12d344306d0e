import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { Rounds, workOff } from '../../rounds.js';
import type { Node, NodeDirectory } from '../nodes/index.js';
import { OFFLINE_MS } from './fitness.js';
import { claimPlacementDue, findOwner, queueMonitorsOf, queueShort } from './placement-store.js';
import type { Placing } from './placing.js';
import { insertDue } from './state-store.js';
import { lockMonitor } from './store.js';

// When monitors get other nodes: those of a node at once when it is banned, drained or deleted, and when it has had no link
// for five minutes; those that have too few when a node comes that may take them. Any replica may do it: it is a queue.

const SWEEP_MS = 5_000;
/** After a node changed: nodes change by the hundred when a replica goes. */
const SOON_MS = 250;
const AT_ONCE = 20;

interface ReplacementOptions {
  readonly db: Knex;
  readonly directory: Pick<NodeDirectory, 'all' | 'onChange'>;
  readonly placing: Placing;
  readonly refreshLoads: () => Promise<void>;
  /** Assignments of these nodes changed. */
  readonly onAssigned: (nodeIds: readonly string[]) => void;
  /** Monitors are to be judged. */
  readonly onDue: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Keeps every monitor on nodes that can check it, for as long as it runs. */
export class Replacement {
  /** Nodes that could take work when they were looked at last. */
  #usable: Set<string> | null = null;
  readonly #rounds: Rounds;

  constructor(private readonly options: ReplacementOptions) {
    const { clock, log } = options;
    this.#rounds = new Rounds({
      everyMs: SWEEP_MS,
      turn: async (isStopped) => {
        await this.#lookAtNodes();
        await workOff(isStopped, AT_ONCE, () => this.#placeDue());
      },
      onFailed: (error) => log.warn({ err: error }, 'monitors not placed'),
      clock,
    });
  }

  start(): void {
    this.options.directory.onChange(() => this.#rounds.lookWithin(SOON_MS));
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #lookAtNodes(): Promise<void> {
    const { db, directory, clock } = this.options;
    const nowMs = clock.now();
    const before = this.#usable;
    const usable = new Set([...directory.all()].filter((node) => isUsable(node, nowMs)).map(({ id }) => id));
    const isLinked = new Set([...directory.all()].filter(({ sessionId }) => sessionId !== null).map(({ id }) => id));
    const gone = before === null ? [] : [...before].filter((id) => !usable.has(id));
    const came = before === null || [...usable].some((id) => !before.has(id) && isLinked.has(id));
    await queueMonitorsOf(db, gone);
    if (came) await queueShort(db);
    this.#usable = usable;
  }

  async #placeDue(): Promise<number> {
    const { db, placing, refreshLoads, onAssigned, onDue } = this.options;
    await refreshLoads();
    const changed = new Set<string>();
    const claimed = await db.transaction(async (trx) => {
      const ids = await claimPlacementDue(trx, AT_ONCE);
      for (const id of ids) {
        const monitor = await lockMonitor(trx, id, null);
        const owner = await findOwner(trx, id);
        if (monitor === null || owner === null) continue;
        const placed = await placing.place(trx, monitor, owner);
        for (const nodeId of placed.changed) changed.add(nodeId);
        if (placed.changed.length > 0) await insertDue(trx, [id]);
      }
      return ids.length;
    });
    if (changed.size > 0) {
      onAssigned([...changed]);
      onDue();
    }
    return claimed;
  }
}

function isUsable({ isBanned, isDraining, sessionId, leftAt }: Node, nowMs: number): boolean {
  const isThere = sessionId !== null || (leftAt !== null && nowMs - leftAt.getTime() < OFFLINE_MS);
  return !isBanned && !isDraining && isThere;
}
