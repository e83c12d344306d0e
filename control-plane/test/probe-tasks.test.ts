import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import type { Clock } from '@vantage/shared/clock.js';
import t, { type Test } from 'tap';
import { ApiClient } from '../src/client/api-client.js';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { apiOf, createUserApi, startReplica, startStack, type TestApi } from './_support/stack.js';
import { within } from './_support/within.js';

async function linked(
  t: Test,
  options: { isAnswering: boolean; isBeating?: boolean } = { isAnswering: true },
  clock?: Clock,
) {
  const stack = await startStack(t, {}, clock);
  const peer = await PeerAgent.connect(t, stack.api.url, await enrollPeer(stack.api), options);
  return { ...stack, peer };
}

const shared = await linked(t);
const { controlPlane, database } = shared;
let callers = 0;
const aCaller = () => createUserApi(controlPlane, `caller${callers++}@test.example`, 'admin');

async function probe(api: TestApi, as: string | null = api.token, target = '127.0.0.1:80') {
  const { status, body } = await api.call('POST', '/v1/probe/tcp', { body: { target }, as });
  if (status !== 202) throw new Error(JSON.stringify(body));
  return body.data as { task_id: string; task_ids: [string, ...string[]] };
}

t.test('a task of an account is private to it, one made without credentials is readable by its id', async (t) => {
  const [api, other] = [await aCaller(), await aCaller()];
  const mine = await probe(api);
  const anybodys = await probe(api, null);
  const status = async (id: string, as: string | null, suffix = '') => {
    const answer = await fetch(
      new URL(`/v1/probe/tasks/${id}${suffix}`, api.url),
      as === null ? {} : { headers: { authorization: `Bearer ${as}` } },
    );
    await answer.body?.cancel();
    return answer.status;
  };
  for (const id of [mine.task_id, mine.task_ids[0]]) {
    for (const suffix of ['', '?wait=1', '/events']) {
      t.equal(await status(id, api.token, suffix), 200);
      for (const as of [other.token, null]) t.equal(await status(id, as, suffix), 404, `another account’s ${suffix}`);
    }
  }
  for (const as of [api.token, other.token, null]) t.equal(await status(anybodys.task_id, as), 200);
  // the third has more than 128 bits
  const absent = ['pt_1111111111111111111111', 'nonsense', 'pt_zzzzzzzzzzzzzzzzzzzzzz', 'n_1111111111111111111111'];
  for (const id of absent) {
    for (const suffix of ['', '?wait=1', '/events']) t.equal(await status(id, null, suffix), 404, `${id}${suffix}`);
    t.equal((await fetch(new URL(`/p/${id}`, api.url))).status, 404, `page of ${id}`);
  }
});

t.test(
  'a task that its account shares is readable by its id, without the response body unless that is shared too',
  async (t) => {
    const { api, controlPlane, peer } = await linked(t, { isAnswering: false });
    const other = await createUserApi(controlPlane, 'reader@test.example', 'user');
    const params = { headers: { 'X-Key': 'k3y' }, keywords: ['secret'] };
    const body = { target: 'http://127.0.0.1/', params, shared: true };
    const created = (await api.call('POST', '/v1/probe/http', { body })).body.data;
    await until('the job', () => peer.jobs.length === 1);
    const success = successOf(created.task_ids[0], 'http');
    const found = { keyword: 'secret', count: 1, count_any_case: 1, error: null };
    const result = { ...JSON.parse(String(success.resultJson)), body: 'a secret', keywords: [found] };
    peer.sendResults([{ ...success, resultJson: Buffer.from(JSON.stringify(result)) }]);
    const path = `/v1/probe/tasks/${created.task_id}`;
    const read = async (as: string | null) =>
      (await api.call('GET', `${path}?wait=20`, { as })).body.data?.node_results[0];
    const pageStatus = async () => (await fetch(created.page)).status;
    t.equal((await read(api.token)).body, 'a secret', 'the owner has all of it');
    for (const as of [null, other.token]) t.notHas(await read(as), ['body', 'keywords']);
    t.equal(await pageStatus(), 200);
    t.notMatch(await (await fetch(created.page)).text(), 'k3y');

    const change = (body: object, as = api.token) => api.call('PATCH', path, { body, as });
    t.match((await change({ shared_body: true })).body.data, { shared: true, shared_body: true, page: created.page });
    t.equal((await read(null)).body, 'a secret');
    t.match((await change({ shared: false })).body.data, { shared: false, page: null, url: created.url });
    t.equal(await read(null), undefined);
    t.equal(await pageStatus(), 404);
    t.equal((await change({ shared: true }, other.token)).body.error.code, 'PROBE_JOB_NOT_FOUND');
    t.equal((await change({})).status, 400);
    const { items } = (await api.call('GET', '/v1/account/audit')).body.data;
    t.match(
      items.filter(({ subject }: { subject: string }) => subject === created.task_id),
      [{ action: 'probe_task.unshared' }],
    );
  },
);

t.test('a task is private again on every replica, whichever of them was asked', async (t) => {
  // on a clock that stands still, the replica that created the task keeps it in its cache
  const { api, database } = await linked(t, undefined, new FakeClock(Date.now()));
  const { listenUrl } = await startReplica(t, database.url);
  const body = { target: '127.0.0.1:80', shared: true };
  const { task_id: id } = (await api.call('POST', '/v1/probe/tcp', { body })).body.data;
  const path = `/v1/probe/tasks/${id}`;
  const statuses = () =>
    Promise.all(
      [path, `/p/${id}`].flatMap((to) =>
        [api.url, listenUrl].map(async (replica) => (await fetch(new URL(to, replica))).status),
      ),
    );
  t.strictSame(await statuses(), [200, 200, 200, 200]);
  const replica = apiOf(listenUrl, api.token, api.userId);
  t.match(await replica.call('PATCH', path, { body: { shared: false } }), { status: 200 });
  await until('both replicas to refuse it', async () => (await statuses()).every((status) => status === 404));
});

t.test('the response to a probe has the address of its task, and of its page where anyone may read it', async (t) => {
  const api = await aCaller();
  for (const as of [api.token, null]) {
    const { status, headers, body } = await api.call('POST', '/v1/probe/tcp', { body: { target: '127.0.0.1:80' }, as });
    const { task_id, url, page } = body.data;
    t.equal(status, 202);
    t.equal(headers.get('location'), url);
    t.equal(new URL(url).pathname, `/v1/probe/tasks/${task_id}`);
    t.equal(page, as === null ? url.replace('/v1/probe/tasks/', '/p/') : null);
  }
});

t.test('a probe of a type that does not exist is 404 with the types there are', async (t) => {
  const { api } = shared;
  const { status, body } = await api.call('POST', '/v1/probe/pnig', { body: { target: 'example.com' } });
  t.equal(status, 404);
  t.match(body.error.details.type, [{ message: /^no such type of probe, did you mean "ping"\? known: http, .*ssl/ }]);
});

t.test('a node can distinguish the accounts behind its jobs, but cannot recognize them on another node', async (t) => {
  // the node is not given up however long it is away
  const clock = new FakeClock(Date.now());
  const { api, controlPlane, peer } = await linked(t, { isAnswering: false }, clock);
  const elsewhere = await PeerAgent.connect(t, api.url, await enrollPeer(api, { name: 'elsewhere' }));
  const other = await createUserApi(controlPlane, 'other@test.example', 'user');
  const callerOf = async (at: PeerAgent, as: string | null = api.token) => {
    const body = { target: '127.0.0.1:80', node_id: at.identity.nodeId };
    const [id] = (await api.call('POST', '/v1/probe/tcp', { body, as })).body.data.task_ids;
    return (await at.waitFor('the job', ({ job }) => job?.taskId === id)).job?.caller;
  };
  const mine = await callerOf(peer);
  t.match(mine, /^[\w-]{16}$/);
  t.equal(await callerOf(peer), mine, 'one account has one name');
  t.not(await callerOf(peer, other.token), mine, 'two have two');
  t.not(await callerOf(elsewhere), mine, 'and another on every node');
  t.equal(await callerOf(peer, null), '', 'no account, no name');
  const before = peer.jobs;
  peer.cut();
  const back = await PeerAgent.connect(t, api.url, peer.identity, { isAnswering: false, epoch: peer.epoch });
  await until('the jobs arrive again', () => {
    // the next look for jobs that were not sent
    clock.advance(20);
    return back.jobs.length === before.length;
  });
  const names = (jobs: typeof before) => jobs.map(({ taskId, caller }) => `${taskId} ${caller}`).sort();
  t.strictSame(names(back.jobs), names(before), 'read from the database they have the same names');
});

t.test('a test key sees tasks that test keys created, and nothing else', async (t) => {
  const api = await aCaller();
  const key = async (type: 'test' | 'production'): Promise<string> => {
    const { body } = await api.call('POST', '/v1/account/api-keys', { body: { name: type, type } });
    return body.data.key;
  };
  const make = async (as: string | null): Promise<string> => {
    const { body } = await api.call('POST', '/v1/probe/tcp', {
      body: { target: '127.0.0.1:80', nodes: { limit: 1 } },
      as,
    });
    return body.data.task_id;
  };
  const [testKey, otherTestKey, liveKey] = [await key('test'), await key('test'), await key('production')];
  const [tested, live, anybodys] = [await make(testKey), await make(liveKey), await make(null)];

  await t.test('a task shows whether a test key created it', async (t) => {
    for (const [id, isTest] of [
      [tested, true],
      [live, false],
      [anybodys, false],
    ] as const) {
      for (const wait of ['', '?wait=10', '']) {
        const { body } = await api.call('GET', `/v1/probe/tasks/${id}${wait}`);
        t.equal(body.data.is_test, isTest);
      }
    }
  });

  await t.test('reading, waiting and streaming', async (t) => {
    const statusOf = async (id: string, as: string, suffix: string) => {
      const response = await fetch(new URL(`/v1/probe/tasks/${id}${suffix}`, api.url), {
        headers: { authorization: `Bearer ${as}` },
      });
      const text = await response.text();
      return response.status === 404 ? JSON.parse(text).error.code : response.status;
    };
    for (const suffix of ['', '?wait=1', '/events']) {
      for (const id of [live, anybodys]) t.equal(await statusOf(id, testKey, suffix), 'PROBE_JOB_NOT_FOUND', suffix);
      for (const as of [testKey, otherTestKey, liveKey]) t.equal(await statusOf(tested, as, suffix), 200, suffix);
    }
  });

  await t.test('it shares none', async (t) => {
    const body = { target: '127.0.0.1:80', shared: true };
    const created = await api.call('POST', '/v1/probe/tcp', { body, as: testKey });
    const changed = await api.call('PATCH', `/v1/probe/tasks/${tested}`, { body: { shared: true }, as: testKey });
    t.strictSame([created.status, changed.status], [403, 403]);
  });

  await t.test('listing', async (t) => {
    const list = async (as: string): Promise<unknown[]> => {
      const { body } = await api.call('GET', '/v1/probe/tasks', { as });
      return [body.meta.pagination.total, ...body.data.items.map((task: { task_id: string }) => task.task_id)];
    };
    t.strictSame(await list(otherTestKey), [1, tested]);
    t.strictSame(await list(liveKey), [2, live, tested]);
  });
});

t.test('a caller’s tasks are listed newest first, in pages, without those of others', async (t) => {
  const [api, other] = [await aCaller(), await aCaller()];
  await probe(api, null);
  const ids = [];
  for (let index = 0; index < 3; index += 1) ids.unshift((await probe(api)).task_id);
  const list = async (query: string, as = api) => (await as.call('GET', `/v1/probe/tasks${query}`)).body;
  const isEnded = ({ status }: { status: string }) => status === 'completed';
  await until('all to end', async () => (await list('')).data.items.every(isEnded));
  const all = await list('');
  t.strictSame(
    all.data.items.map(({ task_id }: { task_id: string }) => task_id),
    ids,
  );
  t.match(all.meta.pagination, { page: 1, page_size: 20, total: 3, has_more: false });
  t.match((await list('?limit=2&page=2')).data.items, [{ task_id: ids[2], probe_type: 'tcp', node_results: [{}] }]);
  t.match((await list('?page=7')).meta.pagination, { total: 3, has_more: false });
  t.match((await list('', other)).data.items, []);
});

t.test('a task keeps the nodes that were selected and could not run it, and says so wherever it is read', async (t) => {
  const { api } = await linked(t);
  const declared = { country: 'FR', city: 'Paris' };
  const plain = await enrollPeer(api, { declared, capabilities: [] });
  await PeerAgent.connect(t, api.url, plain, { capabilities: [] });
  await until(
    'both nodes',
    async () => (await api.call('GET', '/v1/nodes?status=online')).body.data.items.length === 2,
  );
  const unfit = [{ node_id: plain.nodeId, lacks: 'icmp_echo' }];
  // the second target has a budget: another statement stores it
  for (const target of ['127.0.0.1', 'example.com']) {
    const { data } = (await api.call('POST', '/v1/probe/ping', { body: { target } })).body;
    const read = (path: string) => api.call('GET', `/v1/probe/tasks/${path}`).then(({ body }) => body.data);
    t.strictSame(data.unfit_nodes, unfit, target);
    t.strictSame((await read(`${data.task_id}?wait=20`)).unfit_nodes, unfit, 'a finished task');
    t.notHas(await read(data.task_ids[0]), 'unfit_nodes', 'the task of one node');
    const [listed] = (await api.call('GET', '/v1/probe/tasks')).body.data.items;
    t.match(listed, { task_id: data.task_id, unfit_nodes: unfit }, 'as the database has it');
  }
  const able = (await api.call('POST', '/v1/probe/tcp', { body: { target: '127.0.0.1:80' } })).body.data;
  t.notHas((await api.call('GET', `/v1/probe/tasks/${able.task_id}`)).body.data, 'unfit_nodes', 'both can');

  const { data } = (await api.call('POST', '/v1/probe/ping', { body: { target: '127.0.0.1' }, as: null })).body;
  const page = async (language: string) => (await fetch(`${api.url}/p/${data.task_id}?lang=${language}`)).text();
  t.match(await page('en'), 'Could not take part, without ICMP: Paris, FR');
  t.match(await page('zh-CN'), '以下节点缺少 ICMP ，未能参与：Paris, FR');
});

t.test('a stream sends each result as it arrives, then the whole task, then ends', async (t) => {
  const { api, peer } = await linked(t, { isAnswering: false });
  const second = await PeerAgent.connect(t, api.url, await enrollPeer(api), { isAnswering: false });
  const task = await probe(api);
  const events = new ApiClient({ url: api.url, token: api.token }).events(`/v1/probe/tasks/${task.task_id}/events`);
  const next = async () => (await within('the next event', events.next())).value;
  const [first, last] = [peer, second];
  for (const from of [first, last]) {
    await until('the job', () => from.jobs.length === 1);
    const id = from.jobs[0]?.taskId ?? '';
    const waiting = next();
    from.sendResults([successOf(id, 'tcp')]);
    t.match(await waiting, { event: 'probe.result', id, data: { node_id: from.identity.nodeId, success: true } });
  }
  t.match(await next(), {
    event: 'probe.done',
    id: task.task_id,
    data: { status: 'completed', node_results: [{}, {}] },
  });
  t.equal(await next(), undefined, 'the end');
  const again = [];
  const replay = new ApiClient({ url: api.url, token: api.token }).events(`/v1/probe/tasks/${task.task_id}/events`);
  for await (const { event } of replay) again.push(event);
  t.strictSame(again, ['probe.result', 'probe.result', 'probe.done'], 'a finished task is sent at once');
});

t.test('a long poll whose time is over returns the current task, even if no wake-up came', async (t) => {
  const clock = new FakeClock(Date.now());
  const { api, controlPlane, database } = await startStack(t, {}, clock);
  await PeerAgent.connect(t, api.url, await enrollPeer(api), { isAnswering: false });
  const task = await probe(api);
  const timers = clock.pendingTimers;
  const viewer = { ownerId: api.userId, isAdmin: true, isTest: false };
  const waiting = controlPlane.services.probes.waitFor(task.task_id, viewer, 1, () => () => {});
  await until('the poll to wait', () => clock.pendingTimers === timers + 1);
  await database.db('probe_node_tasks').update({ state: 'lost', lost_code: 'timeout', finished_at: new Date() });
  clock.advance(1_000);
  t.equal((await within('the response', waiting)).status, 'failed');
});

t.test('a request with an unusable node selection is refused as documented, and stores nothing', async (t) => {
  const { nodeId } = shared.peer.identity;
  const api = await aCaller();
  const away = await enrollPeer(api);
  const refusal = async (body: object, type = 'tcp') => {
    const {
      status,
      headers,
      body: answer,
    } = await api.call('POST', `/v1/probe/${type}`, { body: { target: '127.0.0.1:80', ...body } });
    return [
      status,
      answer.error.code,
      ...Object.keys(answer.error.details ?? {}),
      ...(headers.has('retry-after') ? ['later'] : []),
    ];
  };
  t.strictSame(await refusal({ node_id: nodeId, nodes: {} }), [400, 'VALIDATION_FAILED', 'node_id', 'nodes']);
  t.strictSame(await refusal({ node_id: 'n_1111111111111111111111' }), [404, 'NODE_NOT_FOUND']);
  t.strictSame(await refusal({ node_ids: [nodeId, away.nodeId] }), [503, 'NODE_OFFLINE', 'later']);
  t.strictSame(await refusal({ nodes: { countries: ['FR'] } }), [422, 'VALIDATION_FAILED', 'nodes']);
  t.strictSame(await refusal({ nodes: { limit: 51 } }), [400, 'VALIDATION_FAILED', 'nodes.limit']);
  t.strictSame(await refusal({ nodes: { planets: ['Mars'] } }), [400, 'VALIDATION_FAILED', 'nodes.planets']);
  t.strictSame(await refusal({ target: '10.0.0.1:80' }), [422, 'PROBE_TARGET_INVALID', 'target']);
  t.equal((await database.db('probe_tasks').where({ owner_id: api.userId }).count('* as n'))[0]?.['n'], 0);
});
