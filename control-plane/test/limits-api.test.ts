import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t, { type Test } from 'tap';
import type { PlanName } from '../src/plans/index.js';
import { createTestDatabase } from './_support/database.js';
import { aHeartbeat, ping } from './_support/heartbeats.js';
import { createUserApi, startReplica } from './_support/stack.js';

const settings = {
  // tests set their client address by X-Forwarded-For
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
  /** Index of one of the two replicas. */
  readonly at?: 0 | 1;
}

/** Two replicas at the same moment of a clock that stands still. */
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
    return { short, reset: reset ?? '', retryAfter: header('retry-after'), window: header('x-ratelimit-window'), body };
  };
  const userOn = async (plan: PlanName, email: string) => {
    const user = await createUserApi(one, email, 'user');
    await db('owners').where({ id: user.userId }).update({ plan });
    return user;
  };
  return { clock, ask, userOn, one };
}

t.test('limits over HTTP', async (t) => {
  const { clock, ask, userOn } = await twoReplicas(t);

  await t.test(
    'replicas count a caller together and report with every response the remaining number and its end',
    async (t) => {
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
        const message = 'at most 5 in a minute; an account has 4';
        const error = { code: 'RATE_LIMIT_EXCEEDED', details: { requests: [{ message }] } };
        t.match(refused, { short: '429 0/5', reset, window: '60', body: { error } });
        t.equal(refused.retryAfter, String(Math.ceil(endsInMs / 1_000)), 'whole seconds until then');
      }
      clock.advance(endsInMs - 1);
      t.match(await ask(OPEN), { short: '429 0/5', retryAfter: '1' }, 'up to the last millisecond');
      clock.advance(1);
      t.equal((await ask(OPEN)).short, '200 4/5', 'and not one millisecond longer');
    },
  );

  await t.test('the addresses of one IPv6 network count as one caller, other addresses do not', async (t) => {
    t.equal((await ask(OPEN, { from: '2001:db8::1' })).short, '200 4/5');
    t.equal((await ask(OPEN, { from: '2001:db8::ffff:0:1', at: 1 })).short, '200 3/5');
    t.equal((await ask(OPEN, { from: '2001:db8:0:1::1' })).short, '200 4/5');
    t.equal((await ask(OPEN, { from: '192.0.2.2' })).short, '200 4/5');
  });

  await t.test('an account has the limit of its plan, from every address', async (t) => {
    const user = await userOn('free', 'free@test.example');
    const { token } = user;
    t.equal((await ask(OPEN, { token })).short, '200 3/4');
    t.equal((await ask(OWN, { token, from: '192.0.2.3', at: 1 })).short, '200 2/4');
    const other = await userOn('free', 'other@test.example');
    t.equal((await ask(OPEN, { token: other.token })).short, '200 3/4', 'another account from the same address');
    t.equal((await ask(OPEN, { from: '192.0.2.3' })).short, '200 4/5', 'its address is not charged');
    const forbidden = await ask('/v1/admin/nodes/n_1111111111111111111111/unban', { token, method: 'POST' });
    t.equal(forbidden.short, '403 1/4', 'forbidden requests count too');
    t.equal((await ask('/v1/nodes/n_1111111111111111111111', { token })).short, '404 0/4');
    t.equal((await ask(OPEN, { token })).short, '429 0/4');
  });

  await t.test('an unlimited plan has no limit and no limit headers', async (t) => {
    const { token } = await userOn('unlimited', 'unlimited@test.example');
    for (let index = 0; index < 6; index += 1) {
      const { short, reset, body } = await ask(OPEN, { token });
      t.equal(short, '200 -/-');
      t.same([reset, body.meta.rate_limit], ['', undefined]);
    }
    t.equal((await ask(WAITING, { token })).short, '404 -/-', 'nor for waiting');
  });

  await t.test('check-ins of jobs count against no limit, and are accepted when a limit is used up', async (t) => {
    const from = '192.0.2.6';
    const user = await userOn('unlimited', 'jobs@test.example');
    const { url } = await aHeartbeat(user).then(({ heartbeat }) => heartbeat);
    const checkIn = () => ping(url, { headers: { 'x-forwarded-for': from } });
    for (let count = 0; count < 12; count += 1) await checkIn();
    t.equal((await ask(OPEN, { from })).short, '200 4/5', 'more than five check-ins did not use up the limit of five');
    for (let count = 0; count < 5; count += 1) await ask(OPEN, { from });
    t.equal((await ask(OPEN, { from })).short, '429 0/5');
    await t.resolves(checkIn());
  });

  await t.test('waiting for a task has a limit of its own', async (t) => {
    const from = '192.0.2.4';
    t.equal((await ask(WAITING, { from })).short, '404 599/600');
    t.equal((await ask(OPEN, { from })).short, '200 4/5');
    t.equal((await ask(WAITING, { from, at: 1 })).short, '404 598/600');
    t.equal(
      (await ask(WAITING.replace('?wait=1', ''), { from })).short,
      '404 3/5',
      'reading without waiting does not count',
    );
  });

  await t.test('wrong credentials are counted by address, 300 a minute, and against no other limit', async (t) => {
    const from = '192.0.2.5';
    const { token } = await userOn('unlimited', 'neighbour@test.example');
    t.equal((await ask(OPEN, { from, token: 'svc_pat_wrong' })).short, '401 299/300');
    t.equal((await ask(OWN, { from })).short, '401 298/300', 'none where some are required');
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
    t.equal(
      (await ask(OPEN, { from, token })).short,
      '429 0/300',
      'a guesser does not learn whether a guess was right',
    );
    t.equal((await ask(OPEN, { from })).short, '200 4/5', 'requests without credentials continue');
    t.equal((await ask(OPEN, { from: '192.0.2.6', token })).short, '200 -/-');
  });
});
