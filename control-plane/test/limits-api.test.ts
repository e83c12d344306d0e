import t, { type Test } from 'tap';
import type { PlanName } from '../src/plans.js';
import { createTestDatabase } from './_support/database.js';
import { FakeClock } from './_support/fake-clock.js';
import { aHeartbeat, ping } from './_support/heartbeats.js';
import { createUserApi, startReplica } from './_support/stack.js';

const settings = {
  // tests say by X-Forwarded-For who they are
  VANTAGE_TRUSTED_PROXIES: '127.0.0.0/8',
  VANTAGE_PLANS: '{"anonymous": {"requests_per_minute": 5}, "free": {"requests_per_minute": 4}}',
};
const OPEN = '/v1/nodes';
const OWN = '/v1/probe/tasks';
const WAITING = '/v1/probe/tasks/pt_1111111111111111111111?wait=1';

interface Ask {
  readonly from?: string;
  readonly token?: string;
  readonly method?: string;
  /** Of the two replicas. */
  readonly at?: 0 | 1;
}

/** Two replicas at the same moment of a time that stands still. */
async function twoReplicas(t: Test) {
  const { url, db } = await createTestDatabase(t);
  const clock = new FakeClock(Math.floor(Date.now() / 1_000) * 1_000 + 300);
  const one = await startReplica(t, url, settings, clock);
  const other = await startReplica(t, url, settings, clock);
  const urls = [one.listenUrl, other.listenUrl];
  const ask = async (path: string, { from = '192.0.2.1', token, method = 'GET', at = 0 }: Ask = {}) => {
    const credentials = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { 'x-forwarded-for': from, ...credentials };
    const response = await fetch(`${urls[at]}${path}`, { method, headers });
    // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
    const body = (await response.json()) as any;
    const header = (name: string) => response.headers.get(name);
    const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => header(`x-ratelimit-${name}`));
    const short = `${response.status} ${remaining ?? '-'}/${limit ?? '-'}`;
    return { short, reset: reset ?? '', retryAfter: header('retry-after'), body };
  };
  const userOn = async (plan: PlanName, email: string) => {
    const user = await createUserApi(one, email, 'user');
    await db('users').where({ id: user.userId }).update({ plan });
    return user;
  };
  return { clock, ask, userOn, one };
}

t.test('limits over HTTP', async (t) => {
  const { clock, ask, userOn } = await twoReplicas(t);

  await t.test('replicas count a caller together and say with every answer what is left until when', async (t) => {
    const resets = new Set<string>();
    for (const [index, at] of ([0, 1, 1, 0, 1] as const).entries()) {
      const { short, reset, body } = await ask(OPEN, { at });
      t.equal(short, `200 ${4 - index}/5`);
      t.same(body.meta.rate_limit, { limit: 5, remaining: 4 - index, reset });
      resets.add(reset);
    }
    t.equal(resets.size, 1);
    const [reset = ''] = resets;
    t.match(reset, /:\d\d\.000Z$/, 'a whole second');
    const endsInMs = Date.parse(reset) - clock.now();
    t.ok(endsInMs > 0 && endsInMs <= 60_000);

    for (const at of [0, 1] as const) {
      const refused = await ask(OPEN, { at });
      t.match(refused, { short: '429 0/5', reset, body: { error: { code: 'RATE_LIMIT_EXCEEDED' } } });
      t.equal(refused.retryAfter, String(Math.ceil(endsInMs / 1_000)), 'whole seconds until then');
    }
    clock.advance(endsInMs - 1);
    t.match(await ask(OPEN), { short: '429 0/5', retryAfter: '1' }, 'up to the last millisecond');
    clock.advance(1);
    t.equal((await ask(OPEN)).short, '200 4/5', 'and not one longer');
  });

  await t.test('the addresses of one IPv6 network count as one caller, other addresses do not', async (t) => {
    t.equal((await ask(OPEN, { from: '2001:db8::1' })).short, '200 4/5');
    t.equal((await ask(OPEN, { from: '2001:db8::ffff:0:1', at: 1 })).short, '200 3/5');
    t.equal((await ask(OPEN, { from: '2001:db8:0:1::1' })).short, '200 4/5');
    t.equal((await ask(OPEN, { from: '192.0.2.2' })).short, '200 4/5');
  });

  await t.test('an account has the limit of its plan, wherever it asks from', async (t) => {
    const user = await userOn('free', 'free@test.example');
    const { token } = user;
    t.equal((await ask(OPEN, { token })).short, '200 3/4');
    t.equal((await ask(OWN, { token, from: '192.0.2.3', at: 1 })).short, '200 2/4');
    const other = await userOn('free', 'other@test.example');
    t.equal((await ask(OPEN, { token: other.token })).short, '200 3/4', 'another account from the same address');
    t.equal((await ask(OPEN, { from: '192.0.2.3' })).short, '200 4/5', 'nothing of it is taken from its address');
    const forbidden = await ask('/v1/admin/nodes/n_1111111111111111111111/unban', { token, method: 'POST' });
    t.equal(forbidden.short, '403 1/4', 'what it may not do counts too');
    t.equal((await ask('/v1/nodes/n_1111111111111111111111', { token })).short, '404 0/4');
    t.equal((await ask(OPEN, { token })).short, '429 0/4');
  });

  await t.test('an unlimited plan has no limit and no headers of one', async (t) => {
    const { token } = await userOn('unlimited', 'unlimited@test.example');
    for (let index = 0; index < 6; index += 1) {
      const { short, reset, body } = await ask(OPEN, { token });
      t.equal(short, '200 -/-');
      t.same([reset, body.meta.rate_limit], ['', undefined]);
    }
  });

  await t.test(
    'check-ins of jobs count against no limit, and are taken when there is nothing left of one',
    async (t) => {
      const from = '192.0.2.6';
      const user = await userOn('unlimited', 'jobs@test.example');
      const { url } = await aHeartbeat(user).then(({ heartbeat }) => heartbeat);
      const checkIn = () => ping(url, { headers: { 'x-forwarded-for': from } });
      for (let count = 0; count < 12; count += 1) await checkIn();
      t.equal((await ask(OPEN, { from })).short, '200 4/5', 'more than the limit of five took nothing of it');
      for (let count = 0; count < 5; count += 1) await ask(OPEN, { from });
      t.equal((await ask(OPEN, { from })).short, '429 0/5');
      await t.resolves(checkIn());
    },
  );

  await t.test('waiting for a task has a limit of its own', async (t) => {
    const from = '192.0.2.4';
    t.equal((await ask(WAITING, { from })).short, '404 599/600');
    t.equal((await ask(OPEN, { from })).short, '200 4/5');
    t.equal((await ask(WAITING, { from, at: 1 })).short, '404 598/600');
    t.equal((await ask(WAITING.replace('?wait=1', ''), { from })).short, '404 3/5', 'reading without waiting has not');
  });

  await t.test('wrong credentials are counted by address, 300 a minute, and take nothing else', async (t) => {
    const from = '192.0.2.5';
    const { token } = await userOn('unlimited', 'neighbour@test.example');
    t.equal((await ask(OPEN, { from, token: 'svc_pat_wrong' })).short, '401 299/300');
    t.equal((await ask(OWN, { from })).short, '401 298/300', 'none where some are needed');
    for (let left = 298; left > 0; left -= 1)
      await ask(OPEN, { from, token: 'svc_pat_wrong', at: left % 2 === 0 ? 0 : 1 });
    for (const at of [0, 1] as const) {
      const refused = await ask(OPEN, { from, token: 'svc_pat_wrong', at });
      t.match(refused, {
        short: '429 0/300',
        retryAfter: /^[1-9]\d?$/,
        body: { error: { code: 'RATE_LIMIT_EXCEEDED' } },
      });
    }
    t.equal((await ask(OPEN, { from, token })).short, '429 0/300', 'whoever guesses is not told when it was right');
    t.equal((await ask(OPEN, { from })).short, '200 4/5', 'requests without credentials go on');
    t.equal((await ask(OPEN, { from: '192.0.2.6', token })).short, '200 -/-');
  });
});
