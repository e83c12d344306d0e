import { idLowerBound, idPrefixes, idTimeMs } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { Batcher } from '../../db/batcher.js';
import { type PreparedStatement, queryPrepared } from '../../db/prepared.js';
import { type Owner, ownedBy } from '../../owners/index.js';
import type { NodeNeed } from './probe-request.js';
import { TARGET_RATE_LIMITED } from './target-budget.js';
import { takenBy, takeTargetBudgets } from './target-budget-store.js';

const NODES_AT_ONCE = 200;

/** Storage of tasks for dispatch; each call is one transaction. */
export interface DispatchStore {
  insert(tasks: readonly NewTask[]): Promise<void>;
  /** @returns the number of nodes that each task got; of one without any nothing is stored */
  insertWithinBudgets(tasks: readonly BudgetedTask[]): Promise<readonly number[]>;
  listPending(ids: readonly string[]): Promise<PendingRow[]>;
  listPendingOfNode(nodeId: string): Promise<PendingRow[]>;
  listPendingOfReplica(replicaId: string): Promise<PendingRow[]>;
  lose(ids: readonly string[]): Promise<LostRow[]>;
  loseOfGoneNodes(): Promise<LostRow[]>;
  noticeUnlinkedWork(graceMs: number): Promise<void>;
  expire(): Promise<LostRow[]>;
}

/** Storage of tasks in a database. */
export function dispatchStore(db: Knex): DispatchStore {
  // thousands of nodes reconnect at once, and each needs its pending tasks
  const pendingOfNode = new Batcher<string, PendingRow[]>({
    maxItems: NODES_AT_ONCE,
    flush: (nodeIds) => listPendingTasksOfNodes(db, nodeIds),
  });
  return {
    insert: (tasks) => insertTasks(db, tasks),
    insertWithinBudgets: (tasks) => insertWithinBudgets(db, tasks),
    listPending: (ids) => listPendingTasks(db, ids),
    listPendingOfNode: (nodeId) => pendingOfNode.add(nodeId),
    listPendingOfReplica: (replicaId) => listPendingTasksOfReplica(db, replicaId),
    lose: (ids) => loseTasks(db, ids),
    loseOfGoneNodes: () => loseTasksOfGoneNodes(db),
    noticeUnlinkedWork: (graceMs) => noticeUnlinkedWork(db, graceMs),
    expire: () => expireTasks(db),
  };
}

/** A task with its node tasks, to be stored. */
export interface NewTask {
  readonly id: string;
  readonly ownerId: string | null;
  /** True if it was created with a test key. */
  readonly isTest: boolean;
  /** Present for a question of the service itself: no caller reads the task. */
  readonly isInternal?: true;
  /** Present if everyone who has its id may read it. */
  readonly isShared?: true;
  readonly probeType: string;
  readonly target: string;
  readonly spec: object;
  readonly specJson: string;
  /** Time that a node may take for it once it begins, in milliseconds. */
  readonly deadlineMs: number;
  /** Creation time by the clock of the replica that received the request; for display only. */
  readonly createdAt: Date;
  /** Time after which unfinished node tasks end, in milliseconds from when it is stored. */
  readonly expiresInMs: number;
  /** Keys of the per-target budget; null for exempt targets. */
  readonly targetKeys: readonly string[] | null;
  readonly nodeTasks: readonly NewNodeTask[];
  /** Nodes that the selection matches and that cannot run it; absent: none. */
  readonly unfitNodes?: readonly UnfitNodeRow[];
}

/** Node that cannot run a probe, with what it lacks, as it is stored. */
export interface UnfitNodeRow {
  readonly node_id: string;
  readonly lacks: NodeNeed;
}

export interface NewNodeTask {
  readonly id: string;
  readonly nodeId: string;
  /** Error code when the job is not sent to the node; null if it is sent. */
  readonly refusedCode: string | null;
}

/** A task whose target has a budget. */
export interface BudgetedTask {
  readonly task: NewTask & { readonly targetKeys: readonly string[] };
  /** Tokens of the budget that each of its nodes takes. */
  readonly weight: number;
}

const TASKS =
  'unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]::json[], $6::timestamptz[], $7::boolean[], $15::boolean[], $16::text[]::json[], $17::boolean[])';
const NODE_TASK_VALUES =
  '$8::text[], $9::text[], $10::text[], $11::text[], $12::double precision[], $13::text[], $14::text[]';
const INSERT_TASKS =
  'INSERT INTO probe_tasks (id, owner_id, probe_type, target, spec, created_at, is_test, is_internal, unfit_nodes, shared)';
const INSERT_NODE_TASKS = `
  INSERT INTO probe_node_tasks (id, task_id, node_id, probe_type, expires_at, target_keys, state, lost_code, finished_at, opening)
  SELECT id, task_id, node_id, probe_type, now() + expires_ms * interval '1 millisecond', string_to_array(target_keys, ' '),
         CASE WHEN refused IS NULL THEN 'pending' ELSE 'lost' END, refused, CASE WHEN refused IS NULL THEN NULL ELSE now() END, (SELECT opening FROM nodes WHERE nodes.id = node_id)`;

// A task is durable before its caller learns its id. Replicas' clocks differ: the end of a task is determined by the database's
// clock, and the process that may run it by the newest link of its node.
const INSERT: PreparedStatement = {
  name: 'probes-insert',
  text: `
  WITH task AS (${INSERT_TASKS} SELECT * FROM ${TASKS})
  ${INSERT_NODE_TASKS}
  FROM unnest(${NODE_TASK_VALUES}) AS n(id, task_id, node_id, probe_type, expires_ms, target_keys, refused)`,
};

const INSERT_WITHIN: PreparedStatement = {
  name: 'probes-insert-within',
  text: `
  WITH budget AS MATERIALIZED (SELECT ${takeTargetBudgets(20)} AS granted),
  task AS (
    ${INSERT_TASKS}
    SELECT id, owner_id, probe_type, target, spec, created_at, is_test, is_internal, unfit_nodes, shared
    FROM budget, ${TASKS} WITH ORDINALITY AS t(id, owner_id, probe_type, target, spec, created_at, is_test, is_internal, unfit_nodes, shared, number)
    WHERE granted[number] > 0
  ), node_task AS (
    ${INSERT_NODE_TASKS}
    FROM budget, LATERAL (
      SELECT n.*, CASE WHEN place > granted[number] THEN '${TARGET_RATE_LIMITED}' END AS refused
      FROM unnest(${NODE_TASK_VALUES}, $18::int[], $19::int[]) AS n(id, task_id, node_id, probe_type, expires_ms, target_keys, never, number, place)
      WHERE granted[number] > 0
    ) n
  )
  SELECT granted FROM budget`,
};

/** Stores tasks with all their node tasks in one statement. */
export async function insertTasks(db: Knex, tasks: readonly NewTask[]): Promise<void> {
  await queryPrepared(db, INSERT, insertValues(tasks));
}

/**
 * Stores tasks as far as the budgets of their targets allow, in one statement: nodes beyond them are refused, and of a task without any
 * node nothing is stored. @returns the number of nodes that each task got
 */
export async function insertWithinBudgets(db: Knex, budgeted: readonly BudgetedTask[]): Promise<readonly number[]> {
  const tasks = budgeted.map(({ task }) => task);
  const requests = budgeted.map(({ task, weight }) => ({
    keys: task.targetKeys,
    nodes: task.nodeTasks.length,
    weight,
  }));
  const newestMs = Math.max(...tasks.map(({ createdAt }) => createdAt.getTime()));
  const [row] = await queryPrepared<{ granted: readonly number[] }>(db, INSERT_WITHIN, [
    ...insertValues(tasks),
    tasks.flatMap(({ nodeTasks }, index) => nodeTasks.map(() => index + 1)),
    tasks.flatMap(({ nodeTasks }) => nodeTasks.map((_, index) => index + 1)),
    ...takenBy(requests, newestMs),
  ]);
  return row?.granted ?? [];
}

function insertValues(tasks: readonly NewTask[]): unknown[] {
  const nodeTasks = tasks.flatMap((task) => task.nodeTasks.map((nodeTask) => ({ task, nodeTask })));
  return [
    tasks.map(({ id }) => id),
    tasks.map(({ ownerId }) => ownerId),
    tasks.map(({ probeType }) => probeType),
    tasks.map(({ target }) => target),
    tasks.map(({ specJson }) => specJson),
    tasks.map(({ createdAt }) => createdAt),
    tasks.map(({ isTest }) => isTest),
    nodeTasks.map(({ nodeTask }) => nodeTask.id),
    nodeTasks.map(({ task }) => task.id),
    nodeTasks.map(({ nodeTask }) => nodeTask.nodeId),
    nodeTasks.map(({ task }) => task.probeType),
    nodeTasks.map(({ task }) => task.expiresInMs),
    nodeTasks.map(({ task }) => task.targetKeys?.join(' ') ?? null),
    nodeTasks.map(({ nodeTask }) => nodeTask.refusedCode),
    tasks.map(({ isInternal = false }) => isInternal),
    unfitValues(tasks),
    tasks.map(({ isShared = false }) => isShared),
  ];
}

/** Values of `unfit_nodes`; null where no task has any, as in nearly every turn: `unnest` fills the column with nulls. */
function unfitValues(tasks: readonly NewTask[]): (string | null)[] | null {
  if (tasks.every(({ unfitNodes }) => unfitNodes === undefined)) return null;
  return tasks.map(({ unfitNodes }) => (unfitNodes === undefined ? null : JSON.stringify(unfitNodes)));
}

/** A node task as the views need it. */
export interface NodeTaskRow {
  readonly id: string;
  readonly node_id: string;
  readonly state: 'pending' | 'done' | 'lost';
  readonly result: Record<string, unknown> | null;
  readonly success: boolean | null;
  readonly lost_code: string | null;
  readonly finished_at: string | null;
  readonly late: boolean;
}

export interface TaskRow {
  readonly id: string;
  readonly owner_id: string | null;
  readonly is_test: boolean;
  readonly is_internal: boolean;
  /** True if everyone who has its id may read it, and not only its owner. */
  readonly shared: boolean;
  /** True if readers of a shared task also get the response body. */
  readonly shared_body: boolean;
  readonly probe_type: string;
  readonly target: string;
  readonly spec: unknown;
  readonly created_at: Date;
  /** Null if there is none. */
  readonly unfit_nodes: readonly UnfitNodeRow[] | null;
  /** In the order in which the nodes were chosen. */
  readonly node_tasks: readonly NodeTaskRow[];
  /** Bytes of its results as JSON; absent: there are none. */
  readonly bytes?: number;
}

// the ids of a task and its node tasks begin with the same millisecond, and that of the task is the least (new-task.ts): its
// node tasks are found by their primary key, in one partition
const nodeTasks = (result: string) => `
  SELECT coalesce(json_agg(json_build_object('id', n.id, 'node_id', n.node_id, 'state', n.state, 'result', ${result}, 'success', n.success,
    'lost_code', n.lost_code, 'finished_at', n.finished_at, 'late', n.late) ORDER BY n.id), '[]') AS node_tasks
  FROM probe_node_tasks n`;
const NODE_TASKS = nodeTasks('n.result');

/** Bytes of results that are read as one text at most: parsing megabytes would delay all other requests. */
const READ_AT_ONCE_BYTES = 512 * 1024;
/** Results of a larger task that are read together, each of at most a quarter of a megabyte. */
const RESULTS_PER_READ = 4;
const SIZE = 'SELECT coalesce(sum(octet_length(n.result::text)), 0)::float8 AS bytes FROM probe_node_tasks n';

// by name: PostgreSQL refuses a prepared statement for good once a migration has added a column to a `*`
const TASK_COLUMNS =
  't.id, t.owner_id, t.is_test, t.is_internal, t.shared, t.shared_body, t.probe_type, t.target, t.spec, t.created_at, t.unfit_nodes';

const FIND_TASK = {
  name: 'probes-find-task',
  text: `SELECT ${TASK_COLUMNS}, n.node_tasks, size.bytes FROM probe_tasks t,
         LATERAL (${SIZE} WHERE n.task_id = t.id AND n.id > $1 AND n.id < $2) size,
         LATERAL (
           ${nodeTasks(`CASE WHEN size.bytes <= ${READ_AT_ONCE_BYTES} THEN n.result END`)}
           WHERE n.task_id = t.id AND n.id > $1 AND n.id < $2
         ) n WHERE t.id = $1`,
};

const FIND_NODE_TASK = {
  name: 'probes-find-node-task',
  text: `SELECT ${TASK_COLUMNS}, n.node_tasks, size.bytes FROM probe_tasks t, probe_node_tasks own,
         LATERAL (${SIZE} WHERE n.id = own.id) size, LATERAL (${NODE_TASKS} WHERE n.id = own.id) n
         WHERE own.id = $1 AND t.id = own.task_id AND t.id >= $2 AND t.id < $1`,
};

const RESULTS = {
  name: 'probes-results',
  text: 'SELECT n.id, n.result FROM probe_node_tasks n WHERE n.id = ANY($1) AND n.id > $2 AND n.id < $3',
};

/** Id above those of the node tasks of a task. */
function afterNodeTasks(taskId: string): string {
  return idLowerBound(idPrefixes.probeTask, (idTimeMs(idPrefixes.probeTask, taskId) ?? 0) + 1);
}

/** Finds a task with its node tasks; by the id of a node task, the task with that node task only. Null if there is no such task. */
export async function findTask(db: Knex, id: string): Promise<TaskRow | null> {
  const madeAt = idTimeMs(idPrefixes.probeTask, id);
  if (madeAt === null) return null;
  const [task] = await queryPrepared<TaskRow>(db, FIND_TASK, [id, afterNodeTasks(id)]);
  if (task) return (task.bytes ?? 0) <= READ_AT_ONCE_BYTES ? task : withResults(db, task);
  const [single] = await queryPrepared<TaskRow>(db, FIND_NODE_TASK, [id, idLowerBound(idPrefixes.probeTask, madeAt)]);
  return single ?? null;
}

/** A task that was found without its results, which are read a few at a time. */
async function withResults(db: Knex, task: TaskRow): Promise<TaskRow> {
  const ids = task.node_tasks.flatMap(({ id, state }) => (state === 'done' ? [id] : []));
  const results = new Map<string, NodeTaskRow['result']>();
  while (ids.length > 0) {
    const values = [ids.splice(0, RESULTS_PER_READ), task.id, afterNodeTasks(task.id)];
    const rows = await queryPrepared<Pick<NodeTaskRow, 'id' | 'result'>>(db, RESULTS, values);
    for (const { id, result } of rows) results.set(id, result);
  }
  const nodeTasks = task.node_tasks.map((row) => Object.assign({}, row, { result: results.get(row.id) ?? null }));
  return { ...task, node_tasks: nodeTasks };
}

const STATES_OF_TASK = {
  name: 'probes-states-of-task',
  text: `SELECT t.owner_id, t.shared, t.shared_body, (
           SELECT coalesce(json_agg(json_build_object('id', n.id, 'state', n.state, 'finished_at', n.finished_at, 'late', n.late)), '[]')
           FROM probe_node_tasks n WHERE n.task_id = t.id AND n.id > $1 AND n.id < $2
         ) AS node_tasks
         FROM probe_tasks t WHERE t.id = $1`,
};

/** True if the database has a task as it was found, results included: they are not read. */
export async function isUnchanged(db: Knex, task: TaskRow): Promise<boolean> {
  const values = [task.id, afterNodeTasks(task.id)];
  const [now] = await queryPrepared<Pick<TaskRow, 'owner_id' | 'shared' | 'shared_body' | 'node_tasks'>>(
    db,
    STATES_OF_TASK,
    values,
  );
  if (now === undefined || now.owner_id !== task.owner_id) return false;
  if (now.shared !== task.shared || now.shared_body !== task.shared_body) return false;
  const states = new Map(now.node_tasks.map((nodeTask) => [nodeTask.id, nodeTask]));
  return task.node_tasks.every(({ id, state, finished_at, late }) => {
    const nodeTask = states.get(id);
    return nodeTask?.state === state && nodeTask.finished_at === finished_at && nodeTask.late === late;
  });
}

/** Changes who may read a task of an owner. @returns false if the owner has no such task */
export async function updateShared(
  db: Knex,
  owner: Owner,
  { id, shared, shared_body }: Pick<TaskRow, 'id'> & Partial<Pick<TaskRow, 'shared' | 'shared_body'>>,
): Promise<boolean> {
  const { rows } = await db.raw<{ rows: unknown[] }>(
    `UPDATE probe_tasks SET shared = coalesce(:shared, shared), shared_body = coalesce(:sharedBody, shared_body)
     WHERE id = :id AND NOT is_internal AND ${ownedBy(owner)} RETURNING id`,
    { id, shared: shared ?? null, sharedBody: shared_body ?? null, ownerId: owner.id },
  );
  return rows.length === 1;
}

/** Greatest number of bytes of results in a page of several tasks. */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;
/** Number of tasks whose results are read at once. */
const RESULTS_AT_ONCE = 10;

/** Error of a page whose results exceed MAX_PAGE_BYTES. */
export class PageTooLargeError extends Error {
  override readonly name = 'PageTooLargeError';
}

/** Lists a page of an owner's tasks, newest first, with their total number. @throws PageTooLargeError */
export async function listTasks(
  db: Knex,
  owner: Owner,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: TaskRow[]; total: number }> {
  const mine = ownedBy(owner, 't', '$1');
  // the subqueries keep a limit from making a plan for each value: planning over all partitions takes longer than reading a page
  const statement = {
    name: owner.isTest ? 'probes-list-test' : 'probes-list',
    text: `SELECT counted.total, page.* FROM (SELECT count(*) AS total FROM probe_tasks t WHERE ${mine}) counted
      LEFT JOIN LATERAL (
        SELECT ${TASK_COLUMNS} FROM probe_tasks t WHERE ${mine} ORDER BY t.id DESC LIMIT (SELECT $2::bigint) OFFSET (SELECT $3::bigint)
      ) page ON true
      ORDER BY page.id DESC`,
  };
  // a page beyond the end is one row with the number alone
  const found = await queryPrepared<ListedRow>(db, statement, [owner.id, limit, offset]);
  const tasks = found.flatMap((row) => (row.id === null ? [] : [row]));
  return { rows: await withNodeTasks(db, tasks), total: found[0]?.total ?? 0 };
}

type ListedRow = { readonly total: number } & (Omit<TaskRow, 'node_tasks'> | { readonly id: null });

/** The tasks with their node tasks, some at once: fifty nodes of each of two hundred tasks may have gigabytes of results. */
async function withNodeTasks(db: Knex, tasks: readonly Omit<TaskRow, 'node_tasks'>[]): Promise<TaskRow[]> {
  const rows: TaskRow[] = [];
  let leftBytes = tasks.length > 1 ? MAX_PAGE_BYTES : Number.MAX_SAFE_INTEGER;
  for (let at = 0; at < tasks.length; at += RESULTS_AT_ONCE) {
    const some = tasks.slice(at, at + RESULTS_AT_ONCE);
    const ranges = [some.map(({ id }) => id), some.map(({ id }) => afterNodeTasks(id))];
    const read = await queryPrepared<ResultsRow>(db, FIND_RESULTS, [...ranges, leftBytes]);
    const found = new Map(read.map(({ id, node_tasks }) => [id, node_tasks]));
    const bytes = read[0]?.bytes ?? 0;
    if (bytes > leftBytes) throw new PageTooLargeError();
    leftBytes -= bytes;
    rows.push(...some.map((task) => ({ ...task, node_tasks: found.get(task.id) ?? [] })));
  }
  return rows;
}

/** Node tasks of a task, none where the results of all that were asked for have more bytes than allowed; these bytes. */
interface ResultsRow {
  readonly id: string;
  readonly node_tasks: readonly NodeTaskRow[];
  readonly bytes: number;
}

const FIND_RESULTS: PreparedStatement = {
  name: 'probes-list-results',
  text: `WITH asked AS (SELECT * FROM unnest($1::text[] COLLATE "C", $2::text[] COLLATE "C") t(id, after)),
      size AS (SELECT coalesce(sum(s.bytes), 0)::float8 AS bytes FROM asked t,
        LATERAL (SELECT sum(octet_length(n.result::text)) AS bytes FROM probe_node_tasks n
                 WHERE n.task_id = t.id AND n.id > t.id AND n.id < t.after) s)
    SELECT t.id, size.bytes, n.node_tasks FROM size, asked t
    LEFT JOIN LATERAL (${NODE_TASKS} WHERE n.task_id = t.id AND n.id > t.id AND n.id < t.after AND size.bytes <= $3::float8) n ON true`,
};

/** A node task that waits for its node. */
export interface PendingRow {
  readonly id: string;
  readonly node_id: string;
  readonly probe_type: string;
  readonly spec: string;
  readonly owner_id: string | null;
  /** Number of the newest link of its node when it was stored; null if unknown. */
  readonly opening: number | null;
}

const PENDING = `SELECT n.id, n.node_id, n.probe_type, n.opening, t.owner_id, t.spec::text AS spec FROM probe_node_tasks n
  JOIN probe_tasks t ON t.id = n.task_id`;

/** Lists those of the node tasks that are pending. */
async function listPendingTasks(db: Knex, ids: readonly string[]): Promise<PendingRow[]> {
  const { rows } = await db.raw<{ rows: PendingRow[] }>(`${PENDING} WHERE n.id = ANY(?) AND n.state = 'pending'`, [
    [...ids],
  ]);
  return rows;
}

async function listPendingTasksOfNodes(db: Knex, nodeIds: readonly string[]): Promise<PendingRow[][]> {
  const { rows } = await db.raw<{ rows: PendingRow[] }>(
    `${PENDING} WHERE n.node_id = ANY(?::text[]) AND n.state = 'pending'`,
    [[...nodeIds]],
  );
  return nodeIds.map((nodeId) => rows.filter((row) => row.node_id === nodeId));
}

/** Lists the pending node tasks of nodes that are linked to a replica. */
async function listPendingTasksOfReplica(db: Knex, replicaId: string): Promise<PendingRow[]> {
  const { rows } = await db.raw<{ rows: PendingRow[] }>(
    `${PENDING} JOIN nodes ON nodes.id = n.node_id
     WHERE nodes.replica_id = ? AND n.state = 'pending' LIMIT 1000`,
    [replicaId],
  );
  return rows;
}

/** A node task that ended without a result. */
export interface LostRow {
  readonly task_id: string;
  readonly probe_type: string;
  readonly lost_code: string;
}

// Sweeps of several replicas and ingest end the same tasks, each in its own order. A sweep therefore never waits for a
// row: the transaction that holds it is ending that task, and the next sweep finds the rest.

/** Ends these node tasks as lost, if they are still pending. */
async function loseTasks(db: Knex, ids: readonly string[]): Promise<LostRow[]> {
  const { rows } = await db.raw<{ rows: LostRow[] }>(
    `UPDATE probe_node_tasks SET state = 'lost', lost_code = 'node_lost', finished_at = now()
     WHERE id = ANY(ARRAY(
       SELECT id FROM probe_node_tasks WHERE id = ANY(?) AND state = 'pending' FOR NO KEY UPDATE SKIP LOCKED
     )) RETURNING task_id, probe_type, lost_code`,
    [[...ids]],
  );
  return rows;
}

/** Ends the pending work of nodes that did not come back in time. */
async function loseTasksOfGoneNodes(db: Knex): Promise<LostRow[]> {
  const { rows } = await db.raw<{ rows: LostRow[] }>(
    `WITH gone AS (
       UPDATE nodes SET lost_after = NULL
       WHERE id IN (SELECT id FROM nodes WHERE lost_after <= now() AND session_id IS NULL FOR UPDATE SKIP LOCKED)
       RETURNING id
     )
     UPDATE probe_node_tasks t SET state = 'lost', lost_code = 'node_lost', finished_at = now()
     FROM gone WHERE t.node_id = gone.id AND t.state = 'pending' RETURNING t.task_id, t.probe_type, t.lost_code`,
  );
  return rows;
}

/** Starts the grace period of nodes without a link that have pending work, as happens when a replica's directory is stale. */
async function noticeUnlinkedWork(db: Knex, graceMs: number): Promise<void> {
  await db.raw(
    `UPDATE nodes SET lost_after = now() + ? * interval '1 millisecond'
     WHERE id = ANY(ARRAY(
       SELECT id FROM nodes WHERE session_id IS NULL AND lost_after IS NULL
         AND id IN (SELECT node_id FROM probe_node_tasks WHERE state = 'pending')
       FOR NO KEY UPDATE SKIP LOCKED
     ))`,
    [graceMs],
  );
}

/** Ends node tasks that are still pending at their expiry. */
async function expireTasks(db: Knex): Promise<LostRow[]> {
  const { rows } = await db.raw<{ rows: LostRow[] }>(
    `UPDATE probe_node_tasks SET state = 'lost', lost_code = 'timeout', finished_at = now()
     WHERE id = ANY(ARRAY(
       SELECT id FROM probe_node_tasks WHERE state = 'pending' AND expires_at <= now()
       LIMIT 10000 FOR NO KEY UPDATE SKIP LOCKED
     )) RETURNING task_id, probe_type, lost_code`,
  );
  return rows;
}
