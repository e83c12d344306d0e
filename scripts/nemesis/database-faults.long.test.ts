import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missing } from '@vantage/shared/_support/missing.js';
import { delay, systemClock } from '@vantage/shared/clock.js';
import t, { type Test } from 'tap';
import { firstRowMs, refusesForNow, takeAllConnections } from './_support/database-faults.js';
import { startProvingGround } from './_support/proving-ground.js';
import { waitFor } from './world.js';

const skip = missing('permission to mount');
/** One for all of them: what a fault leaves behind is there for the next. */
const ground = await startProvingGround(t);

for (const [name, how] of [
  ['fast', 'fast'],
  ['immediately', 'immediate'],
  ['by kill -9 of all its processes', 'kill'],
] as const) {
  t.test(`a PostgreSQL restarted ${name} under load loses nothing that was acknowledged`, async (t) => {
    const { world, accepts, endWell } = ground;
    await accepts(10);
    await world.database.stop(how);
    await refusesForNow(t, world);
    await delay(systemClock, 2_000);
    await world.database.start();
    await firstRowMs(t, world, Date.now());
    await accepts(10);
    await endWell(t);
  });
}

t.test('a slow PostgreSQL slows everything and loses nothing', async (t) => {
  const { world, accepts, endWell } = ground;
  await accepts(5);
  for (const { line } of world.replicas) line.set({ latencyMs: 300, jitterMs: 200, bytesPerSecond: 32_000 });
  await delay(systemClock, 15_000);
  for (const { line } of world.replicas) line.heal();
  await accepts(10);
  await endWell(t);
});

t.test('tables locked by another session, one after another, delay work and lose nothing', async (t) => {
  const { world, accepts, endWell } = ground;
  const other = await world.database.connect();
  for (const table of ['probe_node_tasks', 'ingest_marks', 'nodes', 'probe_tasks', 'replicas']) {
    await accepts(3);
    await other.query('BEGIN');
    await other.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    await delay(systemClock, 6_000);
    await other.query('ROLLBACK');
  }
  await other.end();
  await accepts(10);
  await endWell(t);
});

t.test('while PostgreSQL is out of connections requests get 503, and nothing is lost', async (t) => {
  const { world, accepts, endWell } = ground;
  await accepts(10);
  const giveBack = await takeAllConnections(world);
  await refusesForNow(t, world);
  await delay(systemClock, 3_000);
  await giveBack();
  await firstRowMs(t, world, Date.now());
  await accepts(10);
  await endWell(t);
});

t.test('on a full disk nothing is acknowledged, and work continues when there is room', { skip }, async (t) => {
  const databaseDirectory = mountSmallDisk(t);
  const { world, accepts, endWell, clients } = await startProvingGround(t, { databaseDirectory });
  await accepts(10);
  const ballast = join(databaseDirectory, 'ballast');
  await fillDisk(ballast);
  const before = clients.counts.accepted;
  await waitFor('no request to be accepted for lack of space', 240_000, async () => {
    await fillDisk(ballast);
    const answer = await world.api.call(world.replicas[0]?.url ?? '', submission(world.agents[0]?.nodeId ?? ''));
    return answer?.status === 503 && answer.retryAfterSeconds !== null;
  });
  await delay(systemClock, 3_000);
  t.comment(`${clients.counts.accepted - before} requests were accepted until the last free page was used`);
  await rm(ballast);
  await firstRowMs(t, world, Date.now());
  await accepts(10);
  await endWell(t);
});

for (const [name, areLinksNew] of [
  ['on existing links', false],
  ['on new links', true],
] as const) {
  t.test(`rows that PostgreSQL lost in a failover are sent again, ${name}`, async (t) => {
    const { world, accepts, endWell, recorder, targets, clients } = ground;
    const { database, agents } = world;
    await accepts(10);
    // asked for before the copy, measured after it: these tasks are known to both
    const slow = Array.from({ length: 6 }, (_, index) => targets.urlOf(`slow${index}-${areLinksNew}`, 6_000));
    for (const [index, target] of slow.entries()) {
      const body = { target, node_ids: [agents[index % agents.length]?.nodeId], params: { timeout_ms: 20_000 } };
      const answer = await world.ask({ method: 'POST', path: '/v1/probe/http', body });
      t.equal(answer?.status, 202);
    }
    const since = Date.now();
    const older = await database.copy();
    const isDone = `SELECT count(*)::int AS done FROM probe_node_tasks t JOIN probe_tasks p ON p.id = t.task_id
      WHERE p.target LIKE '%slow_-${areLinksNew}%' AND t.state = 'done'`;
    await waitFor('the slow ones', 240_000, async () => (await database.query(isDone))[0]?.['done'] === slow.length);
    await accepts(5);
    // what is lost has to come back without new work that shows that it is
    clients.stopRequests();
    await database.failOver(older);
    recorder.record('database-rolled-back', { since });
    await database.start();
    if (areLinksNew) for (const line of agents.flatMap(({ lines }) => lines)) line.cut('rst');
    await waitFor(
      'the slow ones to be there again',
      240_000,
      async () => (await database.query(isDone))[0]?.['done'] === slow.length,
    );
    clients.start();
    await accepts(10);
    await endWell(t);
  });
}

/** A file system of its own for a database, large enough for one that has just begun; gone with the test. */
function mountSmallDisk(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'vantage-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m,mode=711', 'tmpfs', folder]);
  t.teardown(() => {
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true });
  });
  return join(folder, 'data');
}

/** Writes until nothing more fits. */
async function fillDisk(path: string): Promise<void> {
  const file = await open(path, 'a');
  try {
    for (const bytes of [1 << 20, 1 << 12]) {
      const chunk = Buffer.alloc(bytes, 1);
      while (
        await file.appendFile(chunk).then(
          () => true,
          () => false,
        )
      );
    }
  } finally {
    await file.close();
  }
}

function submission(nodeId: string) {
  const body = { target: '127.0.0.1:1', node_ids: [nodeId] };
  return { method: 'POST', path: '/v1/probe/tcp', body, timeoutMs: 40_000 } as const;
}
