import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import type { Knex } from 'knex';
import t from 'tap';
import { Type } from 'typebox';
import { defineJob, type JobContext, PermanentFailure } from '../src/jobs/job.js';
import { insertJob, type JobRow, type NewJob, selectJobs } from '../src/jobs/store.js';
import { replicaStore } from '../src/replicas/store.js';
import { createTestDatabase } from './_support/database.js';
import { startJobReplica } from './_support/job-replica.js';
import { PUT_OFF_MS, putOffRetries } from './_support/put-off-retries.js';

const secret = 'hunter2';

/** A job type that does what `work` says, and the payloads it was run with. */
function echo(work: (said: string, context: JobContext) => Promise<void> = async () => {}, maxAttempts = 3) {
  const runs: string[] = [];
  const type = defineJob({
    name: 'test.echo',
    payload: Type.Object({ said: Type.String() }, { additionalProperties: false }),
    maxAttempts,
    async run({ said }, context) {
      runs.push(said);
      await work(said, context);
    },
  });
  return { type, runs };
}

const job = (said: string, more: Partial<NewJob> = {}): NewJob => ({
  type: 'test.echo',
  payload: { said },
  maxAttempts: 3,
  ...more,
});

async function jobsIn(db: Knex): Promise<JobRow[]> {
  const { rows } = await db.raw<{ rows: JobRow[] }>(`SELECT * FROM (${selectJobs}) AS job ORDER BY id::bigint`);
  return rows;
}

const isEmpty = (db: Knex) => async () => (await jobsIn(db)).length === 0;

/** Makes every waiting job due. */
async function passTime(db: Knex): Promise<void> {
  await db.raw(`SELECT vantage_jobs.reschedule_jobs(ARRAY(SELECT id FROM vantage_jobs.jobs), run_at => now())`);
  await db.raw(`SELECT pg_notify('jobs:insert', '{"count":1}')`);
}

t.test('a job runs when its transaction is committed, never when it is rolled back', async (t) => {
  const database = await createTestDatabase(t);
  const { db } = database;
  const { type, runs } = echo();
  await startJobReplica(t, { database, types: [type] });
  const failed = db.transaction(async (trx) => {
    await insertJob(trx, job('rolled back'));
    throw new Error('no');
  });
  await t.rejects(failed, /no/);
  await db.transaction(async (trx) => void (await insertJob(trx, job('committed'))));
  await until('the queue to be empty', isEmpty(db));
  t.strictSame(runs, ['committed']);
});

t.test('replicas share the work: each job runs once', async (t) => {
  const database = await createTestDatabase(t);
  const { db } = database;
  const [a, b] = [echo(), echo()];
  await startJobReplica(t, { database, types: [a.type] });
  await startJobReplica(t, { database, types: [b.type] });
  const names = Array.from({ length: 40 }, (_, n) => `job ${n}`);
  await db.transaction(async (trx) => {
    for (const name of names) await insertJob(trx, job(name));
  });
  await until('the queue to be empty', isEmpty(db));
  t.strictSame([...a.runs, ...b.runs].sort(), names.sort());
});

t.test('a job that fails waits longer each time, and is dead after its last attempt', async (t) => {
  const database = await createTestDatabase(t);
  const { db } = database;
  const { type, runs } = echo(async (_, { attempt }) => {
    throw new Error(`failure ${attempt}`);
  }, 2);
  await putOffRetries(db);
  const { log } = await startJobReplica(t, { database, types: [type] });
  await insertJob(db, job(secret, { maxAttempts: 2 }));
  await until('the first failure', async () => (await jobsIn(db))[0]?.state === 'waiting');
  const [waiting] = await jobsIn(db);
  t.match(waiting, { attempts: 1, last_error: 'failure 1' });
  const waitMs = (waiting?.run_at.getTime() ?? 0) - (waiting?.created_at.getTime() ?? 0);
  t.ok(waitMs - PUT_OFF_MS > 2_000, 'e seconds after the first attempt');
  await passTime(db);
  await until('its death', async () => (await jobsIn(db))[0]?.state === 'dead');
  t.match(await jobsIn(db), [{ attempts: 2, max_attempts: 2, last_error: 'failure 2' }]);
  await passTime(db);
  await insertJob(db, job('next'));
  await until('a later job', () => runs.includes('next'));
  t.strictSame(runs, [secret, secret, 'next'], 'a dead job is not taken again');
  const deaths = log.filter(({ msg }) => msg === 'job is dead');
  t.match(deaths, [
    { level: 'warn', type: 'test.echo', jobId: waiting?.id, attempt: 2, err: { message: 'failure 2' } },
  ]);
  t.notMatch(JSON.stringify(log), secret, 'no payload is logged');
});

t.test('a job with a permanent failure, or with an invalid payload, is dead at once', async (t) => {
  const database = await createTestDatabase(t);
  const { db } = database;
  const { type, runs } = echo(async () => {
    throw new PermanentFailure('never');
  });
  const { log } = await startJobReplica(t, { database, types: [type] });
  await insertJob(db, job('once'));
  await insertJob(db, { type: 'test.echo', payload: { said: 1, [secret]: secret }, maxAttempts: 3 });
  await until('both deaths', async () => (await jobsIn(db)).every(({ state }) => state === 'dead'));
  t.match(await jobsIn(db), [
    { last_error: 'never', attempts: 3 },
    { last_error: /^the payload of a "test.echo" job is wrong in .*"said"/, attempts: 3 },
  ]);
  t.strictSame(runs, ['once']);
  t.equal(log.filter(({ msg, level }) => msg === 'job is dead' && level === 'warn').length, 2);
});

t.test('a job for later waits, and one with the key of another replaces it', async (t) => {
  const database = await createTestDatabase(t);
  const { db } = database;
  const { type, runs } = echo();
  await insertJob(db, job('first', { key: 'k', runAt: new Date('2126-01-01T00:00:00Z') }));
  await insertJob(db, job('second', { key: 'k', runAt: new Date('2126-01-01T00:00:00Z') }));
  t.match(await jobsIn(db), [{ state: 'waiting', run_at: new Date('2126-01-01T00:00:00Z') }]);
  await startJobReplica(t, { database, types: [type] });
  await insertJob(db, job('now'));
  await until('the other job', () => runs.includes('now'));
  t.strictSame(runs, ['now']);
  await passTime(db);
  await until('the queue to be empty', isEmpty(db));
  t.strictSame(runs, ['now', 'second']);
});

/** A job that runs until the test releases it, or until it is aborted. */
function slow() {
  const gates: (() => void)[] = [];
  const made = echo(
    (_, { signal }) =>
      new Promise((resolve, reject) => {
        gates.push(resolve);
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  );
  return { ...made, gates };
}

t.test('a replica that stops lets its jobs end', async (t) => {
  const database = await createTestDatabase(t);
  const { db } = database;
  const { type, runs, gates } = slow();
  const { jobs } = await startJobReplica(t, { database, types: [type], clock: new FakeClock() });
  await insertJob(db, job('slow'));
  await until('the job to run', () => gates.length === 1);
  const stopped = jobs.stop();
  for (const open of gates) open();
  await stopped;
  t.strictSame(await jobsIn(db), []);
  await insertJob(db, job('too late'));
  t.match(await jobsIn(db), [{ state: 'ready' }]);
  t.strictSame(runs, ['slow']);
});

t.test(
  'a job that does not end in time moves to another replica at once, and the attempt does not count',
  async (t) => {
    const database = await createTestDatabase(t);
    const { db } = database;
    const clock = new FakeClock();
    const { type, gates } = slow();
    const { jobs, log } = await startJobReplica(t, { database, types: [type], clock });
    await insertJob(db, job('slow'));
    await until('the job to run', () => gates.length === 1);
    const other = echo();
    await startJobReplica(t, { database, types: [other.type] });
    const stopped = jobs.stop();
    await until('the delay to be waited for', () => clock.pendingTimers > 0);
    t.match(await jobsIn(db), [{ state: 'running' }]);
    clock.advance(5_000);
    await until('the other replica to run it', () => other.runs.length === 1);
    await stopped;
    await until('the queue to be empty', isEmpty(db));
    t.match(log, [{ msg: 'unfinished jobs released', jobs: 1 }]);
  },
);

t.test('a job that ignores its abort holds nothing up, and its outcome is ignored', async (t) => {
  const database = await createTestDatabase(t);
  const { db } = database;
  const clock = new FakeClock();
  let end = () => {};
  const { type, runs } = echo(() => new Promise((resolve) => void (end = resolve)));
  const { jobs, log } = await startJobReplica(t, { database, types: [type], clock });
  await insertJob(db, job('deaf'));
  await until('the job to run', () => runs.length === 1);
  let isStopped = false;
  const stopped = jobs.stop().then(() => void (isStopped = true));
  await until('the stop', () => {
    clock.advance(1_000);
    return isStopped;
  });
  await stopped;
  t.match(await jobsIn(db), [{ state: 'ready', attempts: 0 }]);
  end();
  const other = echo();
  await startJobReplica(t, { database, types: [other.type] });
  await until('the queue to be empty', isEmpty(db));
  t.strictSame(other.runs, ['deaf']);
  t.strictSame(
    log.filter(({ msg }) => msg !== 'job done').map(({ msg }) => msg),
    ['unfinished jobs released'],
  );
});

t.test('jobs of a dead replica are run by another, those of a live one are not', async (t) => {
  const database = await createTestDatabase(t);
  const { db } = database;
  const clock = new FakeClock();
  await replicaStore(db).upsert({ id: 'rep_living', url: null, isDraining: false, allowTargets: [] });
  await db.transaction(async (trx) => {
    for (const said of ['of the living', 'of the dead', 'of one that is perhaps dead']) await insertJob(trx, job(said));
    await trx.raw(
      `UPDATE vantage_jobs._private_jobs SET attempts = 1, locked_by = held.by,
         locked_at = now() - held.seconds * interval '1 second'
       FROM (VALUES ('of the living', 'rep_living', 60), ('of the dead', 'rep_1', 31),
         ('of one that is perhaps dead', 'rep_2', 5)) AS held(said, by, seconds)
       WHERE payload->>'said' = held.said`,
    );
  });
  const { type, runs } = echo();
  const { log } = await startJobReplica(t, { database, types: [type], clock });
  clock.advance(15_000);
  await until('the dead one’s job', async () => (await jobsIn(db)).length === 2);
  t.strictSame(runs, ['of the dead']);
  const { rows } = await db.raw('SELECT locked_by FROM vantage_jobs.jobs ORDER BY id');
  t.strictSame(rows, [{ locked_by: 'rep_living' }, { locked_by: 'rep_2' }]);
  t.ok(log.some(({ msg }) => msg === 'jobs of a dead replica released'));
});
