import t, { type Test } from 'tap';
import { createTestDatabase } from './_support/database.js';
import { checkNothingLate, checkNothingLost, checkRows, install } from './_support/killed-server.js';
import { finishedTask, submit } from './_support/probes.js';
import { startServer } from './_support/real-server.js';
import { type Moment, StatementTap } from './_support/statement-tap.js';

/**
 * Kills the control plane when the statement that stores a result is about to run, or has just committed. @returns the
 * number of results stored at that moment
 */
async function killAtCommit(t: Test, moment: Moment) {
  const { url, db } = await createTestDatabase(t);
  const tap = await StatementTap.start(t, url);
  const installation = await install(t, { VANTAGE_DATABASE_URL: tap.url });
  const { api, target, environment, agent } = installation;
  const caught = tap.catchNext('ingest-store', moment);
  const { taskId } = await submit(api, 'http', { target: target.url('/after/50') });
  await caught;
  await installation.server.program.kill();
  const stored = await db('probe_node_tasks').where({ state: 'done', task_id: taskId });
  await agent.waitForStatus({ isConnected: false, rows: 1 });
  installation.server = await startServer(t, environment);
  t.match(await finishedTask(api, taskId), { status: 'completed' });
  await agent.waitForStatus({ isConnected: true, rows: 0 });
  await checkNothingLost(installation, [taskId]);
  await checkNothingLate(installation);
  await checkRows(installation, url);
  return stored.length;
}

t.test('a control plane killed before it has committed a result stores it afterwards, once', async (t) => {
  t.equal(await killAtCommit(t, 'before'), 0);
});

t.test('a control plane killed between commit and acknowledgement does not store the result again', async (t) => {
  t.equal(await killAtCommit(t, 'after'), 1);
});
