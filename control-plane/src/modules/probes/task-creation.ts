import type { Clock } from '@vantage/shared/clock.js';
import { definitionOf, isProbeType } from '@vantage/shared/probe-types/index.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { touchedHosts } from '@vantage/shared/target-policy/spec.js';
import { targetKeys } from '@vantage/shared/target-policy/target-keys.js';
import type { Knex } from 'knex';
import { type ApiError, limitReached } from '../../http/errors.js';
import { BudgetTurns } from './budget-turns.js';
import type { Dispatch } from './dispatch.js';
import { type Measured, newTask, type TaskRequest } from './new-task.js';
import type { RecentTasks } from './recent-tasks.js';
import { insertTasks, type NewTask } from './store.js';
import { TARGET_RATE_LIMITED, TARGET_RATE_PER_SECOND } from './target-budget.js';
import { takeFromBudget } from './target-budget-store.js';

/** Records a task elsewhere, in the transaction that stores it; false if the task is not needed. */
export type Note = (trx: Knex, taskId: string) => Promise<boolean>;

interface TaskCreationOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly dispatch: Pick<Dispatch, 'store' | 'storeWithinBudget' | 'send'>;
  readonly recent: RecentTasks;
  /** Returns the current policy: deny lists change at run time. */
  readonly policy: () => TargetPolicy;
}

/** Keys of the budgets that a request draws on, and the tokens it takes from each of them per node. */
interface BudgetShare {
  readonly keys: readonly string[];
  readonly weight: number;
}

/** Creation of tasks: each is stored within the budgets of its targets, then sent to its nodes. */
export class TaskCreation {
  readonly #turns = new BudgetTurns();

  constructor(private readonly options: TaskCreationOptions) {}

  /**
   * Creates the task of a request, and returns it as it is stored: nodes beyond the budget are refused.
   * @throws ApiError RATE_LIMIT_EXCEEDED when no node is within the budget
   */
  create(request: TaskRequest): Promise<NewTask> {
    return this.#create(request, (task) => this.#storeSome(task, request));
  }

  /**
   * Creates a task if the budgets of its targets allow all of its nodes now, and returns it as it is stored; null if they do not.
   * `note` joins the transaction: if it returns false, nothing is stored either.
   */
  createWhole(request: TaskRequest, note: Note): Promise<NewTask | null> {
    return this.#create(request, (task) => this.#storeWhole(task, request, note));
  }

  async #create<T extends NewTask | null>(request: TaskRequest, store: (task: NewTask) => Promise<T>): Promise<T> {
    const { clock, dispatch, recent } = this.options;
    const task = newTask(request, clock.now());
    // results may arrive before the task is stored
    recent.add(task);
    const stored = await store(task).catch((error: unknown) => {
      recent.forget([task.id]);
      throw error;
    });
    // only the database knows refusals
    const isAsPlanned = stored?.nodeTasks.every(({ refusedCode }) => refusedCode === null) ?? false;
    if (!isAsPlanned) recent.forget([task.id]);
    if (stored !== null) dispatch.send(stored);
    return stored;
  }

  async #storeSome(task: NewTask, request: Measured): Promise<NewTask> {
    const { dispatch, policy } = this.options;
    const { keys, weight } = shareOf(request, policy());
    if (keys.length === 0) {
      await dispatch.store(task);
      return task;
    }
    const granted = await dispatch.storeWithinBudget({ task: { ...task, targetKeys: keys }, weight });
    if (granted === 0) throw targetRateLimited(task.createdAt, weight);
    return limitTask(task, keys, granted);
  }

  async #storeWhole(task: NewTask, request: Measured, note: Note): Promise<NewTask | null> {
    const { db, policy } = this.options;
    const share = shareOf(request, policy());
    if (this.#turns.isFull(share.keys)) return null;
    const work = () => db.transaction((trx) => writeAll(trx, task, { ...share, note }));
    return this.#turns.run(share.keys, work).catch((error: unknown) => {
      if (error instanceof Undone) return null;
      throw error;
    });
  }
}

/** Undoes a transaction without being a failure. */
class Undone extends Error {
  override readonly name = 'Undone';
}

/** Share of the budgets of all hosts that a request contacts; hosts in the operator's own ranges have none. */
function shareOf({ type, spec }: Measured, policy: TargetPolicy): BudgetShare {
  const hosts = touchedHosts(type, spec).filter((host) => host.kind === 'name' || !policy.isExempt(host.address));
  return { keys: [...new Set(hosts.flatMap(targetKeys))], weight: weightOf({ type, spec }) };
}

/** Measurements that are no probes ask others about their target, or the target a few short questions. */
function weightOf({ type, spec }: Measured): number {
  return isProbeType(type) ? definitionOf(type).targetWeight(spec) : 1;
}

/** Stores a task with all of its nodes. @throws Undone when its budgets allow fewer, or `note` refuses it */
async function writeAll(
  trx: Knex.Transaction,
  task: NewTask,
  { keys, weight, note }: BudgetShare & { readonly note: Note },
): Promise<NewTask> {
  const nodes = task.nodeTasks.length;
  if (!(await note(trx, task.id))) throw new Undone();
  // last, for others wait for the end of this transaction from here on
  const granted =
    keys.length === 0 ? nodes : await takeFromBudget(trx, { keys, nodes, weight }, task.createdAt.getTime());
  if (granted < nodes) throw new Undone();
  const stored = keys.length === 0 ? task : limitTask(task, keys, granted);
  await insertTasks(trx, [stored]);
  return stored;
}

/** The task with all but its first `granted` nodes refused. */
function limitTask(task: NewTask, budgetKeys: readonly string[], granted: number): NewTask {
  const nodeTasks = task.nodeTasks.map((nodeTask, index) =>
    index < granted ? nodeTask : { ...nodeTask, refusedCode: TARGET_RATE_LIMITED },
  );
  return { ...task, targetKeys: budgetKeys, nodeTasks };
}

/** Error whose reset time is the first whole second by which the budget has refilled for a second, and enough for one node. */
function targetRateLimited(now: Date, weight: number): ApiError {
  const seconds = Math.max(1, weight / TARGET_RATE_PER_SECOND);
  const resetsAt = Math.ceil(now.getTime() / 1_000 + seconds) * 1_000;
  const allowance = { limit: TARGET_RATE_PER_SECOND, remaining: 0, resetsAt, isAllowed: false, windowSeconds: 1 };
  const message = 'is being probed too often; try again later';
  return limitReached('RATE_LIMIT_EXCEEDED', allowance, { target: [{ code: 'refused', message }] });
}
