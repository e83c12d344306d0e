import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { failedResult } from '@vantage/shared/probe-types/failed-result.js';
import t, { type Test } from 'tap';
import { RecentTasks } from '../src/modules/probes/recent-tasks.js';
import { findTask, insertTasks, type NewTask, type TaskRow } from '../src/modules/probes/store.js';
import { TaskReader } from '../src/modules/probes/task-reader.js';
import { Waiters } from '../src/runtime/waiters.js';
import { createTestDatabase } from './_support/database.js';
import { within } from './_support/within.js';

const spec = {
  target: '127.0.0.1:80',
  params: { timeout_ms: 1000, ip_version: 'auto', count: 1, banner: false },
} as const;

/** Ids of one millisecond, in ascending order. */
function sortedIds(count: number): string[] {
  const now = Date.now();
  return Array.from({ length: count }, () => newId(idPrefixes.probeTask, now)).sort();
}

function newTaskOf(id: string, nodeTaskIds: readonly string[]): NewTask {
  return {
    id,
    ownerId: null,
    isTest: false,
    probeType: 'tcp',
    target: spec.target,
    spec,
    specJson: JSON.stringify(spec),
    deadlineMs: 30_000,
    createdAt: new Date(),
    expiresInMs: 0,
    targetKeys: null,
    nodeTasks: nodeTaskIds.map((nodeTaskId) => ({ id: nodeTaskId, nodeId: 'n_1', refusedCode: null })),
  };
}

/** A reader whose clock stands still, and a task with two nodes. */
async function aTask(t: Test) {
  const { db } = await createTestDatabase(t);
  const [clock, waiters] = [new FakeClock(), new Waiters()];
  const recent = new RecentTasks(clock);
  const [id = '', first = '', second = ''] = sortedIds(3);
  const task = newTaskOf(id, [first, second]);
  await insertTasks(db, [task]);
  const result = JSON.stringify(failedResult('tcp', spec, { code: 'timeout', message: '' }));
  const finish = (nodeTaskId: string) =>
    db('probe_node_tasks')
      .where({ id: nodeTaskId })
      .update({ state: 'done', result, success: false, finished_at: new Date() });
  const abort = new AbortController();
  t.teardown(() => abort.abort());
  const reader = new TaskReader({ db, waiters, recent, clock });
  return { reader, recent, task, waiters, clock, abort, id, first, second, finish };
}

const pending = (task: TaskRow | undefined) => task?.node_tasks.filter(({ state }) => state === 'pending').length;
const next = async (tasks: AsyncGenerator<TaskRow>) => {
  const step = await within('the next state of the task', tasks.next());
  return step.done ? undefined : step.value;
};

t.test('tasks of one millisecond are read each with its own node tasks, in their order', async (t) => {
  const { db } = await createTestDatabase(t);
  const [one = '', other = '', ...rest] = sortedIds(8);
  const ofOne = rest.filter((_, index) => index % 2 === 0);
  const ofOther = rest.filter((_, index) => index % 2 === 1);
  await insertTasks(db, [newTaskOf(one, ofOne), newTaskOf(other, ofOther)]);
  const read = async (id: string) => {
    const task = await findTask(db, id);
    return [task?.id, task?.node_tasks.map((nodeTask) => nodeTask.id)];
  };
  t.strictSame(await read(one), [one, ofOne]);
  t.strictSame(await read(other), [other, ofOther]);
  for (const id of ofOther) t.strictSame(await read(id), [other, [id]], 'by the id of a node task');
});

t.test('every wake-up brings the newest state, and the last node ends the reading', async (t) => {
  const { reader, waiters, abort, id, first, second, finish } = await aTask(t);
  const tasks = reader.follow(id, abort.signal);
  t.equal(pending(await next(tasks)), 2);
  await finish(first);
  waiters.wake([id]);
  t.equal(pending(await next(tasks)), 1);
  await finish(second);
  waiters.wake([id]);
  t.equal(pending(await next(tasks)), 0);
  t.equal(await next(tasks), undefined, 'the end');
  t.equal(waiters.size, 0);
});

t.test('a wake-up during the first read is not lost', async (t) => {
  const { reader, waiters, abort, id, first, finish } = await aTask(t);
  const tasks = reader.follow(id, abort.signal);
  const reading = tasks.next();
  waiters.wake([id]);
  t.equal(pending((await within('the first read', reading)).value), 2);
  await finish(first);
  t.equal(pending(await next(tasks)), 1, 'read again at once: the clock stands still');
});

t.test('a wake-up while no reader waits is not lost', async (t) => {
  const { reader, waiters, abort, id, first, finish } = await aTask(t);
  const tasks = reader.follow(id, abort.signal);
  await next(tasks);
  await finish(first);
  waiters.wake([id]);
  t.equal(pending(await next(tasks)), 1);
});

t.test('without any wake-up the task is read again every two seconds', async (t) => {
  const { reader, clock, abort, id, first, finish } = await aTask(t);
  const tasks = reader.follow(id, abort.signal);
  await next(tasks);
  await finish(first);
  let isThere = false;
  const reading = tasks.next().then((step) => {
    isThere = true;
    return step.value;
  });
  await until('the timer', () => clock.pendingTimers === 1);
  clock.advance(1_999);
  t.equal(clock.pendingTimers, 1, 'not before its time');
  t.equal(isThere, false);
  clock.advance(1);
  t.equal(pending(await within('the read', reading)), 1);
});

t.test('a node task is followed by its own id and wakes up with its request', async (t) => {
  const { reader, waiters, abort, id, second, finish } = await aTask(t);
  const tasks = reader.follow(second, abort.signal);
  t.equal((await next(tasks))?.node_tasks.length, 1);
  await finish(second);
  waiters.wake([id]);
  t.equal(pending(await next(tasks)), 0);
  t.equal(await next(tasks), undefined);
  t.equal(waiters.size, 0);
});

t.test('an abort ends the reading while it waits, and nothing is left behind', async (t) => {
  const { reader, waiters, clock, abort, id } = await aTask(t);
  const tasks = reader.follow(id, abort.signal);
  await next(tasks);
  const waiting = tasks.next();
  await until('the timer', () => clock.pendingTimers === 1);
  abort.abort();
  t.equal((await within('the end', waiting)).done, true);
  t.equal(waiters.size, 0);
  t.equal(clock.pendingTimers, 0);
});

t.test('a reader aborted before it began gets the state once', async (t) => {
  const { reader, waiters, id } = await aTask(t);
  const tasks = reader.follow(id, AbortSignal.abort());
  t.equal(pending(await next(tasks)), 2);
  t.equal(await next(tasks), undefined);
  t.equal(waiters.size, 0);
});

t.test('reading a task that does not exist ends at once', async (t) => {
  const { reader, waiters, abort } = await aTask(t);
  for (const id of [newId(idPrefixes.probeTask), 'nonsense', '']) {
    t.equal(await next(reader.follow(id, abort.signal)), undefined, id);
  }
  t.equal(waiters.size, 0);
});

t.test('the database is not asked about a task whose every result this replica was sent', async (t) => {
  const { reader, recent, task, waiters, abort, id, first, second, finish } = await aTask(t);
  recent.add(task);
  // only the database knows of these
  await Promise.all([first, second].map(finish));
  const tasks = reader.follow(id, abort.signal);
  t.equal(pending(await next(tasks)), 2);
  waiters.wake([id]);
  t.equal(pending(await next(tasks)), 2);
  t.equal(pending((await reader.find(id)) ?? undefined), 0, 'a reader that needs certainty gets them');
  recent.forget([id]);
  waiters.wake([id]);
  t.equal(pending(await next(tasks)), 0, 'another writer changed it');
});

t.test('two seconds without a wake-up end the trust in received messages', async (t) => {
  const { reader, recent, task, clock, abort, id, first, second, finish } = await aTask(t);
  recent.add(task);
  await Promise.all([first, second].map(finish));
  const tasks = reader.follow(id, abort.signal);
  t.equal(pending(await next(tasks)), 2);
  const reading = tasks.next();
  await until('the timer', () => clock.pendingTimers === 1);
  clock.advance(2_000);
  t.equal(pending((await within('the read', reading)).value), 0);
});
