import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import t from 'tap';
import { runInProcess } from './_support/command-in-process.js';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

t.test('a roll-out that is started over the API or by command upgrades connected nodes and ends', async (t) => {
  const { api, database } = await startStack(t, {}, systemClock);
  const identity = await enrollPeer(api);
  const peer = await PeerAgent.connect(t, api.url, identity);
  const env = { VANTAGE_DATABASE_URL: database.url, VANTAGE_DATA_DIR: temporaryDirectory(t) };
  const run = (line: string) => runInProcess('vantage-control', line.split(' '), { env });

  const started = await run('rollout start --to 0.2.0 --stages 50,100 --pause-s 0 --json');
  t.match(started, { code: 0, stderr: '' });
  const { id } = JSON.parse(started.stdout);
  const body = { version: '0.3.0' };
  t.match(await api.call('POST', '/v1/admin/rollouts', { body }), {
    status: 409,
    body: { error: { code: 'CONFLICT' } },
  });
  const { upgrade } = await peer.waitFor('the request', (frame) => frame.upgrade !== null);
  t.match(upgrade, { version: '0.2.0' });
  t.match(await run(`rollout show ${id}`), { code: 0, stdout: /1 running[^]*requested/ });
  peer.cut();
  await PeerAgent.connect(t, api.url, identity, { agentVersion: '0.2.0' });
  const shown = async () => (await api.call('GET', `/v1/admin/rollouts/${id}`)).body.data;
  await until('the roll-out to be done', async () => (await shown()).state === 'done');
  t.match(await shown(), { stage: 2, nodes: { total: 1, done: 1 }, ended_at: /Z$/ });
  t.match((await api.call('GET', `/v1/admin/rollouts/${id}/nodes?state=done`)).body, {
    data: { items: [{ node_id: identity.nodeId, state: 'done', error: null }] },
    meta: { pagination: { total: 1 } },
  });
  t.match(await run('rollout list'), { code: 0, stdout: new RegExp(`${id} +0\\.2\\.0 +done`) });

  const again = await api.call('POST', '/v1/admin/rollouts', { body: { version: '0.2.0' } });
  t.match(again, { status: 400, body: { error: { details: { selection: [{ code: 'not_found' }] } } } });
  const next = await api.call('POST', '/v1/admin/rollouts', { body: { ...body, stages: [10], max_failures: 1 } });
  t.match(next, { status: 201, body: { data: { state: 'running', selection: {}, stages: [10] } } });
  const path = `/v1/admin/rollouts/${next.body.data.id}`;
  t.match(await api.call('POST', `${path}/pause`), { status: 200, body: { data: { state: 'paused' } } });
  t.match(await api.call('POST', `${path}/resume`), { status: 200, body: { data: { state: 'running' } } });
  t.match(await run(`rollout abort ${next.body.data.id}`), { code: 0, stdout: / aborted, stage 1 of 1 \(10 %\)/ });
  t.match(await api.call('POST', `${path}/resume`), { status: 409 });
  t.equal((await api.call('GET', '/v1/admin/rollouts')).body.meta.pagination.total, 2);
});

t.test('stages that do not ascend, versions that are no versions and numbers out of range are refused', async (t) => {
  const { api } = await startStack(t);
  await enrollPeer(api);
  const bad: readonly object[] = [
    {},
    { version: 'latest' },
    { version: '--help' },
    { version: '1.0.0\n' },
    { version: '0.2.0', stages: [] },
    { version: '0.2.0', stages: [10, 10] },
    { version: '0.2.0', stages: [10, 1] },
    { version: '0.2.0', stages: [0] },
    { version: '0.2.0', stages: [101] },
    { version: '0.2.0', max_failures: 0 },
    { version: '0.2.0', pause_s: -1 },
    { version: '0.2.0', selection: { limit: 3 } },
    { version: '0.2.0', selection: { tags: ['no such tag'] } },
    { version: '0.2.0', selection: { countries: ['Germany'] } },
  ];
  for (const body of bad)
    t.equal((await api.call('POST', '/v1/admin/rollouts', { body })).status, 400, JSON.stringify(body));
  t.equal((await api.call('GET', '/v1/admin/rollouts/ro_1111111111111111111111')).status, 404);
  for (const line of ['--to latest', '--to 0.2.0 --stages 10,1', '--to 0.2.0 --max-failures 0', ''])
    t.equal(
      (await runInProcess('vantage-control', ['rollout', 'start', ...line.split(' ').filter(Boolean)], {})).code,
      2,
      line,
    );
});
