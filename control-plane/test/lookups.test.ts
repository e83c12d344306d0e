import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { answerJob, joinNode, type LookupWorld, startLookups } from './_support/lookup-world.js';
import { patientClock } from './_support/patient-clock.js';
import { createUserApi, type TestApi } from './_support/stack.js';

const world = await startLookups(t, [patientClock, patientClock]);
const [one, other] = world.apis as [TestApi, TestApi];
const node = await joinNode(t, world);
// few, so that none are taken ahead
const fewTests = { VANTAGE_PLANS: '{"anonymous": {"requests_per_minute": null, "node_tests_per_day": 2}}' };
// time stands still, so that what is left of a fresh time is exact
const metered = await startLookups(t, [new FakeClock(Date.now())], {
  ...fewTests,
  VANTAGE_TRUSTED_PROXIES: '127.0.0.1',
});

const path = '/v1/info/ssl?q=example.com';
const graded = { grade: 'A', domain: 'example.com', valid: true, port: 443 };
let answered = 0;
/** Answers the next job of the node. */
const answer = (fields: object = graded) => answerJob(node, ++answered, fields);

const ask = (api: TestApi, query = path, as: string | null = null, headers = {}) =>
  api.call('GET', query, { as, headers });
/** Question about a name that no other test asks about. */
const about = (name: string) => `/v1/info/ssl?q=${name}.example.com`;
const tasksIn = ({ database }: LookupWorld) => database.db('probe_tasks').where({ is_internal: true });
const claimsIn = ({ database }: LookupWorld) => database.db('lookup_claims');
const openWaiting = (api: TestApi, query: string) => {
  const leaving = new AbortController();
  const answer = fetch(new URL(query, api.url), { signal: leaving.signal }).then(
    ({ status }) => status,
    () => null,
  );
  return { answer, leave: () => leaving.abort() };
};

t.test(
  'a lookup is asked once of a node, kept for every replica and caller, and no caller sees its task',
  async (t) => {
    const first = ask(one);
    await answer();
    t.match(await first, {
      status: 200,
      body: {
        data: { grade: 'A', domain: 'example.com', unicode_domain: 'example.com', valid: true, error: null },
        meta: { cache: { hit: false, age_sec: 0 } },
      },
    });
    // what is left of 15 minutes
    t.match((await first).headers.get('cache-control'), /^private, max-age=(?:900|8\d\d)$/);
    for (const api of [one, other]) {
      for (const query of [path, '/v1/info/ssl?q=EXAMPLE.com.&port=443', '/v1/info/ssl?q=%20example.com%20']) {
        t.match(
          await ask(api, query),
          { status: 200, body: { data: { grade: 'A' }, meta: { cache: { hit: true } } } },
          query,
        );
      }
    }
    t.equal(node.jobs.length, 1);
    t.match(node.jobs, [{ probeType: 'ssl', caller: '' }]);
    const [task] = await tasksIn(world);
    t.same((await ask(one, '/v1/probe/tasks', one.token)).body.data.items, []);
    for (const as of [null, one.token]) {
      for (const suffix of ['', '?wait=1', '/events']) {
        t.match(await ask(one, `/v1/probe/tasks/${task.id}${suffix}`, as), { status: 404 }, `not readable: ${suffix}`);
      }
    }
  },
);

t.test('a hundred callers of two replicas and one cold key make one task of one node', async (t) => {
  const tasksBefore = (await tasksIn(world)).length;
  const callers = Array.from({ length: 100 }, (_, index) => ask(index % 2 === 0 ? one : other, about('cold')));
  await answer();
  const answers = await Promise.all(callers);
  t.ok(answers.every(({ status, body }) => status === 200 && body.data.grade === 'A'));
  t.equal((await tasksIn(world)).length, tasksBefore + 1);
  t.equal(node.jobs.length, answered);
});

t.test('a caller who leaves ends neither the question nor the wait of the others', async (t) => {
  const leaver = openWaiting(one, about('left'));
  await until('the job', () => node.jobs.length === answered + 1);
  const waiter = ask(one, about('left'));
  leaver.leave();
  t.equal(await leaver.answer, null);
  await answer();
  t.match(await waiter, { status: 200, body: { data: { grade: 'A' } } });
  t.equal(node.jobs.length, answered);
});

t.test('the lease of a replica that died is taken over', async (t) => {
  const lease = { key: 'ssl/1 leased.example.com port=443', holder: 'rep_dead' };
  await claimsIn(world).insert({ ...lease, lease_until: new Date(Date.now() + 3_600_000) });
  const waiting = ask(one, about('leased'));
  t.equal(node.jobs.length, answered, 'another replica asks');
  await claimsIn(world)
    .where({ holder: 'rep_dead' })
    .update({ lease_until: new Date(0) });
  await answer();
  t.match(await waiting, { status: 200, body: { data: { grade: 'A' } } });
  t.same(await claimsIn(world), []);
});

t.test('nodes without the tag are not asked while a node of an administrator has it', async (t) => {
  const tagged = await joinNode(t, world, { tags: ['lookup'] });
  for (const name of ['a', 'b', 'c', 'd']) {
    const waiting = ask(one, about(name));
    await answerJob(tagged, tagged.jobs.length + 1, graded);
    t.equal((await waiting).status, 200);
  }
  t.equal(node.jobs.length, answered);
});

t.test('without a node a lookup is 503 with details.nodes, and a node of a stranger is none', async (t) => {
  const stranger = await createUserApi(metered.replicas[0], 'stranger@test.example', 'user');
  const theirs = await joinNode(t, { ...metered, apis: [stranger] }, { tags: ['lookup'] });
  const answer = await ask(metered.apis[0]);
  t.match(answer, {
    status: 503,
    body: {
      error: { code: 'UNAVAILABLE', details: { nodes: [{ code: 'not_found', message: /VANTAGE_LOOKUP_NODES/ }] } },
    },
  });
  t.ok(answer.headers.get('retry-after'));
  t.equal(theirs.jobs.length, 0);
});

t.test('a failed handshake is an answer with a reason, kept for a minute', async (t) => {
  const node = await joinNode(t, metered);
  const waiting = ask(metered.apis[0], about('refused'), metered.apis[0].token);
  const error = { code: 'tcp_refused', message: 'connection refused' };
  await answerJob(node, 1, { success: false, error, valid: null });
  const kept = await waiting;
  t.match(kept, { status: 200, body: { data: { valid: false, grade: null, error } } });
  t.equal(kept.headers.get('cache-control'), 'private, max-age=60');
});

t.test('a target whose budget is used up is not asked about, and the question is refunded', async (t) => {
  const node = await joinNode(t, metered);
  const { db } = metered.database;
  const askAs = (query?: string) => ask(metered.apis[0], query, null, { 'x-forwarded-for': '198.41.0.4' });
  const first = askAs('/v1/info/ssl?q=example.net');
  await answerJob(node, 1, graded);
  t.equal((await first).status, 200);
  const paid = await db('rate_windows').where({ key: 'node-tests:198.41.0.4' }).pluck('used');
  t.strictSame(paid.map(Number), [1]);
  await db('target_buckets').update({ tokens: 0, updated_at: db.raw("now() + interval '1 minute'") });
  const refused = await askAs('/v1/info/ssl?q=www.example.net');
  t.match(refused, {
    status: 429,
    body: { error: { code: 'RATE_LIMIT_EXCEEDED', details: { q: [{ message: /./ }] } } },
  });
  t.ok(Number(refused.headers.get('retry-after')) > 0);
  t.equal((await askAs('/v1/info/ssl?q=example.net')).status, 200, 'a kept answer needs no budget');
  t.equal(node.jobs.length, 1);
  t.same(await db('rate_windows').where({ key: 'node-tests:198.41.0.4' }).pluck('used'), paid);
  t.same(await claimsIn(metered), []);
});

t.test(
  'a question of a caller costs a node test, a hit and a wait cost none, and a failure of ours is refunded',
  async (t) => {
    const world = await startLookups(t, [new FakeClock(Date.now())], fewTests);
    const node = await joinNode(t, world);
    const askAs = (query?: string) => ask(world.apis[0], query);
    const overload = { success: false, error: { code: 'overload', message: 'busy' } };
    const failing = askAs('/v1/info/ssl?q=failing.example.com');
    await answerJob(node, 1, overload);
    t.equal((await failing).status, 503, 'refunded');
    const both = [askAs(), askAs()];
    await answerJob(node, 2, graded);
    for (const one of both) t.equal((await one).status, 200);
    t.equal((await askAs()).status, 200);
    const second = askAs('/v1/info/ssl?q=second.example.com');
    await answerJob(node, 3, graded);
    t.equal((await second).status, 200);
    t.match(await askAs('/v1/info/ssl?q=third.example.com'), {
      status: 429,
      body: { error: { code: 'QUOTA_EXCEEDED' } },
    });
    t.equal((await askAs()).status, 200, 'a hit costs none');
    t.equal(node.jobs.length, 3);
    t.same(await claimsIn(world), []);
  },
);

t.test('the second node is asked when the first is lost, and no third one', async (t) => {
  const world = await startLookups(t, [patientClock]);
  const nodes = [await joinNode(t, world), await joinNode(t, world), await joinNode(t, world)];
  const overload = { success: false, error: { code: 'overload', message: 'busy' } };
  const waiting = ask(world.apis[0]);
  await until('a job', () => nodes.some(({ jobs }) => jobs.length === 1));
  const first = nodes.find(({ jobs }) => jobs.length === 1);
  first?.cut();
  const others = nodes.filter((node) => node !== first);
  await until('the second node is asked', () => others.some(({ jobs }) => jobs.length === 1));
  const second = others.find(({ jobs }) => jobs.length === 1);
  if (second !== undefined) await answerJob(second, 1, overload);
  const refused = await waiting;
  t.match(refused, {
    status: 503,
    body: { error: { code: 'UNAVAILABLE', details: { nodes: [{ code: 'not_found' }] } } },
  });
  t.equal(
    nodes.reduce((sum, { jobs }) => sum + jobs.length, 0),
    2,
  );
  t.same(await claimsIn(world), [], 'nor is the failure of nodes kept');
});

const q = (text: string) => `/v1/info/ssl?q=${encodeURIComponent(text)}`;
const long = `${'a'.repeat(60)}.`.repeat(4);
const malformed = [
  '',
  ' ',
  'https://example.com',
  'example.com:443',
  '1.2.3.4/24',
  '[::1]',
  '1.1.1.1',
  '2606:4700::1111',
  'a..b',
  'exa mple.com',
  'example.com\n.',
  'a\0.com',
  'xn--a.com',
  `${long}${'b'.repeat(10)}`,
  'x'.repeat(10_000),
  'é'.repeat(254),
];
const refused = [
  'localhost',
  'a.localhost',
  'x.internal',
  'x.onion',
  'router',
  '127.1',
  '0x7f.1',
  '１.example.com',
  '-o.com',
  '-',
];
t.test('what is no domain is 400, what may not be asked about is 422, both name q', async (t) => {
  for (const text of malformed) {
    t.match(
      await ask(one, q(text)),
      { status: 400, body: { error: { code: 'VALIDATION_FAILED', details: { q: [{}] } } } },
      JSON.stringify(text.slice(0, 40)),
    );
  }
  for (const text of refused) {
    t.match(
      await ask(one, q(text)),
      { status: 422, body: { error: { code: 'PROBE_TARGET_INVALID', details: { q: [{ code: 'refused' }] } } } },
      text,
    );
  }
  t.match(await ask(one, '/v1/info/ssl?q=example.com&port=22'), {
    status: 422,
    body: { error: { code: 'PROBE_TARGET_INVALID', details: { port: [{ code: 'refused' }] } } },
  });
  for (const query of ['', '?q=a.com&q=b.com', '?q=example.com&port=0', '?q=example.com&max_age_s=604801']) {
    t.match(
      await ask(one, `/v1/info/ssl${query}`),
      { status: 400, body: { error: { code: 'VALIDATION_FAILED' } } },
      query,
    );
  }
});
