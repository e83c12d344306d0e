import { copyFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { createUserApi, startStack, type TestApi } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

const testdata = (name: string) => fileURLToPath(new URL(`../../test/testdata/geo/${name}`, import.meta.url));
const LONDON = '81.2.69.142';
const SWEDEN = '89.160.20.112';
const berlin = { country: 'DE', province: 'DE-BE', city: 'Berlin', asn: 3320, provider: 'Telekom' };

// a control plane behind a proxy, which reads databases of places
const directory = temporaryDirectory(t);
const at = (name: string) => path.join(directory, name);
for (const file of ['city.mmdb', 'asn.mmdb']) copyFileSync(testdata(file), at(file));
const clock = new FakeClock(Date.now(), { rounds: [] });
const settings = { VANTAGE_GEOIP_DIR: directory, VANTAGE_TRUSTED_PROXIES: '127.0.0.1' };
const { api, controlPlane, database } = await startStack(t, settings, clock);
const user = await createUserApi(controlPlane, 'user@test.example', 'user');

const nodeOf = async (api: TestApi, id: string, as?: string | null) =>
  (await api.call('GET', `/v1/nodes/${id}`, as === undefined ? {} : { as })).body.data;
const listed = async (api: TestApi, query: string) =>
  (await api.call('GET', `/v1/nodes${query}`)).body.data.items.map(({ id }: { id: string }) => id);
t.afterEach(async () => {
  for (const id of await listed(api, '')) await api.call('DELETE', `/v1/account/nodes/${id}`);
});

t.test('a node is placed by its address, for everyone; administrators also see the place it declared', async (t) => {
  const peer = await enrollPeer(api, { declared: berlin });
  t.match(await nodeOf(api, peer.nodeId), {
    country: 'DE',
    location_source: 'declared',
    geo_mismatch: false,
    derived: null,
  });
  await PeerAgent.connect(t, api.url, peer, { forwardedFor: LONDON });
  const seen = await nodeOf(user, peer.nodeId);
  t.match(seen, {
    country: 'GB',
    province: 'GB-ENG',
    region: 'Northern Europe',
    city: 'London',
    lat: 51.5,
    lon: -0.1,
    asn: 20712,
    isp: 'Andrews & Arnold Ltd',
    location_source: 'derived',
  });
  for (const field of ['declared', 'derived', 'geo_mismatch']) t.notOk(field in seen, field);
  t.match(await nodeOf(api, peer.nodeId), {
    geo_mismatch: true,
    declared: { country: 'DE', province: 'DE-BE', city: 'Berlin', asn: 3320 },
    derived: { country: 'GB', asn: 20712 },
  });
  t.strictSame(await listed(api, '?country=GB&asn=20712'), [peer.nodeId]);
  t.strictSame(await listed(api, '?country=DE'), [], 'its declared place selects nothing');
});

t.test('a node is placed when it enrolls, by the address behind the proxy', async (t) => {
  const { nodeId } = await enrollPeer(api, { forwardedFor: SWEDEN });
  t.match(await nodeOf(api, nodeId), {
    country: 'SE',
    city: 'Linkoping',
    location_source: 'derived',
    geo_mismatch: false,
  });
});

t.test(
  'only administrators confirm a declared place, or withdraw that, and only if it contradicts the address',
  async (t) => {
    const peer = await enrollPeer(api, { declared: berlin, name: 'liar' });
    const honest = await enrollPeer(api, { declared: { country: 'SE' }, name: 'honest' });
    await PeerAgent.connect(t, api.url, peer, { forwardedFor: LONDON });
    await PeerAgent.connect(t, api.url, honest, { forwardedFor: SWEDEN });
    t.strictSame(await listed(api, '?geo_mismatch=true'), [peer.nodeId]);
    t.strictSame(await listed(api, '?geo_mismatch=false'), [honest.nodeId]);
    const { body } = await api.call('GET', '/v1/admin/nodes?geo_mismatch=true');
    t.match(body.data.items, [
      { id: peer.nodeId, geo_mismatch: true, declared: { country: 'DE' }, derived: { country: 'GB' } },
    ]);
    t.equal(body.data.items.length, 1);
    const own = (await api.call('GET', '/v1/account/nodes')).body.data.items[0];
    t.notOk('geo_mismatch' in own || 'derived' in own, 'an owner is not informed');
    t.equal((await listed(user, '?geo_mismatch=true')).length, 2, 'other accounts do not see it');
    const settle = (as: TestApi, id: string, location: string) =>
      as.call('PATCH', `/v1/admin/nodes/${id}`, { body: { location } });
    t.match(await settle(user, peer.nodeId, 'declared'), { status: 403 });
    t.match(await settle(api, honest.nodeId, 'declared'), {
      status: 409,
      body: { error: { code: 'NODE_STATE_CONFLICT' } },
    });
    t.match(await settle(api, 'n_1111111111111111111111', 'derived'), { status: 404 });
    t.match(await settle(api, peer.nodeId, 'declared'), {
      status: 200,
      body: { data: { country: 'DE', city: 'Berlin', location_source: 'confirmed', geo_mismatch: false } },
    });
    t.strictSame(await listed(user, '?country=DE'), [peer.nodeId]);
    await PeerAgent.connect(t, api.url, peer, { forwardedFor: SWEDEN });
    t.match(
      await nodeOf(api, peer.nodeId),
      { country: 'SE', location_source: 'derived', geo_mismatch: true },
      'it has moved',
    );
    t.match(await settle(api, peer.nodeId, 'declared'), { status: 200 });
    t.match((await settle(api, peer.nodeId, 'derived')).body.data, { country: 'SE', location_source: 'derived' });
    const audit = await database.db('audit_log').where({ subject: peer.nodeId }).orderBy('id').pluck('action');
    t.strictSame(audit.slice(-3), ['node.location_confirmed', 'node.location_confirmed', 'node.location_unconfirmed']);
  },
);

t.test('a deleted node has no location to settle: 404, and no entry in the audit log', async (t) => {
  const { nodeId } = await enrollPeer(api, { declared: berlin });
  t.match(await api.call('DELETE', `/v1/account/nodes/${nodeId}`), { status: 200 });
  const settled = await api.call('PATCH', `/v1/admin/nodes/${nodeId}`, { body: { location: 'derived' } });
  t.match(settled, { status: 404, body: { error: { code: 'NODE_NOT_FOUND' } } });
  const audit = await database.db('audit_log').where({ subject: nodeId }).orderBy('id').pluck('action');
  t.strictSame(audit, ['node.enrolled', 'node.deleted']);
});

t.test('a node that comes from a private address is placed where it declares', async (t) => {
  const peer = await enrollPeer(api, { declared: { country: 'FR' } });
  for (const [forwardedFor, country] of [
    [LONDON, 'GB'],
    ['10.1.2.3', 'FR'],
  ] as const) {
    await PeerAgent.connect(t, api.url, peer, { forwardedFor });
    t.match(await nodeOf(api, peer.nodeId), { country }, forwardedFor);
  }
});

/** A linked node at that address, which answers what the test says. */
async function linkedNode(t: Test, forwardedFor: string) {
  const peer = await enrollPeer(api);
  const agent = await PeerAgent.connect(t, api.url, peer, { forwardedFor, isAnswering: false });
  let answered = 0;
  const nextJob = async () => {
    const jobs = () => agent.frames.flatMap(({ job }) => (job ? [job] : []));
    await until('the job', () => jobs().length > answered);
    const job = jobs()[answered];
    answered += 1;
    if (!job) throw new Error('no job');
    return job;
  };
  /** Answers the next job with these members in its result. */
  const answer = async (members: object) => {
    const job = await nextJob();
    const blank = successOf(job.taskId, job.probeType, job.specJson);
    const result = { ...JSON.parse(Buffer.from(blank.resultJson ?? []).toString()), ...members };
    agent.sendResults([{ ...blank, resultJson: Buffer.from(JSON.stringify(result)) }]);
  };
  return { nodeId: peer.nodeId, answer };
}

/** Finished task of a probe that these nodes answer. */
async function probe(type: string, request: object, answers: readonly (() => Promise<void>)[]) {
  const { status, body } = await user.call('POST', `/v1/probe/${type}`, { body: request });
  if (status !== 202) throw new Error(JSON.stringify(body));
  await Promise.all(answers.map((answer) => answer()));
  const path = `/v1/probe/tasks/${body.data.task_id}`;
  await until('the task to end', async () => (await user.call('GET', path)).body.data.status === 'completed');
  return { path, data: (await user.call('GET', path)).body.data };
}

t.test('hops of a traceroute are placed by the control plane, whatever the node reports about them', async (t) => {
  const node = await linkedNode(t, LONDON);
  const reply = (ip: string | null) => ({ flow: 1, ip, rtt_ms: 1, icmp_type: 'time_exceeded', icmp_code: 0 });
  const hops = [
    { ttl: 1, replies: [reply('192.168.1.1')], asn: 666, country: 'XX' },
    { ttl: 2, replies: [reply('81.2.69.1')] },
  ];
  const request = { target: '81.2.69.142', params: {}, node_id: node.nodeId };
  const { data, path } = await probe('traceroute', request, [() => node.answer({ hops })]);
  t.strictSame(
    data.node_results[0].hops.map(({ asn, country }: { asn?: number; country?: string }) => [asn, country]),
    [
      [undefined, undefined],
      [20712, 'GB'],
    ],
  );
  t.match(data.node_results[0].node, { country: 'GB', city: 'London' });
  await api.call('PATCH', `/v1/account/nodes/${node.nodeId}`, { body: { visibility: 'private' } });
  t.match(
    (await user.call('GET', path)).body.data.node_results[0],
    { node_id: node.nodeId, node: { country: null, city: null, asn: null } },
    'a caller that may not see the node any more does not learn its place',
  );
});

t.test('addresses of one network are no pollution, those of two are', async (t) => {
  const nodes = [await linkedNode(t, LONDON), await linkedNode(t, SWEDEN)];
  const reported = (value: string) => ({
    rcode: 'NOERROR',
    records: [{ name: 'example.com', type: 'A', ttl: 60, value, class: 'IN' }],
  });
  const ask = async (...values: string[]) => {
    const request = { target: 'example.com', params: {}, node_ids: nodes.map(({ nodeId }) => nodeId) };
    const answers = nodes.map((node, index) => () => node.answer(reported(values[index] ?? '')));
    return (await probe('dns', request, answers)).data.pollution_detected;
  };
  t.equal(await ask('1.128.0.1', '1.129.0.1'), false);
  t.equal(await ask('1.128.0.1', '81.2.69.1'), true);
  t.equal(await ask('1.128.0.1', '5.83.0.1'), false, 'unknown networks accuse no node');
});

t.test('linked nodes move when a database of places changes, appears or disappears', async (t) => {
  const peer = await enrollPeer(api, { declared: { country: 'DE' } });
  await PeerAgent.connect(t, api.url, peer, { forwardedFor: LONDON });
  t.match(await nodeOf(api, peer.nodeId), { country: 'GB' });
  const moved = async (what: string, country: string) => {
    await until(what, async () => {
      clock.advance(1_000);
      return (await nodeOf(api, peer.nodeId)).country === country;
    });
  };
  copyFileSync(testdata('city-newer.mmdb'), at('new.tmp'));
  renameSync(at('new.tmp'), at('city.mmdb'));
  await moved('the new place', 'FR');
  rmSync(at('city.mmdb'));
  await moved('its declared place', 'DE');
});
