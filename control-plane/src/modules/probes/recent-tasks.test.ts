import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t from 'tap';
import type { StoredResult } from '../../ingest/index.js';
import { RecentTasks } from './recent-tasks.js';
import type { NewTask } from './store.js';

const spec = { target: '127.0.0.1:80', params: { count: 1 } };

function aTask(nodeIds: readonly string[] = ['n_1']): NewTask & { readonly ids: readonly string[] } {
  const ids = nodeIds.map(() => newId(idPrefixes.probeTask));
  return {
    id: newId(idPrefixes.probeTask),
    ownerId: 'u_1',
    isTest: true,
    probeType: 'tcp',
    target: spec.target,
    spec,
    specJson: JSON.stringify(spec),
    deadlineMs: 30_000,
    createdAt: new Date(1_700_000_000_000),
    expiresInMs: 60_000,
    targetKeys: null,
    nodeTasks: nodeIds.map((nodeId, index) => ({ id: ids[index] ?? '', nodeId, refusedCode: null })),
    ids,
  };
}

function aResult(task: NewTask, nodeTask: number, parts: Partial<StoredResult> = {}, banner = ''): StoredResult {
  const result = { success: true, error: null, banner };
  const row = {
    writer: null,
    sequence: 1,
    taskId: task.nodeTasks[nodeTask]?.id ?? '',
    probeType: 'tcp',
    result,
    resultJson: JSON.stringify(result),
    isSuccess: true,
    outcome: 'success',
  };
  return { row, requestId: task.id, isLate: false, finishedAt: '2023-11-14T22:13:21.5+00:00', ...parts };
}

t.test('a task is as it was stored, and changes with each result stored here', async (t) => {
  const recent = new RecentTasks(new FakeClock());
  const task = aTask(['n_1', 'n_2']);
  const waiting = { state: 'pending', result: null, success: null, lost_code: null, finished_at: null, late: false };
  const [first, second] = [
    { id: task.ids[0], node_id: 'n_1' },
    { id: task.ids[1], node_id: 'n_2' },
  ];
  recent.add(task);
  const before = recent.find(task.id);
  t.strictSame(before, {
    id: task.id,
    owner_id: 'u_1',
    is_internal: false,
    unfit_nodes: null,
    is_test: true,
    shared: false,
    shared_body: false,
    probe_type: 'tcp',
    target: spec.target,
    spec,
    created_at: task.createdAt,
    node_tasks: [
      { ...first, ...waiting },
      { ...second, ...waiting },
    ],
  });
  const stored = aResult(task, 1, { isLate: true });
  recent.finish([stored, aResult(aTask(), 0)]);
  t.strictSame(recent.find(task.id)?.node_tasks, [
    { ...first, ...waiting },
    {
      ...second,
      state: 'done',
      result: stored.row.result,
      success: true,
      lost_code: null,
      finished_at: stored.finishedAt,
      late: true,
    },
  ]);
  t.equal(before?.node_tasks[1]?.state, 'pending', 'who read it before keeps what was read');
  t.equal(recent.find(task.ids[0] ?? ''), null, 'a node task is the database’s to find');
});

t.test('what is forgotten stays forgotten, whatever result comes after', async (t) => {
  const recent = new RecentTasks(new FakeClock());
  const task = aTask();
  recent.add(task);
  recent.forget([task.id, 'pt_unknown']);
  recent.finish([aResult(task, 0)]);
  t.equal(recent.find(task.id), null);
});

t.test('after ten seconds only the database is asked', async (t) => {
  const clock = new FakeClock();
  const recent = new RecentTasks(clock);
  const [old, young] = [aTask(), aTask()];
  recent.add(old);
  clock.advance(5_000);
  recent.add(young);
  clock.advance(4_999);
  t.ok(recent.find(old.id));
  clock.advance(1);
  t.equal(recent.find(old.id), null);
  t.ok(recent.find(young.id));
});

t.test('it holds 32 MB at most: the oldest go first, and one that is larger by itself is not kept', async (t) => {
  const recent = new RecentTasks(new FakeClock());
  const tasks = Array.from({ length: 40 }, () => aTask());
  for (const task of tasks) {
    recent.add(task);
    recent.finish([aResult(task, 0, {}, 'x'.repeat(1024 * 1024))]);
  }
  const kept = tasks.map(({ id }) => recent.find(id) !== null);
  const count = kept.filter(Boolean).length;
  t.ok(count > 26 && count < 32, `${count} MB`);
  t.equal(kept.lastIndexOf(false), 40 - count - 1, 'the youngest are kept');

  const huge = aTask();
  recent.add(huge);
  recent.finish([aResult(huge, 0, {}, 'x'.repeat(33 * 1024 * 1024))]);
  t.equal(recent.find(huge.id), null);
  const next = aTask();
  recent.add(next);
  t.ok(recent.find(next.id), 'and it takes no room afterwards');
});
