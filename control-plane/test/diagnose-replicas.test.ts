import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { reportSpec } from '../src/modules/diagnose/probe-spec.js';
import { noteTask } from '../src/modules/diagnose/report-store.js';
import { startLookups } from './_support/lookup-world.js';
import { createReport, endedReport, flawless, joinReportNode, type Respond } from './_support/report-world.js';
import { SseReader } from './_support/sse-reader.js';
import { movingRounds, type TestApi } from './_support/stack.js';

const world = await startLookups(t, [movingRounds('reports'), movingRounds('reports')]);
const [api, other] = world.apis as [TestApi, TestApi];
const { db } = world.database;

t.test('a report whose replica died before it created any task is taken over, with all of its tasks', async (t) => {
  const { nodeId } = (await joinReportNode(t, world, flawless)).identity;
  const asked = { target: 'died.example', scope: ['ping'], node_ids: [nodeId] };
  const ended = await endedReport(api, (await createReport(api, asked)).id);
  // as its creation left it, on a replica that is gone
  const fresh = { status: 'running', tasks: '{}', report: null, completed_at: null, overall_score: null };
  const times = { due_at: db.raw('now()'), ends_at: db.raw(`now() + interval '1 minute'`) };
  await db('diagnose_reports')
    .where({ id: ended.id })
    .update({ ...fresh, ...times });
  const again = await endedReport(api, ended.id);
  t.match(again, { status: 'completed', overall_score: 100 });
  t.not(again.sections.ping.task_id, ended.sections.ping.task_id);
});

t.test('two replicas that take the same step of a report at once create one task', async (t) => {
  const node = await joinReportNode(t, world, () => null);
  const { nodeId } = node.identity;
  const target = 'twice.example';
  const { id } = await createReport(api, { target, scope: ['security_headers'], node_ids: [nodeId] });
  const asked = { type: 'ping', spec: reportSpec('ping', target), nodeIds: [nodeId], ownerId: null } as const;
  const created = await Promise.all(
    world.replicas.map(({ services }) =>
      services.probes.submit({ ...asked, isTest: false }, (trx, taskId) =>
        noteTask(trx, { id, kind: 'ping', portion: 0, taskId }),
      ),
    ),
  );
  const [taskId, ...others] = created.filter((one) => one !== null);
  t.strictSame(others, []);
  t.match(await db('diagnose_reports').where({ id }).first(), { tasks: { ping: [taskId] } });
  t.equal((await db('probe_tasks').where({ probe_type: 'ping', target })).length, 1);
});

t.test('a report that one replica created is finished by another one when the first stops', async (t) => {
  const [first] = world.replicas;
  const held = { isReleased: false };
  // headers and pings wait until the first replica has stopped
  const respond: Respond = (job) => (held.isReleased || job.type === 'dns' ? flawless(job) : null);
  const node_ids: string[] = [];
  for (const _ of [1, 2, 3]) node_ids.push((await joinReportNode(t, world, respond, { api: other })).identity.nodeId);
  const { id } = await createReport(api, { target: 'stopped.example', node_ids });
  const stream = await SseReader.openPath(t, other, `/v1/diagnose/${id}/events`);
  const poll = endedReport(other, id);
  const row = () => db('diagnose_reports').where({ id }).first();
  await until('every task is stored', async () => Object.keys((await row()).tasks).length === 6);
  t.match((await other.call('GET', `/v1/diagnose/${id}`)).body.data, {
    status: 'running',
    overall_score: null,
    sections: { dns: { status: 'running' } },
  });
  await first?.stop();
  held.isReleased = true;
  const report = await poll;
  t.match(report, { status: 'completed', sections: { security_headers: { status: 'completed' } } });
  t.equal(await stream.ended, true);
  t.equal(stream.events.at(-1)?.event, 'diagnose.done');
  t.strictSame(stream.events.at(-1)?.data, report);
  const tasks = await db('probe_tasks').where({ is_internal: false }).whereILike('target', '%stopped.example%');
  t.equal(tasks.length, 5, 'no task was created twice');
  t.match(await row(), { due_at: null, status: 'completed' });
});
