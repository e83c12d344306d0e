import { until } from '@vantage/shared/_support/until.js';
import { idLowerBound, idPrefixes } from '@vantage/shared/ids.js';
import t, { type Test } from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import type { Scope } from '../src/http/scopes.js';
import { CheckingNode } from './_support/checking-node.js';
import { startReplicaPair } from './_support/replica-pair.js';
import { SseReader } from './_support/sse-reader.js';
import { apiOf, createUserApi, freshSession, movingRounds, startStack, type TestApi } from './_support/stack.js';

const PATH = '/v1/events/stream';

/** Creates a monitor. @returns its id */
async function create(api: TestApi, name: string): Promise<string> {
  const body = { name, type: 'heartbeat' };
  const { status, body: answer } = await api.call('POST', '/v1/monitors', { body });
  if (status !== 201) throw new Error(JSON.stringify(answer));
  return answer.data.id;
}

/** Opens a stream, and waits for its first frame. */
async function listen(t: Test, api: TestApi, { query = '', after }: { query?: string; after?: string } = {}) {
  const headers = after === undefined ? {} : { 'last-event-id': after };
  const reader = await SseReader.openPath(t, api, PATH + query, headers);
  if (reader.status === 200) await reader.waitForEvents(1);
  return reader;
}

/** Id of the last event; state has none. */
const lastIdOf = ({ events }: SseReader) => events.findLast(({ id }) => id !== '')?.id ?? '';
const namesOf = ({ events }: SseReader) => events.flatMap(({ data }) => data.monitor?.name ?? []);
const arrives = (reader: SseReader, name: string) => until(name, () => namesOf(reader).includes(name));

t.test('events of the account arrive with id, kind and data, and those of another account never', async (t) => {
  const { api, controlPlane } = await startStack(t);
  const other = await createUserApi(controlPlane, 'other@test.example', 'user');
  const [reader, stranger] = [await listen(t, api), await listen(t, other)];
  const id = await create(api, 'Shop');
  await create(other, 'Foreign');
  await Promise.all([arrives(reader, 'Shop'), arrives(stranger, 'Foreign')]);
  t.match(
    reader.events.filter(({ event }) => event !== 'state'),
    [
      { event: 'hello', id: '', data: { replays_s: 3600, max_streams: 50 } },
      {
        event: 'monitor.created',
        id: /^evt_/,
        data: { type: 'monitor.created', timestamp: String, test: false, monitor: { id, name: 'Shop' }, url: String },
      },
    ],
  );
  t.same([namesOf(reader), namesOf(stranger)], [['Shop'], ['Foreign']]);
});

t.test('a stream continues after the last event that was seen, within an hour, and otherwise says so', async (t) => {
  const { api, database } = await startStack(t);
  const first = await listen(t, api);
  await create(api, 'Seen');
  await arrives(first, 'Seen');
  const after = lastIdOf(first);
  first.cut();
  for (const name of ['Missed', 'Missed too']) await create(api, name);
  const second = await listen(t, api, { after });
  await arrives(second, 'Missed too');
  await create(api, 'Live');
  await arrives(second, 'Live');
  t.same(namesOf(second), ['Missed', 'Missed too', 'Live'], 'each once');
  await database.db('outbox').update({ created_at: database.db.raw("now() - interval '3601 seconds'") });
  for (const [id, reason] of [
    [after, 'unknown_id'],
    [idLowerBound(idPrefixes.event, Date.now() - 2 * 3_600_000), 'too_old'],
    ['nonsense', 'unknown_id'],
  ] as const) {
    const reader = await listen(t, api, { after: id });
    await reader.waitForEvents(2);
    t.match(reader.events, [{ event: 'hello' }, { event: 'reset', data: { reason } }]);
    reader.cut();
  }
});

t.test('an event that commits late is sent late, and continued from an id that was given later', async (t) => {
  const { api, database } = await startStack(t);
  const reader = await listen(t, api);
  const late = await database.db.transaction();
  t.teardown(() => (late.isCompleted() ? null : late.rollback()));
  await late.raw(
    `INSERT INTO outbox (event_id, kind, owner_id, is_test, subject, payload)
     VALUES ('evt_late', 'session.ended', ?, false, 'ses_1', '{"session_id": "ses_1"}')`,
    [api.userId],
  );
  await create(api, 'Early');
  await arrives(reader, 'Early');
  const after = lastIdOf(reader);
  await late.commit();
  await create(api, 'Next');
  await until('the late one', () => reader.events.some(({ id }) => id === 'evt_late'));
  const again = await listen(t, api, { after });
  await until('the late one again', () => again.events.some(({ id }) => id === 'evt_late'));
});

t.test('more than a thousand missed events are not continued', async (t) => {
  const { api, database } = await startStack(t);
  const publish = (from: number, to: number) =>
    database.db.raw(
      `INSERT INTO outbox (event_id, kind, owner_id, is_test, subject, payload)
       SELECT 'evt_' || n, 'session.ended', ?, false, 'ses_1', '{"session_id": "ses_1"}' FROM generate_series(?::int, ?::int) n`,
      [api.userId, from, to],
    );
  await publish(0, 1_000);
  const fits = await listen(t, api, { after: 'evt_0' });
  await until('the last', () => fits.events.at(-1)?.id === 'evt_1000');
  t.same(
    fits.events.flatMap(({ id }) => (/^evt_\d+$/.test(id) ? id : [])),
    Array.from({ length: 1_000 }, (_, n) => `evt_${n + 1}`),
  );
  await publish(1_001, 1_001);
  const tooMany = await listen(t, api, { after: 'evt_0' });
  await tooMany.waitForEvents(2);
  t.match(tooMany.events[1], { event: 'reset', data: { reason: 'too_old' } });
});

t.test('a topic needs its scope, and test keys see what test keys made', async (t) => {
  const { api, controlPlane } = await startStack(t);
  const key = async (scopes: Scope[], isTest: boolean) => {
    const body = { name: scopes.join(' '), scopes, type: isTest ? 'test' : 'production' };
    const { body: answer } = await api.call('POST', '/v1/account/api-keys', { body });
    return apiOf(api.url, answer.data.key, api.userId);
  };
  const reading = await key(['monitor:read', 'monitor:write'], false);
  const testing = await key(['monitor:read', 'monitor:write'], true);
  for (const query of ['?topics=alerts', '?topics=monitors,account', '?topics=admin'])
    t.equal((await listen(t, reading, { query })).status, 403, query);
  t.equal((await listen(t, await key(['probe'], false))).status, 403, 'no topic at all');
  t.equal((await listen(t, reading, { query: '?topics=weather' })).status, 400, 'no such topic');
  const many = Array.from({ length: 51 }, (_, index) => `m_${index}`).join();
  t.equal((await listen(t, reading, { query: `?watch=${many}` })).status, 400, 'too many monitors');
  const [all, tests, account] = [
    await listen(t, reading, { query: '?topics=monitors' }),
    await listen(t, testing),
    await listen(t, api, { query: '?topics=account' }),
  ];
  await create(reading, 'Live');
  await create(testing, 'Test');
  await Promise.all([arrives(all, 'Live'), arrives(all, 'Test'), arrives(tests, 'Test')]);
  await controlPlane.services.tokens.personal.create(
    { userId: api.userId, scopes: null },
    { name: 'new', scopes: ['monitor:read'] },
    commandLine,
  );
  await until('the token', () => account.events.length > 1);
  t.same([namesOf(tests), namesOf(account)], [['Test'], []]);
  t.match(account.events[1], { event: 'credential.changed', data: { change: 'token.created' } });
});

t.test('a stream ends with its token, when it is revoked, and when its replica stops', async (t) => {
  const { api, controlPlane, database } = await startStack(t);
  const user = await createUserApi(controlPlane, 'user@test.example', 'user');
  const token = await freshSession(controlPlane, database.db, user.userId);
  const session = apiOf(api.url, token, user.userId);
  const [ofSession, ofToken] = [await listen(t, session), await listen(t, user)];
  const { id } = (await session.call('GET', '/v1/account/sessions')).body.data.items[0];
  t.equal((await user.call('DELETE', `/v1/account/sessions/${id}`)).status < 300, true);
  await ofSession.ended;
  t.match(ofSession.events.at(-1), { event: 'bye', data: { reason: 'revoked' } });
  await until('the event', () => ofToken.events.some(({ event }) => event === 'session.ended'));
  t.equal(ofToken.events.at(-1)?.event, 'session.ended', 'another credential goes on');
  await controlPlane.stop();
  t.equal(await ofToken.ended, true);
  t.match(ofToken.events.at(-1), { event: 'bye', data: { reason: 'draining' } });
});

t.test('an event of one replica reaches a stream of another one', async (t) => {
  const { one, other } = await startReplicaPair(t);
  const reader = await listen(t, other);
  await create(one, 'Shop');
  await arrives(reader, 'Shop');
  t.same(namesOf(reader), ['Shop']);
});

t.test('an eleventh stream of an account is refused for half a minute, and each that ends frees a place', async (t) => {
  const { api, controlPlane, database } = await startStack(t);
  const user = await createUserApi(controlPlane, 'user@test.example', 'user');
  await database.db('owners').where({ id: user.userId }).update({ plan: 'free' });
  const readers = await Promise.all(Array.from({ length: 10 }, () => listen(t, user)));
  const refused = await user.call('GET', PATH);
  t.match(refused, { status: 429, body: { error: { code: 'RATE_LIMIT_EXCEEDED' } } });
  t.equal(refused.headers.get('retry-after'), '30');
  t.equal((await listen(t, api)).status, 200, 'another account has its own');
  readers[0]?.cut();
  await until('a free place', async () => (await listen(t, user)).status === 200);
});

t.test('the state of monitors arrives, and the checks of those that are watched', async (t) => {
  const { api, controlPlane } = await startStack(t, {}, movingRounds('streams', 'judging'));
  const node = await CheckingNode.join(t, api);
  const make = async (name: string) => {
    const body = { name, type: 'tcp', target: '127.0.0.1:9', interval_s: 60 };
    const { id } = (await api.call('POST', '/v1/monitors', { body })).body.data;
    await node.waitForAssignment(id);
    return id as string;
  };
  const [shop, other] = [await make('Shop'), await make('Other')];
  const reader = await listen(t, api, { query: `?watch=${shop}` });
  const stranger = await createUserApi(controlPlane, 'stranger@test.example', 'user');
  t.match(await stranger.call('GET', `${PATH}?watch=${shop}`), {
    status: 404,
    body: { error: { code: 'MONITOR_NOT_FOUND' } },
  });
  const foreign = await listen(t, stranger);
  for (const id of [shop, other]) node.check(id, 'failed');
  const states = () => reader.events.flatMap(({ event, data }) => (event === 'state' ? data.items : []));
  const isDown = (id: string) => states().some((item) => item.id === id && item.current_status === 'down');
  await until('both states', () => isDown(shop) && isDown(other));
  await until('the check', () => reader.events.some(({ event }) => event === 'checks'));
  const checks = reader.events.flatMap(({ event, data }) => (event === 'checks' ? data.items : []));
  t.match(checks, [{ monitor_id: shop, outcome: 'failed' }], 'once, and of no other monitor');
  t.same(
    foreign.events.map(({ event }) => event),
    ['hello'],
  );
});

t.test('a reader that is too far behind gets a reset in place of what it missed', async (t) => {
  const { api, database } = await startStack(t);
  const reader = await listen(t, api);
  // 20 frames a second: a thousand cannot be sent as fast as they come
  await database.db.raw(
    `INSERT INTO outbox (event_id, kind, owner_id, is_test, subject, payload)
     SELECT 'evt_' || n, 'session.ended', ?, false, 'ses_1', jsonb_build_object('session_id', repeat('x', 1000)) FROM generate_series(1, 900) n`,
    [api.userId],
  );
  await create(api, 'Shop');
  await until('the reset', () => reader.events.some(({ event, data }) => event === 'reset' && data.reason === 'slow'));
  await arrives(reader, 'Shop');
  t.ok(reader.events.length < 400, `${reader.events.length} frames`);
});
