import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { Type } from 'typebox';
import { SealBrokenError } from '../src/crypto/sealing.js';
import { openDatabase } from '../src/db/database.js';
import { ApiError, limitReached } from '../src/http/errors.js';
import type { IdempotentRequest } from '../src/http/frame/idempotency.js';
import type { AnyRoute } from '../src/http/route.js';
import { StoredResponses } from '../src/idempotency/index.js';
import { RequestSeals } from '../src/idempotency/request-seal.js';
import { createLogger } from '../src/runtime/log.js';
import type { TestDatabase } from './_support/database.js';
import { aRoute } from './_support/http-routes.js';
import { startTestServer, type TestServerOptions } from './_support/http-server.js';
import { startStack } from './_support/stack.js';

const { api, database } = await startStack(t);
t.beforeEach(() => database.db('idempotency_keys').delete());

const SECRET_KEY = Buffer.alloc(32, 7);
const DAY_MS = 86_400_000;
const log = createLogger('silent');

const request: IdempotentRequest = {
  caller: 'u_one',
  operationId: 'createThing',
  key: 'order-5',
  fingerprint: Buffer.alloc(32, 1),
};
const made = { status: 201, contentType: 'application/json', body: '{"secret":"sk_live_hush"}', headers: { A: 'b' } };

const responsesOn = ({ db }: Pick<TestDatabase, 'db'> = database, clock = new FakeClock()) =>
  new StoredResponses({ db, secretKey: SECRET_KEY, clock, log });

/** Claims a request that no other caller has claimed. */
async function claimFirst(responses: StoredResponses, changes: Partial<IdempotentRequest> = {}) {
  const claim = await responses.claim({ ...request, ...changes });
  if (claim.kind !== 'first') throw new Error('another caller was first');
  return claim;
}

const refused = (says: RegExp) => ({
  code: 'CONFLICT',
  status: 409,
  details: { 'idempotency-key': [{ code: 'conflict', message: says }] },
});

/** A server whose one POST counts its runs and responds as `answer` says. */
async function countingServer(t: Test, options: TestServerOptions & Partial<AnyRoute> = {}) {
  const runs = { count: 0 };
  const { handle = async () => ({ status: 201, data: { run: runs.count } }), ...server } = options;
  const route = aRoute('/v1/make', {
    method: 'POST',
    auth: { kind: 'public' },
    body: Type.Object({ name: Type.String({ minLength: 1 }) }),
    replies: { 201: Type.Unknown() },
    errors: ['NOT_FOUND', 'UNAVAILABLE', 'RATE_LIMIT_EXCEEDED', 'REQUEST_TIMEOUT', 'VALIDATION_FAILED'],
    handle: (...given) => {
      runs.count++;
      return handle(...given);
    },
  });
  const { url } = await startTestServer(t, [route], { idempotency: responsesOn(), ...server });
  const post = async (key: string, body: unknown = { name: 'x' }, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/v1/make`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key, ...headers },
      body: JSON.stringify(body),
    });
    const isReplay = response.headers.get('idempotent-replayed') === 'true';
    return { status: response.status, text: await response.text(), headers: response.headers, isReplay };
  };
  return { post, runs };
}

t.test('a repeated request gets the first response byte for byte, including a secret shown once', async (t) => {
  const create = async (body: string, key = 'make-1') => {
    const response = await fetch(`${api.url}/v1/nodes/enrollment-tokens`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${api.token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
      },
      body,
    });
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const body = JSON.stringify({ label: 'büro 事務所' });
  const first = await create(body);
  const again = await create(body);
  const { token } = JSON.parse(first.bytes.toString()).data;
  t.match(token, /^ent_/);
  t.equal(first.status, 201);
  t.equal(first.headers.get('idempotent-replayed'), null);
  t.strictSame([again.status, again.headers.get('idempotent-replayed')], [201, 'true']);
  t.ok(again.bytes.equals(first.bytes));
  for (const name of ['content-type', 'content-length', 'cache-control']) {
    t.equal(again.headers.get(name), first.headers.get(name), name);
  }
  t.not(again.headers.get('x-request-id'), first.headers.get('x-request-id'), 'each request has its own id');
  t.equal((await create('{}')).status, 409, 'another body');
  t.equal((await create(`${body} `)).status, 409, 'the same body with other bytes');
  t.equal((await create(body, 'make-2')).status, 201, 'another key');
  t.equal((await database.db('enrollment_tokens')).length, 2);
  const stored = JSON.stringify((await database.db.raw('SELECT i.*::text AS row FROM idempotency_keys i')).rows);
  const asHex = (text: string) => Buffer.from(text).toString('hex');
  for (const secret of [token, token.slice(4, 30), api.userId, 'make-1', 'enrollment', '"data"', 'request_id']) {
    t.notOk(stored.includes(secret) || stored.includes(asHex(secret)), secret);
  }
});

t.test(
  'a request repeated while the first one runs is refused for that reason, and afterwards gets its response',
  async (t) => {
    const create = () =>
      fetch(`${api.url}/v1/nodes/enrollment-tokens`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${api.token}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': 'slow',
        },
        body: '{}',
      });
    const blocking = await database.db.transaction();
    await blocking.raw('LOCK TABLE enrollment_tokens IN EXCLUSIVE MODE');
    const first = create();
    await until('the first to run', async () => (await database.db('idempotency_keys')).length === 1);
    const second = await create();
    t.equal(second.status, 409);
    t.match(await second.json(), {
      error: { code: 'CONFLICT', details: { 'idempotency-key': [{ code: 'conflict', message: /still running/ }] } },
    });
    await blocking.commit();
    const answer = await (await first).text();
    t.equal(await (await create()).text(), answer);
  },
);

t.test('a key belongs to one caller and one operation', async (t) => {
  const { post, runs } = await countingServer(t, { trustedProxies: ['127.0.0.0/8'] });
  const callers: readonly Record<string, string>[] = [
    { 'X-Forwarded-For': '198.51.100.7' },
    { 'X-Forwarded-For': '198.51.100.8' },
    { 'X-Forwarded-For': '2001:db8:0:1::1' },
    { 'X-Forwarded-For': '198.51.100.7', Authorization: 'Bearer reader' },
    { 'X-Forwarded-For': '198.51.100.7', Authorization: 'Bearer prober' },
  ];
  const firsts = [];
  for (const caller of callers) firsts.push(await post('mine', { name: 'x' }, caller));
  t.equal(runs.count, callers.length);
  for (const [index, caller] of callers.entries()) {
    const again = await post('mine', { name: 'x' }, caller);
    t.strictSame([again.isReplay, again.text], [true, firsts[index]?.text]);
  }
  const sameNetwork = await post('mine', { name: 'x' }, { 'X-Forwarded-For': '2001:db8:0:1::2' });
  t.ok(sameNetwork.isReplay, 'an IPv6 /64 is one caller');
  const moved = await post('mine', { name: 'x' }, { 'X-Forwarded-For': '192.0.2.1', Authorization: 'Bearer reader' });
  t.ok(moved.isReplay, 'an account is one caller at every address');
  t.equal(runs.count, callers.length);
  await claimFirst(responsesOn(), { caller: 'u_reader', operationId: 'another', key: 'mine' });
});

t.test(
  'a request that failed temporarily or was invalid may be sent again under its key; a refusal is kept',
  async (t) => {
    const allowance = { limit: 1, remaining: 0, resetsAt: 0, isAllowed: false };
    const passing: readonly (readonly [number, () => Error])[] = [
      [503, () => new ApiError('UNAVAILABLE')],
      [500, () => new TypeError('broken')],
      [429, () => limitReached('RATE_LIMIT_EXCEEDED', allowance)],
      [408, () => new ApiError('REQUEST_TIMEOUT')],
      [400, () => new ApiError('VALIDATION_FAILED')],
    ];
    let failure: (() => Error) | null = null;
    const handle: AnyRoute['handle'] = async () => {
      if (failure !== null) throw failure();
      return { status: 201, data: 'made' };
    };
    const { post, runs } = await countingServer(t, { handle });
    for (const [status, error] of passing) {
      failure = error;
      t.equal((await post(`key-${status}`)).status, status);
      failure = null;
      const { status: then, isReplay } = await post(`key-${status}`, { name: 'put right' });
      t.strictSame([then, isReplay], [201, false], `after ${status}`);
    }
    t.equal((await post('invalid', { name: '' })).status, 400);
    t.equal((await post('invalid', { name: 'valid' })).status, 201, 'a request that validation refuses takes no key');
    failure = () => new ApiError('NOT_FOUND');
    const before = runs.count;
    const refusal = await post('lost', { name: 'x' }, { 'Accept-Language': 'zh-TW' });
    failure = null;
    const again = await post('lost');
    t.strictSame([again.status, again.text, again.isReplay], [404, refusal.text, true]);
    t.equal(again.headers.get('content-language'), 'zh-TW', 'in the language of the first request');
    t.equal(runs.count, before + 1);
  },
);

t.test('of many equal requests to two replicas one is performed', async (t) => {
  const answered: number[] = [];
  const handle: AnyRoute['handle'] = async () => {
    // it is still running when all others have their response
    await until('the others', () => answered.length === 39);
    return { status: 201, data: 'made' };
  };
  // they wait for their turns, as long as it takes
  const clock = new FakeClock();
  const one = await countingServer(t, { handle, clock });
  const other = await countingServer(t, { handle, clock });
  const posts = Array.from({ length: 40 }, async (_, index) => {
    const { status } = await (index % 2 === 0 ? one : other).post('race');
    answered.push(status);
  });
  await Promise.all(posts);
  t.equal(one.runs.count + other.runs.count, 1);
  t.strictSame(answered, [...Array(39).fill(409), 201]);
  t.ok((await other.post('race')).isReplay && (await one.post('race')).isReplay);
});

t.test('a response is kept for exactly 24 hours, and upkeep deletes no younger one', async (t) => {
  const clock = new FakeClock();
  const responses = responsesOn(database, clock);
  await (await claimFirst(responses)).store(made);
  clock.advance(DAY_MS - 1);
  await responses.deleteForgotten();
  t.match(await responses.claim(request), { kind: 'replay', response: { ...made, body: Buffer.from(made.body) } });
  await t.rejects(responses.claim({ ...request, fingerprint: Buffer.alloc(32, 2) }), refused(/another request/));
  clock.advance(1);
  const next = await claimFirst(responses, { fingerprint: Buffer.alloc(32, 2) });
  await t.rejects(responses.claim({ ...request, fingerprint: Buffer.alloc(32, 2) }), refused(/still running/));
  await next.store(made);
  await responses.deleteForgotten();
  t.equal((await database.db('idempotency_keys')).length, 1);
  clock.advance(DAY_MS);
  await responses.deleteForgotten();
  t.strictSame(await database.db('idempotency_keys'), []);
});

t.test('a request whose process died is released when its lock expires; a running one keeps it', async (t) => {
  const [dying, living] = [new FakeClock(), new FakeClock()];
  const crashed = await claimFirst(responsesOn(database, dying));
  const responses = responsesOn(database, living);
  living.advance(59_999);
  await t.rejects(responses.claim(request), refused(/still running/));
  living.advance(1);
  const second = await claimFirst(responses);
  const lockedUntil = async () => (await database.db('idempotency_keys').first('locked_until')).locked_until.getTime();
  for (let minutes = 0; minutes < 3; minutes++) {
    for (let renewal = 0; renewal < 3; renewal++) {
      living.advance(20_000);
      await until('the renewal', async () => (await lockedUntil()) === living.now() + 60_000);
    }
    await t.rejects(responses.claim(request), refused(/still running/));
  }
  await crashed.store({ ...made, body: 'late' });
  await t.rejects(responses.claim(request), refused(/still running/), 'a late process stores nothing');
  await crashed.release();
  await second.store(made);
  t.match(await responses.claim(request), { kind: 'replay', response: { status: 201 } });
  t.equal(living.pendingTimers, 0, 'nothing is renewed any more');
});

t.test('a released key is free for any request', async () => {
  const responses = responsesOn();
  await (await claimFirst(responses)).release();
  await claimFirst(responses, { fingerprint: Buffer.alloc(32, 9) });
});

t.test('the database and the secret key reveal nothing without the Idempotency-Key', async (t) => {
  await (await claimFirst(responsesOn())).store(made);
  const row = await database.db('idempotency_keys').first();
  const seals = new RequestSeals(SECRET_KEY);
  t.match(seals.sealOf(request).sealer.open(row.sealed_response).toString(), /sk_live_hush/);
  const others = [
    seals.rowSeal(row.key_hash, 'order-6', request.fingerprint),
    seals.rowSeal(Buffer.alloc(32), request.key, request.fingerprint),
    new RequestSeals(Buffer.alloc(32, 8)).rowSeal(row.key_hash, request.key, request.fingerprint),
  ];
  for (const { fingerprint, sealer } of others) {
    t.throws(() => sealer.open(row.sealed_response), SealBrokenError);
    t.notOk(fingerprint.equals(row.fingerprint), 'nor can a likely request be tested');
  }
  t.notOk(new RequestSeals(Buffer.alloc(32, 8)).sealOf(request).keyHash.equals(row.key_hash));
});

t.test(
  'without the database a request with a key is not performed; a performed one still gets its response',
  async (t) => {
    const gone = openDatabase({ url: 'postgres://x:x@127.0.0.1:1/x', poolSize: 1, applicationName: 'test' });
    t.teardown(() => gone.destroy());
    const { post, runs } = await countingServer(t, { idempotency: responsesOn({ db: gone }) });
    const { status, headers } = await post('k');
    t.strictSame([status, headers.get('retry-after'), runs.count], [503, '5', 0]);
    const pool = openDatabase({ url: database.url, poolSize: 1, applicationName: 'test' });
    const claims = [
      await claimFirst(responsesOn({ db: pool })),
      await claimFirst(responsesOn({ db: pool }), { key: 'b' }),
    ];
    await pool.destroy();
    await t.resolves(claims[0]?.store(made) ?? Promise.reject());
    await t.resolves(claims[1]?.release() ?? Promise.reject());
  },
);
