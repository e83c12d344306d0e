import { createHash } from 'node:crypto';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import type { Actor } from '../../audit-log/actor.js';
import { insertAuditEntry } from '../../audit-log/store.js';
import { ApiError, fieldError } from '../../http/errors.js';
import type { Page } from '../../http/pagination.js';
import { type NodeDirectory, suitableFor } from '../nodes/index.js';
import type { NodeCounts, Rollout, RolloutNode, RolloutNodeState, RolloutOrder, RolloutState } from './rollout.js';
import {
  countNodes,
  deleteOldRollouts,
  findRollout,
  insertRollout,
  listOutdated,
  listRolloutNodes,
  listRollouts,
  lockRollout,
  updateResumed,
  updateState,
} from './store.js';

/** Days for which an ended roll-out is kept, as long as its entries in the audit log. */
const KEPT_DAYS = 400;

interface RolloutsOptions {
  readonly db: Knex;
  readonly directory: NodeDirectory;
  /** Called after a change that leaves something to do. */
  readonly wake: () => void;
}

/** A roll-out with the number of its nodes by state. */
export interface CountedRollout extends Rollout {
  readonly counts: NodeCounts;
}

/** Operations of administrators on roll-outs. */
export class Rollouts {
  constructor(private readonly options: RolloutsOptions) {}

  /** Starts a roll-out. @throws ApiError CONFLICT when another one is open, VALIDATION_FAILED when no node is selected */
  async create(order: RolloutOrder, actor: Actor): Promise<CountedRollout> {
    const { db, wake } = this.options;
    checkStages(order.stages);
    const id = newId(idPrefixes.rollout);
    const nodeIds = inDrawnOrder(id, await this.#select(order));
    if (nodeIds.length === 0)
      throw fieldError(
        'selection',
        'not_found',
        'selects no node of another version: it must match at least one node that is enrolled and does not run this version yet',
      );
    await db.transaction(async (trx) => {
      if (!(await insertRollout(trx, { ...order, id }, nodeIds)))
        throw conflict('another roll-out is open; abort it first');
      const { version, stages, maxFailures: max_failures, pauseS: pause_s, selection } = order;
      const details = { version, nodes: nodeIds.length, stages, max_failures, pause_s, selection };
      await insertAuditEntry(trx, { actor, accountId: null, action: 'rollout.created', subject: id, details });
    });
    wake();
    return this.get(id);
  }

  /** Lists one page of roll-outs, newest first. */
  async list(page: Page): Promise<{ rollouts: CountedRollout[]; total: number }> {
    const { rollouts, total } = await listRollouts(this.options.db, page);
    return { rollouts: await this.#counted(rollouts), total };
  }

  /** @throws ApiError NOT_FOUND */
  async get(id: string): Promise<CountedRollout> {
    const rollout = await findRollout(this.options.db, id);
    const [counted] = rollout === null ? [] : await this.#counted([rollout]);
    if (counted === undefined) throw new ApiError('NOT_FOUND');
    return counted;
  }

  /** Lists one page of the nodes of a roll-out. @throws ApiError NOT_FOUND */
  async listNodes(
    id: string,
    filter: Page & { readonly state: RolloutNodeState | null },
  ): Promise<{ nodes: RolloutNode[]; total: number }> {
    await this.get(id);
    return listRolloutNodes(this.options.db, id, filter);
  }

  /** Requests no further upgrades; those that run go on. @throws ApiError NOT_FOUND, CONFLICT when it does not run */
  pause(id: string, actor: Actor): Promise<CountedRollout> {
    return this.#act({ id, actor, action: 'rollout.paused', from: ['running'] }, (trx) =>
      updateState(trx, id, 'paused'),
    );
  }

  /** Goes on; the failures of a halted one are forgiven. @throws ApiError NOT_FOUND, CONFLICT when it runs or has ended */
  resume(id: string, actor: Actor): Promise<CountedRollout> {
    return this.#act(
      { id, actor, action: 'rollout.resumed', from: ['paused', 'halted'] },
      async (trx, { state, forgiven }) => {
        const failed = (await countNodes(trx, [id])).get(id)?.failed ?? 0;
        await updateResumed(trx, id, state === 'halted' ? failed : forgiven);
      },
    );
  }

  /** Ends a roll-out; upgrades that run go on. @throws ApiError NOT_FOUND, CONFLICT when it has ended */
  abort(id: string, actor: Actor): Promise<CountedRollout> {
    return this.#act({ id, actor, action: 'rollout.aborted', from: ['running', 'paused', 'halted'] }, (trx) =>
      updateState(trx, id, 'aborted'),
    );
  }

  deleteOutdated(): Promise<void> {
    return deleteOldRollouts(this.options.db, KEPT_DAYS);
  }

  async #act(
    { id, actor, action, from }: Act,
    change: (trx: Knex, rollout: Rollout) => Promise<void>,
  ): Promise<CountedRollout> {
    await this.options.db.transaction(async (trx) => {
      const rollout = await lockRollout(trx, id);
      if (rollout === null) throw new ApiError('NOT_FOUND');
      if (!from.includes(rollout.state)) throw conflict(`the roll-out is ${rollout.state}`);
      await change(trx, rollout);
      const details = { version: rollout.version };
      await insertAuditEntry(trx, { actor, accountId: null, action, subject: id, details });
    });
    this.options.wake();
    return this.get(id);
  }

  async #counted(rollouts: readonly Rollout[]): Promise<CountedRollout[]> {
    const counts = await countNodes(
      this.options.db,
      rollouts.map(({ id }) => id),
    );
    return rollouts.flatMap((rollout) => {
      const own = counts.get(rollout.id);
      return own === undefined ? [] : [{ ...rollout, counts: own }];
    });
  }

  async #select({ selection, version }: RolloutOrder): Promise<string[]> {
    const { db, directory } = this.options;
    await directory.load();
    const viewer = { ownerId: null, isAdmin: true, isTest: false };
    const isSelected = suitableFor({ viewer, selection, capability: null, family: null });
    const nodes = [...directory.all()].filter((node) => isSelected(node) && !node.isBanned);
    return listOutdated(
      db,
      nodes.map(({ id }) => id),
      version,
    );
  }
}

interface Act {
  readonly id: string;
  readonly actor: Actor;
  readonly action: 'rollout.paused' | 'rollout.resumed' | 'rollout.aborted';
  readonly from: readonly RolloutState[];
}

/** Order of the nodes: drawn, so that a stage has nodes of every place and operator. */
function inDrawnOrder(rolloutId: string, nodeIds: readonly string[]): string[] {
  const keyOf = (nodeId: string) => createHash('sha256').update(`${rolloutId} ${nodeId}`).digest('hex');
  return nodeIds
    .map((id) => ({ id, key: keyOf(id) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ id }) => id);
}

function checkStages(stages: readonly number[]): void {
  if (stages.every((percent, index) => index === 0 || percent > (stages[index - 1] ?? 0))) return;
  throw fieldError('stages', 'range', 'each must be greater than the one before, for example 1, 10, 100');
}

function conflict(message: string): ApiError {
  return new ApiError('CONFLICT', { details: { id: [{ code: 'conflict', message }] } });
}
