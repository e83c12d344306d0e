import { setImmediate } from 'node:timers/promises';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { Waiters } from '../../runtime/waiters.js';
import { RecentTasks } from './recent-tasks.js';
import type { NodeTaskRow, TaskRow } from './store.js';
import { TaskWaits } from './task-waits.js';

const nodeTask = (state: NodeTaskRow['state']): NodeTaskRow => ({
  id: 'pt_2',
  node_id: 'n_1',
  state,
  result: null,
  success: null,
  lost_code: null,
  finished_at: null,
  late: false,
});

const aTask = (id: string, state: NodeTaskRow['state']): TaskRow => ({
  id,
  owner_id: null,
  is_test: false,
  is_internal: false,
  shared: false,
  shared_body: false,
  unfit_nodes: null,
  probe_type: 'tcp',
  target: '127.0.0.1:80',
  spec: {},
  created_at: new Date(0),
  node_tasks: [nodeTask(state)],
});

/** Waits for tasks of a database that is a map here. */
function start() {
  const clock = new FakeClock();
  const waiters = new Waiters();
  const stored = new Map<string, TaskRow>();
  const endings = new Set<() => void>();
  let reads = 0;
  const find = async (id: string) => {
    reads += 1;
    return stored.get(id) ?? null;
  };
  const waits = new TaskWaits({ reader: { find, findHeard: find }, recent: new RecentTasks(clock), waiters, clock });
  const onEnding = (callback: () => void) => {
    endings.add(callback);
    return () => endings.delete(callback);
  };
  const wait = (id: string, check: (task: TaskRow | null) => unknown = () => {}) =>
    waits.wait(id, { mostMs: 5_000, onEnding, check });
  const left = () => ({ ids: waiters.size, timers: clock.pendingTimers, endings: endings.size });
  return { clock, waiters, stored, endings, wait, left, reads: () => reads };
}

const nothing = { ids: 0, timers: 0, endings: 0 };
const stateOf = async (waiting: Promise<TaskRow | null>) => (await waiting)?.node_tasks[0]?.state;

t.test('ten thousand waits that are woken, whose time is over or whose caller has left, leave nothing', async (t) => {
  const { clock, waiters, stored, endings, wait, left } = start();
  const ids = Array.from({ length: 10_000 }, (_, index) => `pt_1_${index}`);
  for (const id of ids) stored.set(id, aTask(id, 'pending'));
  const waiting = ids.map((id) => wait(id));
  await setImmediate();
  t.strictSame(left(), { ids: ids.length, timers: ids.length, endings: ids.length });
  const [woken, gone] = [ids.slice(0, 6_000), [...endings].slice(6_000, 9_900)];
  for (const id of woken) stored.set(id, aTask(id, 'done'));
  waiters.wake(woken);
  for (const end of gone) end();
  await setImmediate();
  t.equal(left().ids, 100);
  for (let second = 0; second < 5; second += 1) {
    clock.advance(1_000);
    await setImmediate();
  }
  const states = await Promise.all(waiting.map(stateOf));
  t.equal(states.filter((state) => state === 'done').length, 6_000);
  t.strictSame(left(), nothing);
});

t.test('a task that ends without a wake-up is noticed within two seconds', async (t) => {
  const { clock, stored, wait, left } = start();
  stored.set('pt_1', aTask('pt_1', 'pending'));
  const waiting = wait('pt_1');
  await setImmediate();
  stored.set('pt_1', aTask('pt_1', 'lost'));
  clock.advance(2_000);
  t.equal(await stateOf(waiting), 'lost');
  t.strictSame(left(), nothing);
});

t.test('a wait by the id of a node task ends with the wake-up of its task', async (t) => {
  const { waiters, stored, wait, left } = start();
  stored.set('pt_2', aTask('pt_1', 'pending'));
  const waiting = wait('pt_2');
  await setImmediate();
  stored.set('pt_2', aTask('pt_1', 'done'));
  waiters.wake(['pt_1']);
  t.equal(await stateOf(waiting), 'done');
  t.strictSame(left(), nothing);
});

t.test('a task that may not be read is refused at once, and one that does not exist is none', async (t) => {
  const { stored, wait, left } = start();
  stored.set('pt_1', aTask('pt_1', 'pending'));
  const refuse = () => {
    throw new Error('refused');
  };
  await t.rejects(wait('pt_1', refuse), /refused/);
  t.equal(await wait('pt_9'), null);
  t.strictSame(left(), nothing);
});

t.test('a failed read fails the wait, and a thousand wake-ups during a read are one more read', async (t) => {
  const { waiters, stored, wait, left, reads, clock } = start();
  stored.set('pt_1', aTask('pt_1', 'pending'));
  const waiting = wait('pt_1');
  await setImmediate();
  for (let at = 0; at < 1_000; at += 1) waiters.wake(['pt_1']);
  await setImmediate();
  t.equal(reads(), 3);
  clock.advance(5_000);
  t.equal(await stateOf(waiting), 'pending', 'its state when the time is over');
  t.strictSame(left(), nothing);
});

t.test('a request that ends before its task was first read gets the task, not that there is none', async (t) => {
  const { stored, endings, wait, left } = start();
  stored.set('pt_1', aTask('pt_1', 'pending'));
  const waiting = wait('pt_1');
  for (const end of endings) end();
  t.equal(await stateOf(waiting), 'pending');
  t.strictSame(left(), nothing);
});
