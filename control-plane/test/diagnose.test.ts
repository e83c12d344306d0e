import { until } from '@vantage/shared/_support/until.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { startLookups } from './_support/lookup-world.js';
import type { PeerAgent } from './_support/peer-agent.js';
import { createReport, endedReport, failure, flawless, joinReportNode, type Respond } from './_support/report-world.js';
import { SseReader } from './_support/sse-reader.js';
import { createUserApi, movingRounds, type TestApi } from './_support/stack.js';

const sections = ['http', 'ssl', 'dns', 'security_headers', 'ping', 'traceroute'];
const plans = { VANTAGE_PLANS: JSON.stringify({ free: { requests_per_minute: null, node_tests_per_day: 100 } }) };

const world = await startLookups(t, [movingRounds('reports'), movingRounds('reports')], plans);
const { db } = world.database;
const [controlPlane] = world.replicas;
const [api] = world.apis;
/** Responses of the nodes of this file; a test sets them. */
const says: Respond[] = [flawless, flawless, flawless];
const peers: PeerAgent[] = [];
for (const index of says.keys()) peers.push(await joinReportNode(t, world, (job) => says[index]?.(job) ?? null));
const [{ identity: firstNode } = { identity: { nodeId: '' } }] = peers;
const reportsOf = ({ userId }: TestApi) => db('diagnose_reports').where({ owner_id: userId });
/** Node tests of a user that are used today. */
const usedBy = async ({ userId }: TestApi) =>
  (
    await db('rate_windows')
      .where({ key: `node-tests:${userId}` })
      .pluck('used')
  )[0] ?? 0;

let users = 0;

/** A user whose reports see these nodes: all three, or the first alone. */
async function aUser(nodes: readonly [Respond] | readonly [Respond, Respond, Respond] = [flawless]) {
  const [first, second = first, third = first] = nodes;
  says.splice(0, says.length, first, second, third);
  const user = await createUserApi(controlPlane, `user${users++}@test.example`, 'user');
  // users of the command line have no limits
  await db('owners').where({ id: user.userId }).update({ plan: 'free' });
  return user;
}

t.test(
  'a report has every section from every node, its tasks are readable, and each node task costs one node test',
  async (t) => {
    const user = await aUser([flawless, flawless, flawless]);
    const other = { ...user, url: world.apis[1]?.url ?? '' };
    const begun = await createReport(user, { target: 'Example.com' });
    t.match(begun, {
      target: 'example.com',
      status: 'running',
      overall_score: null,
      shared: false,
      completed_at: null,
    });
    t.strictSame(Object.keys(begun.sections), sections);
    const stream = await SseReader.openPath(t, other, `/v1/diagnose/${begun.id}/events`);
    const ended = await endedReport(user, begun.id);
    t.match(ended, { status: 'completed', truncated: false, nodes: { length: 3 } });
    for (const name of sections) t.match(ended.sections[name], { status: 'completed', reason: null }, name);
    t.match(ended.sections.http, {
      score: 100,
      findings: [{ code: 'http_ok', message: /./, node_ids: { length: 3 } }],
    });
    t.equal(await stream.ended, true);
    t.strictSame(
      stream.events.map(({ event }) => event),
      [...sections.map(() => 'diagnose.section'), 'diagnose.done'],
    );
    t.strictSame(
      stream.events
        .map(({ id }) => id)
        .slice(0, 6)
        .sort(),
      [...sections].sort(),
    );
    t.strictSame(stream.events.at(-1)?.data, ended);
    const [, first] = stream.events;
    t.same(first?.data, { section: first?.id, ...ended.sections[first?.id ?? ''] }, 'an event has the whole section');
    for (const name of ['http', 'ssl', 'dns', 'ping', 'traceroute']) {
      const task = await user.call('GET', `/v1/probe/tasks/${ended.sections[name].task_id}`);
      t.match(task, { status: 200, body: { data: { probe_type: name, node_results: { length: 3 } } } }, name);
    }
    t.equal((await user.call('GET', '/v1/probe/tasks')).body.data.items.length, 5);
    t.equal(await usedBy(user), 17);
    const kinds = peers.flatMap(({ jobs }) => jobs.map(({ probeType }) => probeType));
    t.equal(kinds.filter((kind) => kind === 'zone_audit').length, 1);
    t.strictSame(
      (await user.call('GET', '/v1/diagnose')).body.data.items.map(({ id }: { id: string }) => id),
      [begun.id],
    );
    for (const locale of ['zh-CN', 'zh-TW']) {
      const { body } = await user.call('GET', `/v1/diagnose/${begun.id}`, { headers: { 'accept-language': locale } });
      t.match(body.data.sections.http.findings[0].message, /\p{Script=Han}/u, locale);
    }
  },
);

t.test('a refused request names its field, stores nothing and takes nothing', async (t) => {
  const user = await aUser();
  const ids = Array.from({ length: 50 }, () => newId(idPrefixes.node));
  const invalid: readonly [body: object, status: number, code: string, field: string][] = [
    [{}, 400, 'VALIDATION_FAILED', 'target'],
    [{ target: '' }, 400, 'VALIDATION_FAILED', 'target'],
    [{ target: 'a b' }, 400, 'VALIDATION_FAILED', 'target'],
    [{ target: 'x'.repeat(2049) }, 400, 'VALIDATION_FAILED', 'target'],
    [{ target: '93.184.215.14/24' }, 400, 'VALIDATION_FAILED', 'target'],
    [{ target: 'localhost' }, 422, 'PROBE_TARGET_INVALID', 'target'],
    [{ target: '10.0.0.1' }, 422, 'PROBE_TARGET_INVALID', 'target'],
    [{ target: 'http://10.0.0.1/' }, 422, 'PROBE_TARGET_INVALID', 'target'],
    [{ target: 'ftp://example.com/' }, 422, 'PROBE_TARGET_INVALID', 'target'],
    [{ target: 'https://example.com:25/' }, 422, 'PROBE_TARGET_INVALID', 'target'],
    [{ target: 'example.com', scope: [] }, 400, 'VALIDATION_FAILED', 'scope'],
    [{ target: 'example.com', scope: ['smtp'] }, 400, 'VALIDATION_FAILED', 'scope.0'],
    [{ target: 'example.com', scope: ['ping', 'ping'] }, 400, 'VALIDATION_FAILED', 'scope'],
    [{ target: 'example.com', shared: 'yes' }, 400, 'VALIDATION_FAILED', 'shared'],
    [{ target: 'example.com', colour: 'red' }, 400, 'VALIDATION_FAILED', 'colour'],
    [{ target: 'example.com', node_ids: ids.slice(0, 1), nodes: {} }, 400, 'VALIDATION_FAILED', 'node_ids'],
    [{ target: 'example.com', node_ids: ids }, 422, 'DIAGNOSE_REPORT_TOO_LONG', 'nodes'],
    [{ target: 'example.com', nodes: { limit: 50 } }, 422, 'DIAGNOSE_REPORT_TOO_LONG', 'nodes'],
    [{ target: 'example.com', nodes: { countries: ['FR'] } }, 422, 'VALIDATION_FAILED', 'nodes'],
  ];
  for (const [body, status, code, field] of invalid) {
    const answer = await user.call('POST', '/v1/diagnose', { body });
    t.match(answer, { status, body: { error: { code } } }, JSON.stringify(body).slice(0, 80));
    t.ok(Object.hasOwn(answer.body.error.details, field), `${field}: ${JSON.stringify(answer.body.error.details)}`);
  }
  const tooLong = await user.call('POST', '/v1/diagnose', { body: { target: 'example.com', nodes: { limit: 50 } } });
  t.match(tooLong.body.error.details.nodes, [{ code: 'range', message: /room for 11 nodes/ }]);
  const unknown = await user.call('POST', '/v1/diagnose', {
    body: { target: 'example.com', node_ids: ids.slice(0, 1) },
  });
  t.match(unknown, { status: 404, body: { error: { code: 'NODE_NOT_FOUND' } } });
  t.equal(await usedBy(user), 0);
  t.strictSame(await reportsOf(user), []);
  t.strictSame(await db('probe_tasks').where({ owner_id: user.userId }), []);
});

t.test('more node tests than are left are refused as a whole', async (t) => {
  const user = await aUser([flawless, flawless, flawless]);
  for (let round = 0; round < 5; round += 1) await createReport(user, { target: `${round}.example` });
  const answer = await user.call('POST', '/v1/diagnose', { body: { target: 'example.com' } });
  t.match(answer, { status: 429, body: { error: { code: 'QUOTA_EXCEEDED' } } });
  t.equal((await reportsOf(user)).length, 5);
});

t.test('a report in which only nodes failed has failed, without a score', async (t) => {
  const user = await aUser([() => failure('overload')]);
  const { id } = await createReport(user, { target: 'failed.example', scope: ['http', 'ping', 'security_headers'] });
  const report = await endedReport(user, id);
  t.match(report, { status: 'failed', overall_score: null });
  for (const name of ['http', 'ping', 'security_headers'])
    t.match(report.sections[name], { status: 'failed', reason: 'nodes_failed', score: null }, name);
});

t.test('what is not done at the deadline is left out, and what did not run is returned', async (t) => {
  const silent: Respond = (job) => (job.type === 'ping' ? flawless(job) : null);
  const user = await aUser([silent, silent, silent]);
  const { id } = await createReport(user, { target: 'deadline.example', scope: ['http', 'ping', 'security_headers'] });
  t.equal(await usedBy(user), 7);
  const sent = async () => Object.values((await reportsOf(user).first()).tasks).flat() as string[];
  await until('every task is sent', async () => (await sent()).length === 2);
  const tasks = await sent();
  const measured = () => db('probe_node_tasks').whereIn('task_id', tasks).where({ probe_type: 'ping', state: 'done' });
  await until('the pings', async () => (await measured()).length === 3);
  await reportsOf(user).update({ ends_at: new Date(0) });
  const report = await endedReport(user, id);
  t.match(report, {
    status: 'completed',
    sections: {
      http: { status: 'failed', reason: 'timeout' },
      ping: { status: 'completed' },
      security_headers: { status: 'failed', reason: 'timeout' },
    },
  });
  await until('the refund of the question that was not answered', async () => (await usedBy(user)) === 6);
  t.match(await reportsOf(user).first(), { receipt: null, due_at: null });
});

t.test('headers that are kept cost nothing, and plain http is asked where no node can connect', async (t) => {
  const plainOnly: Respond = (job) =>
    job.type === 'ssl' || job.spec.target.startsWith('https:') ? failure('tcp_refused') : flawless(job);
  const user = await aUser([plainOnly, plainOnly, plainOnly]);
  const node_ids = peers.slice(0, 2).map(({ identity }) => identity.nodeId);
  const body = { target: 'plain.example', node_ids, scope: ['http', 'ssl', 'security_headers'] };
  const first = await endedReport(user, (await createReport(user, body)).id);
  t.match(first.sections, {
    http: { status: 'completed', findings: [{ code: 'http_plain_only' }], task_ids: { length: 2 } },
    ssl: { status: 'completed', score: 0, findings: [{ code: 'ssl_unreachable' }] },
    security_headers: { status: 'completed', facts: { url: 'http://plain.example/' } },
  });
  t.equal(await usedBy(user), 5, 'the second attempt is part of the first');
  await endedReport(user, (await createReport(user, body)).id);
  await until('the refund of the kept headers', async () => (await usedBy(user)) === 9);
});

t.test('sections that a target cannot have are skipped', async (t) => {
  const closed: Respond = (job) => (job.type === 'ping' ? flawless(job) : failure('tcp_refused'));
  const user = await aUser([closed]);
  const ofAddress = await endedReport(
    user,
    (await createReport(user, { target: '93.184.215.14', node_ids: [firstNode.nodeId] })).id,
  );
  t.match(ofAddress.sections, {
    ssl: { status: 'skipped', reason: 'address_target' },
    dns: { status: 'skipped', reason: 'address_target' },
    ping: { status: 'completed' },
    security_headers: { status: 'skipped', reason: 'no_http_or_tls' },
  });
  t.ok(ofAddress.overall_score <= 20, 'no node got a response');
});

t.test('the second node audits the zone if the first fails', async (t) => {
  let audits = 0;
  const respond: Respond = (job) => {
    if (job.type !== 'zone_audit') return flawless(job);
    audits += 1;
    return audits === 1 ? failure('internal') : { domain: 'example.com', findings: [{ code: 'no_caa', facts: {} }] };
  };
  const user = await aUser([respond, respond, respond]);
  const report = await endedReport(user, (await createReport(user, { target: 'zone.example', scope: ['dns'] })).id);
  t.match(report.sections.dns.findings, [{ code: 'dns_ok' }, { code: 'no_caa', node_ids: { length: 1 } }]);
  t.match(report.sections.dns.facts.zone, { domain: 'example.com' });
  t.equal(audits, 2);
  t.equal(await usedBy(user), 4);
});

t.test('tasks wait for the budget of their target, and none is refused', async (t) => {
  const user = await aUser([flawless, flawless, flawless]);
  await db('owners').where({ id: user.userId }).update({ plan: 'unlimited' });
  for (let more = 0; more < 10; more += 1) await joinReportNode(t, world, flawless);
  const begun = await createReport(user, {
    target: 'budget.example',
    scope: ['ssl'],
    nodes: { limit: 13, spread: 'none' },
  });
  const report = await endedReport(user, begun.id);
  t.match(report.sections.ssl, {
    status: 'completed',
    task_ids: { length: 2 },
    findings: [{ node_ids: { length: 13 } }],
  });
  const lost = await db('probe_node_tasks').whereIn('task_id', report.sections.ssl.task_ids).where({ state: 'lost' });
  t.strictSame(lost, []);
});

t.test(
  'reports are those of their owner, of everyone without an owner, and of everyone with the link while shared',
  async (t) => {
    const user = await aUser();
    const body = { target: 'owned.example', node_ids: [firstNode.nodeId], scope: ['ping'] };
    const { id, url } = await endedReport(user, (await createReport(user, body)).id);
    const stranger = await createUserApi(controlPlane, 'stranger@test.example', 'user');
    const key = await user.call('POST', '/v1/account/api-keys', {
      body: { name: 'k', scopes: ['probe'], type: 'test' },
    });
    const tokens = [null, stranger.token, api.token, key.body.data.key];
    for (const as of tokens)
      for (const suffix of ['', '?wait=1', '/events'])
        t.match(await user.call('GET', `/v1/diagnose/${id}${suffix}`, { as }), { status: 404 }, `${suffix} ${as}`);
    for (const as of tokens.slice(1)) {
      t.match(await user.call('PATCH', `/v1/diagnose/${id}`, { as, body: { shared: true } }), { status: 404 });
      t.match(await user.call('DELETE', `/v1/diagnose/${id}`, { as }), { status: 404 });
    }
    t.equal((await fetch(url)).status, 404, 'not shared');
    t.match(await user.call('PATCH', `/v1/diagnose/${id}`, { body: { shared: true } }), {
      status: 200,
      body: { data: { id, shared: true } },
    });
    for (const form of ['', '.json', '.md']) {
      const page = await fetch(url + form);
      t.equal(page.status, 200, form);
      t.match(page.headers.get('x-robots-tag'), 'noindex');
      t.equal(page.headers.get('referrer-policy'), 'no-referrer');
    }
    t.match(await (await fetch(`${url}.json?lang=zh-CN`)).json(), {
      id,
      sections: { ping: { findings: [{ message: /\p{Script=Han}/u }] } },
    });
    await user.call('PATCH', `/v1/diagnose/${id}`, { body: { shared: false } });
    t.equal((await fetch(url)).status, 404);
    t.match(await user.call('DELETE', `/v1/diagnose/${id}`), { status: 200, body: { data: null } });
    t.match(await user.call('GET', `/v1/diagnose/${id}`), { status: 404 });
    const audited = (await user.call('GET', '/v1/account/audit')).body.data.items.map(
      ({ action }: { action: string }) => action,
    );
    t.strictSame(
      audited.filter((action: string) => action.startsWith('diagnose_report.')),
      ['diagnose_report.deleted', 'diagnose_report.unshared', 'diagnose_report.shared'],
    );

    const anonymous = await createReport(user, body, null);
    t.match(anonymous, { shared: true });
    for (const as of tokens.slice(0, 3))
      t.match(await user.call('GET', `/v1/diagnose/${anonymous.id}`, { as }), { status: 200 });
    t.match(await user.call('DELETE', `/v1/diagnose/${anonymous.id}`), { status: 404 });
    t.equal((await fetch(anonymous.url)).status, 200);
  },
);

t.test('a report that is too large is cut to 512 KiB, says so, and keeps its findings', async (t) => {
  const large: Respond = (job) =>
    job.type === 'http' && !job.isAboutHeaders
      ? { ...flawless(job), headers: { small: 'kept', large: 'y'.repeat(200_000) } }
      : flawless(job);
  const user = await aUser([large, large, large]);
  const { id } = await createReport(user, { target: 'large.example', scope: ['http', 'ping'], shared: true });
  const report = await endedReport(user, id);
  t.match(report, { truncated: true, overall_score: 100, sections: { http: { findings: [{ code: 'http_ok' }] } } });
  t.match(report.sections.http.facts.nodes[0].headers, { small: 'kept', large: undefined });
  const { rows } = await db.raw('SELECT octet_length(report::text) AS bytes FROM diagnose_reports WHERE id = ?', [id]);
  t.ok(rows[0].bytes <= 512 * 1024);
  t.match(await (await fetch(report.url)).text(), /Measurements were cut/);
});

t.test('the reports of an account are deleted with it', async (t) => {
  const user = await aUser();
  await endedReport(user, (await createReport(user, { target: 'deleted.example', scope: ['ping'] })).id);
  await controlPlane.services.accounts.users.delete(user.userId, commandLine);
  t.strictSame(await reportsOf(user), []);
});

t.test('a report that is deleted while it runs ends, and returns what did not run', async (t) => {
  const user = await aUser([() => null]);
  const body = { target: 'gone.example', node_ids: [firstNode.nodeId], scope: ['ping', 'security_headers'] };
  const { id } = await createReport(user, body);
  const stream = await SseReader.openPath(t, user, `/v1/diagnose/${id}/events`);
  await until('the task', async () => (await reportsOf(user).first()).tasks.ping !== undefined);
  await user.call('DELETE', `/v1/diagnose/${id}`);
  t.equal(await stream.ended, true);
  t.equal(await usedBy(user), 1, 'the ping has run');
});

t.test('a node that is lost in the middle leaves a partial report, which says what is missing', async (t) => {
  const lossy: Respond = (job) =>
    job.type === 'dns' ? flawless(job) : job.type === 'zone_audit' ? flawless(job) : null;
  const user = await aUser([flawless, flawless, lossy]);
  const lost = peers[2];
  const before = lost?.jobs.length ?? 0;
  const { id } = await createReport(user, { target: 'lost.example', shared: true });
  await until('the lost node works', () => (lost?.jobs.length ?? 0) > before + 4);
  lost?.cut();
  const report = await endedReport(user, id);
  const lostId = lost?.identity.nodeId ?? '';
  t.match(report, {
    status: 'completed',
    sections: { dns: { score: 100 }, http: { status: 'completed', score: 100 } },
  });
  t.ok(report.overall_score > 0);
  const { nodes } = report.sections.http.facts;
  t.match(
    nodes.find(({ node_id }: { node_id: string }) => node_id === lostId),
    { error: { code: 'node_lost' } },
  );
  t.notOk(report.sections.http.findings[0].node_ids.includes(lostId), 'a lost node says nothing about the target');
  const page = await fetch(report.url);
  t.equal(page.status, 200);
  t.match(await page.text(), 'node_lost');
});
