import { type BackgroundParts, background, type Rounds, workOff } from '../../../runtime/background.js';
import type { Node, NodeDirectory } from '../../nodes/index.js';
import { lockMonitor } from '../definition/store.js';
import { insertDue } from '../judging/state-store.js';
import type { AssignmentChange } from './assignment-announcements.js';
import { isPresent } from './fitness.js';
import { claimPlacementDue, findOwner, queueMonitorsOf, queueSecretsOn, queueShort } from './placement-store.js';
import type { Placing } from './placing.js';

// Monitors get other nodes in these cases: those of a node immediately when it is banned, drained or deleted, when it becomes private or
// changes its owner, or its owner is no longer an administrator, and when it has had no link for five minutes; those with too few nodes when a
// node appears that may take them. Any replica may do it: the work is a queue.

const SWEEP_MS = 5_000;
/** Delay after the change of a node, in milliseconds: nodes change by the hundred when a replica stops. */
const SOON_MS = 250;
const AT_ONCE = 20;

interface ReplacementOptions extends BackgroundParts {
  readonly directory: Pick<NodeDirectory, 'all' | 'onChange'>;
  readonly placing: Placing;
  /** Called when the assignments of nodes changed. */
  readonly onAssigned: (changes: readonly AssignmentChange[]) => void;
  /** Called when monitors are due for judgment. */
  readonly onDue: () => void;
}

/** Keeps every monitor on nodes that can check it, while it runs. */
export class Replacement {
  /** Nodes that could take work at the last look. */
  #usable: Set<string> | null = null;
  /** Nodes that could take no work at the last look, with the time at which each had lost its link. */
  #away = new Map<string, number | undefined>();
  /** Standing of every node at the last look: its owner, and who may use it. */
  #standings = new Map<string, string>();
  readonly #rounds: Rounds;

  constructor(private readonly options: ReplacementOptions) {
    const { clock, log } = options;
    this.#rounds = background({
      name: 'replacement',
      everyMs: SWEEP_MS,
      look: async (isStopped) => {
        await this.#lookAtNodes();
        await workOff(isStopped, AT_ONCE, () => this.#placeDue());
      },
      failing: 'cannot place monitors, retrying',
      clock,
      log,
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
    const away = new Map(
      [...directory.all()].flatMap(({ id, leftAt }) => (usable.has(id) ? [] : [[id, leftAt?.getTime()]])),
    );
    // a node may have had a link, monitors, and no link for long, all of it between two looks
    const missed = [...away.keys()].filter((id) => this.#away.has(id) && this.#away.get(id) !== away.get(id));
    const gone = before === null ? [] : [...before].filter((id) => !usable.has(id)).concat(missed);
    const came = before === null || [...usable].some((id) => !before.has(id) && isLinked.has(id));
    const standings = new Map([...directory.all()].map((node) => [node.id, standingOf(node)]));
    // a node may have been given monitors and have lost its standing before the first look at it
    const others =
      before === null ? [] : [...standings.keys()].filter((id) => this.#standings.get(id) !== standings.get(id));
    await queueMonitorsOf(db, [...gone, ...others]);
    if (before === null) await this.#queueUnseen();
    if (came || others.length > 0) await queueShort(db);
    this.#usable = usable;
    this.#away = away;
    this.#standings = standings;
  }

  /** Queues monitors that may need other nodes: changes while no replica ran were missed, and older versions placed secrets regardless of the owner of a node. */
  async #queueUnseen(): Promise<void> {
    const { db, directory } = this.options;
    const ofOthers = [...directory.all()].filter(({ isOwnerAdmin }) => !isOwnerAdmin);
    await queueSecretsOn(
      db,
      ofOthers.map(({ id }) => id),
    );
  }

  async #placeDue(): Promise<number> {
    const { db, placing, onAssigned, onDue } = this.options;
    await placing.prepare();
    const changes: AssignmentChange[] = [];
    const claimed = await db.transaction(async (trx) => {
      const ids = await claimPlacementDue(trx, AT_ONCE);
      for (const id of ids) {
        const monitor = await lockMonitor(trx, id, null);
        const owner = await findOwner(trx, id);
        if (monitor === null || owner === null) continue;
        const placed = await placing.place(trx, monitor, owner);
        if (placed.changed.length === 0) continue;
        changes.push({ id, nodeIds: placed.changed });
        await insertDue(trx, [id]);
      }
      return ids.length;
    });
    if (changes.length > 0) {
      onAssigned(changes);
      onDue();
    }
    return claimed;
  }
}

function isUsable(node: Node, nowMs: number): boolean {
  return !node.isBanned && !node.isDraining && isPresent(node, nowMs);
}

/** Facts that decide for whom a node may check, and which secrets it may have. */
function standingOf({ ownerId, isOwnerAdmin, isPublic }: Node): string {
  return [ownerId, isOwnerAdmin, isPublic].join(' ');
}
