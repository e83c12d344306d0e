import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t, { type Test } from 'tap';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { createUserApi, startStack } from './_support/stack.js';

const QUOTA = 'node-tests';
const plans = {
  anonymous: { requests_per_minute: null, node_tests_per_day: 4 },
  free: { node_tests_per_day: 3 },
  pro: { node_tests_per_day: 0 },
  business: { node_tests_per_day: 5 },
};

async function threeNodes(t: Test) {
  const clock = new FakeClock(Date.now());
  const stack = await startStack(t, { VANTAGE_PLANS: JSON.stringify(plans) }, clock);
  for (let index = 0; index < 3; index += 1) {
    await PeerAgent.connect(t, stack.api.url, await enrollPeer(stack.api, { name: `peer ${index}` }));
  }
  const { db } = stack.database;
  const probe = async (
    nodes: number,
    { as = null, target = '127.0.0.1:80' }: { as?: string | null; target?: string } = {},
  ) => {
    const body = { target, nodes: { limit: nodes } };
    const { status, headers, body: answer } = await stack.api.call('POST', '/v1/probe/tcp', { body, as });
    const header = (name: string) => headers.get(name);
    return {
      short: `${status} ${answer.error?.code ?? answer.data.task_ids.length}`,
      left: `${header('x-ratelimit-remaining')}/${header('x-ratelimit-limit')}`,
      reset: header('x-ratelimit-reset'),
      retryAfter: Number(header('retry-after')),
      details: answer.error?.details,
    };
  };
  const userOn = async (plan: string) => {
    const user = await createUserApi(stack.controlPlane, `${plan}@test.example`, 'user');
    await db('owners').where({ id: user.userId }).update({ plan });
    return user;
  };
  const usedBy = async (caller: string) =>
    (
      await db('rate_windows')
        .where({ key: `${QUOTA}:${caller}` })
        .pluck('used')
    )[0] ?? 0;
  const tasks = async () => (await db('probe_tasks').count('* as n'))[0]?.['n'];
  return { ...stack, clock, db, probe, userOn, usedBy, tasks };
}

t.test('the quota of node tests', async (t) => {
  const { clock, db, probe, userOn, usedBy, tasks } = await threeNodes(t);

  await t.test(
    'every chosen node counts; a request that does not fit is refused as a whole and takes nothing',
    async (t) => {
      t.equal((await probe(3)).short, '202 3');
      const before = await tasks();
      const refused = await probe(3);
      t.match(refused, { short: '429 QUOTA_EXCEEDED', left: '1/4' });
      t.match(refused.details, {
        node_tests: [{ code: 'refused', message: /^3 are needed, and 1 of 4 are left today; an account has 3$/ }],
      });
      const midnight = Math.ceil(clock.now() / 86_400_000) * 86_400_000;
      t.equal(refused.reset, new Date(midnight).toISOString());
      t.equal(refused.retryAfter, Math.ceil((midnight - clock.now()) / 1_000));
      t.equal(await tasks(), before, 'nothing is stored');
      t.equal((await probe(1)).short, '202 1', 'the last one');
      t.match(await probe(1), { short: '429 QUOTA_EXCEEDED', left: '0/4' });
      clock.setWall(midnight - 1);
      t.match(await probe(1), { short: '429 QUOTA_EXCEEDED', retryAfter: 1 });
      clock.setWall(midnight);
      t.equal((await probe(3)).short, '202 3', 'a new day');
    },
  );

  await t.test('an account has the quota of its plan; unlimited ones are not counted', async (t) => {
    const free = await userOn('free');
    t.equal((await probe(3, { as: free.token })).short, '202 3', 'all of it at once');
    t.match(await probe(1, { as: free.token }), { short: '429 QUOTA_EXCEEDED', left: '0/3' });
    const pro = await userOn('pro');
    t.match(await probe(1, { as: pro.token }), { short: '429 QUOTA_EXCEEDED', left: '0/0' }, 'a plan without any');
    const unlimited = await userOn('unlimited');
    t.match(await probe(3, { as: unlimited.token }), { short: '202 3', left: 'null/null' });
    t.equal(await usedBy(unlimited.userId), 0);
  });

  await t.test('a request that is refused or fails costs nothing', async (t) => {
    const before = await usedBy('127.0.0.1');
    t.equal(before, 3);
    t.equal((await probe(1, { target: '10.0.0.1:80' })).short, '422 PROBE_TARGET_INVALID');
    await db('target_buckets').insert({
      key: 'domain:example.com',
      tokens: 0,
      updated_at: new Date(Date.now() + 60_000),
    });
    const limited = await probe(1, { target: 'example.com:80' });
    t.match(limited, { short: '429 RATE_LIMIT_EXCEEDED', left: '0/10' }, 'the budget of the target is used up');
    t.match(limited.reset, /:\d\d\.000Z$/);
    t.equal(limited.retryAfter, Math.ceil((Date.parse(limited.reset ?? '') - clock.now()) / 1_000));
    t.equal(await usedBy('127.0.0.1'), before);
    await db.raw(`ALTER TABLE probe_tasks ADD CHECK (target <> '127.0.0.1:81') NOT VALID`);
    t.equal((await probe(1, { target: '127.0.0.1:81' })).short, '500 INTERNAL_ERROR');
    t.equal(await usedBy('127.0.0.1'), before);
    t.equal((await probe(1)).short, '202 1', 'the rest of the quota is unchanged');
  });

  await t.test('simultaneous requests never get more together than the quota', async (t) => {
    const { token, userId } = await userOn('business');
    const answers = await Promise.all(Array.from({ length: 10 }, () => probe(2, { as: token })));
    t.equal(answers.filter(({ short }) => short === '202 2').length, 2);
    t.equal(await usedBy(userId), 4);
  });
});
