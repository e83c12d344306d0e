import { generateKeyPairSync } from 'node:crypto';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { makeToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import t from 'tap';
import { networkKey } from '../src/limits/caller-networks.js';
import { giveNodes } from './_support/owners.js';
import { enrollBody } from './_support/peer-agent.js';
import { createUserApi, startStack, type TestApi } from './_support/stack.js';

const tokensPath = '/v1/nodes/enrollment-tokens';
const newToken = async (api: TestApi) => (await api.call('POST', tokensPath, { body: {} })).body.data.token as string;
const clock = new FakeClock(Date.now(), { rounds: [] });
const { api, controlPlane, database } = await startStack(
  t,
  { VANTAGE_TRUSTED_PROXIES: '127.0.0.1', VANTAGE_PLANS: '{"free": {"nodes": 2}}' },
  clock,
);
const madeUp = () => makeToken(tokenPrefixes.enrollment).token;

/** Asks to enroll, through a proxy that names the client address. */
async function enrollFrom(address: string, token: string) {
  const response = await fetch(new URL('/v1/nodes/enroll', api.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify(enrollBody(token, generateKeyPairSync('ed25519').privateKey, api.url)),
  });
  const body = (await response.json()) as { error?: { code: string; details?: object } };
  return { status: response.status, code: body.error?.code, headers: response.headers, details: body.error?.details };
}

t.test('a network is an IPv4 /24 or an IPv6 /48, and loopback belongs to none', async (t) => {
  t.equal(networkKey('203.0.113.77'), '203.0.113.0/24');
  t.equal(networkKey('::ffff:203.0.113.77'), '203.0.113.0/24');
  t.equal(networkKey('2001:db8:1:2:3::4'), '2001:db8:1::/48');
  for (const address of ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1']) t.equal(networkKey(address), null);
});

t.test('claims of one network are counted together; those of this machine are not counted', async (t) => {
  const first = await enrollFrom('2001:db8:7:1::1', madeUp());
  const second = await enrollFrom('2001:db8:7:2::1', madeUp());
  t.strictSame(
    [first, second].map(({ headers }) => [headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]),
    [
      ['600', '599'],
      ['600', '598'],
    ],
  );
  const here = await enrollFrom('127.0.0.1', madeUp());
  t.match(here, { status: 401 });
  t.equal(here.headers.get('x-ratelimit-limit'), null);
  t.strictSame(
    (await database.db('rate_windows').pluck('key')).filter((key) => key.startsWith('enrollment:')),
    ['enrollment:2001:db8:7::/48'],
  );
});

t.test('guesses delay their own network only, and a valid token is still accepted', async (t) => {
  const guesses = await Promise.all(
    Array.from({ length: 30 }, (_, index) => enrollFrom(`198.51.100.${index}`, madeUp())),
  );
  t.ok(guesses.every(({ status }) => status === 401));
  const refused = await enrollFrom('198.51.100.99', madeUp());
  t.match(refused, { status: 429, code: 'RATE_LIMIT_EXCEEDED' });
  t.equal(refused.headers.get('x-ratelimit-limit'), '30');
  t.equal(refused.headers.get('x-ratelimit-remaining'), '0');
  const waitSeconds = Number(refused.headers.get('retry-after'));
  t.ok(waitSeconds >= 1 && waitSeconds <= 60, `${waitSeconds}`);
  t.equal((await enrollFrom('198.51.100.99', 'ent_x')).status, 429, 'malformed tokens count too');
  t.equal((await enrollFrom('198.51.100.99', await newToken(api))).status, 201, 'a valid token is still valid');
  t.equal((await enrollFrom('203.0.113.1', madeUp())).status, 401, 'other networks are unaffected');
  clock.advance(waitSeconds * 1_000);
  t.equal((await enrollFrom('198.51.100.99', madeUp())).status, 401, 'and after a minute the delay is over');
});

t.test('an owner has at most the number of nodes of the plan, and as many open tokens', async (t) => {
  const user = await createUserApi(controlPlane, 'plan@test.example', 'user');
  await database.db('owners').where({ id: user.userId }).update({ plan: 'free' });
  const tokens = await Promise.all([newToken(user), newToken(user)]);
  const third = await user.call('POST', tokensPath, { body: {} });
  t.match(third, { status: 429, body: { error: { code: 'TOKEN_LIMIT_EXCEEDED' } } });
  t.equal(third.headers.get('retry-after'), '86400');
  t.equal((await enrollFrom('127.0.0.1', tokens[0] ?? '')).status, 201);
  const spare = await newToken(user);
  t.equal((await enrollFrom('127.0.0.1', tokens[1] ?? '')).status, 201);
  const over = await enrollFrom('127.0.0.1', spare);
  t.match(over, {
    status: 403,
    code: 'FEATURE_LOCKED',
    details: { token: [{ message: /2 exist, and the plan free allows 2/ }] },
  });
  t.match(await user.call('POST', tokensPath, { body: {} }), {
    status: 403,
    body: { error: { code: 'FEATURE_LOCKED' } },
  });
  await database.db('owners').where({ id: user.userId }).update({ plan: 'unlimited' });
  t.equal((await enrollFrom('127.0.0.1', spare)).status, 201, 'the refusal used no token');
});

t.test('of simultaneous claims of an owner at most the number of the plan succeed', async (t) => {
  const user = await createUserApi(controlPlane, 'burst@test.example', 'user');
  const tokens = await Promise.all(Array.from({ length: 8 }, () => newToken(user)));
  await database.db('owners').where({ id: user.userId }).update({ plan: 'free' });
  const answers = await Promise.all(tokens.map((token) => enrollFrom('127.0.0.1', token)));
  t.equal(answers.filter(({ status }) => status === 201).length, 2);
  t.equal((await database.db('nodes').where({ owner_id: user.userId })).length, 2);
});

t.test('an owner enrolls ten nodes an hour, or the number of the plan; repeating a claim does not count', async (t) => {
  const user = await createUserApi(controlPlane, 'hour@test.example', 'user');
  const tokens = await Promise.all(Array.from({ length: 11 }, () => newToken(user)));
  await database.db('owners').where({ id: user.userId }).update({ plan: 'free' });
  for (const token of tokens.slice(0, 10)) {
    t.equal((await enrollFrom('127.0.0.1', token)).status, 201);
    await giveNodes(database.db, api.userId);
  }
  const refused = await enrollFrom('127.0.0.1', tokens[10] ?? '');
  t.match(refused, { status: 429, code: 'RATE_LIMIT_EXCEEDED', details: { token: [{ message: /10 nodes an hour/ }] } });
  t.equal(refused.headers.get('x-ratelimit-limit'), '10');
  clock.advance(Number(refused.headers.get('retry-after')) * 1_000);
  t.equal((await enrollFrom('127.0.0.1', tokens[10] ?? '')).status, 201);
});
