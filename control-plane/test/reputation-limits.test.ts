import t from 'tap';
import { checkerOf, list, startChecks } from './_support/reputation-checks.js';
import { createUserApi } from './_support/stack.js';

const world = await startChecks(t, {
  lists: [list(t, 'exits', 'tor_exit', ['8.8.8.8'])],
  settings: {
    VANTAGE_PLANS:
      '{"free": {"requests_per_minute": null, "reputation_per_month": 65}, "unlimited": {"requests_per_minute": null}, "anonymous": {"requests_per_minute": null}}',
  },
  replicas: 2,
});
const [first] = world.replicas;
const { check } = world;

/** Sets the clocks forward; timers do not run, which would be those of days. */
function jump(seconds: number): void {
  for (const clock of world.clocks) clock.setWall(clock.now() + seconds * 1_000);
}

/** Number of checks that are allowed, one from each of these addresses; without HTTP, of which hundreds take seconds. */
async function allowedOf(addresses: readonly string[]): Promise<number> {
  const { reputation } = first.services.lookups;
  let allowed = 0;
  for (const address of addresses) {
    const checking = { account: null, address, locale: 'en', signal: new AbortController().signal } as const;
    allowed += await reputation.check('8.8.8.8', checking).then(
      () => 1,
      () => 0,
    );
  }
  return allowed;
}

t.test(
  'an address without credentials has ten checks a minute and a hundred a day, its network three hundred',
  async (t) => {
    const allowed = (from: string, count: number) => allowedOf(Array(count).fill(from));
    t.equal((await check('8.8.8.8', { from: '198.41.0.4' })).status, 200);
    t.equal(await allowed('198.41.0.4', 11), 9);
    const refused = await check('8.8.8.8', { from: '198.41.0.4' });
    t.match(refused, { status: 429, body: { error: { code: 'RATE_LIMIT_EXCEEDED' } } });
    t.equal(refused.headers.get('x-ratelimit-limit'), '10');
    t.ok(Number(refused.headers.get('retry-after')) <= 60);
    t.equal((await check('no address', { from: '198.41.0.4' })).status, 429, 'before its question is read');
    t.equal((await check('no address', { from: '198.41.0.9' })).status, 400);
    t.equal(await allowed('198.41.0.5', 1), 1, 'another address');
    let day = 10;
    for (let minute = 0; minute < 10; minute += 1) {
      jump(60);
      day += await allowed('198.41.0.4', 11);
    }
    t.equal(day, 100);
    jump(60);
    const over = await check('8.8.8.8', { from: '198.41.0.4' });
    t.equal(over.headers.get('x-ratelimit-limit'), '100');
    // 101 were taken from the network: two further addresses get 199
    let others = 0;
    for (let minute = 0; minute < 11; minute += 1) {
      jump(60);
      for (const from of ['198.41.0.6', '198.41.0.7']) others += await allowed(from, 10);
    }
    t.equal(others, 199);
    t.match(await check('8.8.8.8', { from: '198.41.0.8' }), {
      status: 429,
      body: { error: { code: 'RATE_LIMIT_EXCEEDED' } },
    });
    t.equal((await check('8.8.8.8', { from: '198.41.1.4' })).status, 200, 'another network');
    jump(86_400);
    t.equal((await check('8.8.8.8', { from: '198.41.0.4' })).status, 200, 'another day');
  },
);

t.test('an IPv6 caller is its /64, and its network the /48', async (t) => {
  const allowed = (count: number, from: (n: number) => string) =>
    allowedOf(Array.from({ length: count }, (_, n) => from(n)));
  t.equal(await allowed(11, (n) => `2a00:5:6:7::${n + 1}`), 10, 'addresses of one /64');
  jump(60);
  t.equal(await allowed(295, (n) => `2a00:5:6:${(n + 100).toString(16)}::1`), 290, 'one /48');
  t.equal((await check('8.8.8.8', { from: '2a00:5:6:8::1' })).status, 429);
  t.equal((await check('8.8.8.8', { from: '2a00:5:7::1' })).status, 200, 'another /48');
});

t.test(
  'a key has sixty checks a minute, and the account those of its plan in a month, on all replicas together',
  async (t) => {
    const user = await createUserApi(first, 'user@test.example', 'user');
    await world.database.db('owners').where({ id: user.userId }).update({ plan: 'free' });
    const key = async (name: string) => {
      const { body } = await user.call('POST', '/v1/account/api-keys', { body: { name, scopes: ['read', 'write'] } });
      return body.data.key as string;
    };
    const [one, other] = [await key('one'), await key('other')];
    const [here, there] = world.apis.map(checkerOf);
    if (here === undefined || there === undefined) throw new Error('two replicas');
    let allowed = 0;
    for (let n = 0; n < 62; n += 1) {
      const { status } = await (n % 2 === 0 ? here : there)('8.8.8.8', { as: one });
      if (status === 200) allowed += 1;
    }
    t.equal(allowed, 60);
    t.match(await here('8.8.8.8', { as: one }), { status: 429, body: { error: { code: 'RATE_LIMIT_EXCEEDED' } } });
    for (let n = 0; n < 5; n += 1) t.equal((await there('8.8.8.8', { as: other })).status, 200);
    const over = await here('8.8.8.8', { as: other });
    t.match(over, {
      status: 429,
      body: { error: { code: 'QUOTA_EXCEEDED', details: { reputation_checks: [{ code: 'refused' }] } } },
    });
    t.equal(over.headers.get('x-ratelimit-limit'), '65');
    const now = new Date(world.clocks[0]?.now() ?? 0);
    const nextMonthMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
    t.equal(over.headers.get('x-ratelimit-reset'), new Date(nextMonthMs).toISOString());
    t.equal((await here('8.8.8.8')).status, 200, 'callers without credentials have their own');
    jump((nextMonthMs - now.getTime()) / 1_000);
    await world.refresh('exits');
    t.equal((await here('8.8.8.8', { as: one })).status, 200, 'another month');
  },
);
