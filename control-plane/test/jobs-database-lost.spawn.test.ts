import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import { pino } from 'pino';
import t from 'tap';
import { Type } from 'typebox';
import { openDatabase } from '../src/db/database.js';
import { migrate } from '../src/db/migrate.js';
import { defineJob, type JobServices } from '../src/jobs/job.js';
import { Jobs } from '../src/jobs/jobs.js';
import { insertJob } from '../src/jobs/store.js';
import { collectLog } from './_support/log-lines.js';
import { startRestartablePostgres } from './_support/restartable-postgres.js';

t.test('jobs run whenever the database is available, and none that had succeeded runs again', async (t) => {
  const postgres = await startRestartablePostgres(t);
  const { url } = postgres;
  const db = openDatabase({ url, poolSize: 2, applicationName: 'vantage test' });
  t.teardown(() => db.destroy());
  await migrate(db, pino({ level: 'silent' }));
  const runs: string[] = [];
  let succeed = () => {};
  const type = defineJob({
    name: 'test.wait',
    payload: Type.String(),
    maxAttempts: 3,
    async run(name) {
      runs.push(name);
      if (name === 'during') await new Promise<void>((resolve) => void (succeed = resolve));
    },
  });
  const insert = (name: string) => insertJob(db, { type: 'test.wait', payload: name, maxAttempts: 3 });
  const isEmpty = async () => (await db.raw('SELECT FROM vantage_jobs.jobs')).rows.length === 0;

  await insert('before');
  await postgres.stop();
  const { log, lines } = collectLog();
  const services = {} as JobServices;
  const jobs = new Jobs({ url, db, replicaId: 'rep_1', types: [type], services, clock: systemClock, log });
  jobs.start();
  t.teardown(() => jobs.stop());
  await until('it to notice', () => lines.some(({ msg }) => msg === 'job worker reported a problem'));
  await postgres.start();
  await until('the jobs queued before it began', isEmpty);

  await postgres.stop();
  await postgres.start();
  await insert('idle');
  await until('a job after none ran during the outage', isEmpty);

  await insert('during');
  await until('a job to run', () => runs.includes('during'));
  await postgres.stop();
  succeed();
  await until('the worker to end', () => lines.some(({ msg }) => msg === 'job worker ended, restarting'));
  await postgres.start();
  await insert('after');
  await until('the queue to be empty', isEmpty);
  t.strictSame(runs, ['before', 'idle', 'during', 'after']);
});
