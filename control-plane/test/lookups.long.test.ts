import t from 'tap';
import { answerJob, joinNode, startLookups } from './_support/lookup-world.js';
import { patientClock } from './_support/patient-clock.js';

t.test('a thousand callers of two replicas and one cold key make one task of one node', async (t) => {
  const world = await startLookups(t, [patientClock, patientClock]);
  const node = await joinNode(t, world);
  const callers = Array.from({ length: 1_000 }, (_, index) =>
    (world.apis[index % 2] ?? world.apis[0]).call('GET', '/v1/info/ssl?q=example.com', { as: null }),
  );
  await answerJob(node, 1, { grade: 'A' });
  const answers = await Promise.all(callers);
  t.ok(answers.every(({ status, body }) => status === 200 && body.data.grade === 'A'));
  t.equal((await world.database.db('probe_tasks').where({ is_internal: true })).length, 1);
  t.equal(node.jobs.length, 1);
});
