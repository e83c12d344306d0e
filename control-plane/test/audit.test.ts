import t from 'tap';
import { commandLine, program } from '../src/audit-log/actor.js';
import { insertAuditEntry } from '../src/audit-log/store.js';
import { enrollPeer } from './_support/peer-agent.js';
import { createUserApi, startStack, type TestApi } from './_support/stack.js';

interface Item {
  readonly id: string;
  readonly action: string;
  readonly subject: string;
  readonly actor: Readonly<Record<string, string | null>>;
}

/** Items of a log, and the rest of the response. */
async function read(api: TestApi, path: string, query = '') {
  const { status, body } = await api.call('GET', `${path}${query}`);
  const items: Item[] = body.data?.items ?? [];
  return { status, items, actions: items.map(({ action }) => action), pagination: body.meta?.pagination, body };
}
const own = (api: TestApi, query = '') => read(api, '/v1/account/audit', query);
const all = (api: TestApi, query = '') => read(api, '/v1/admin/audit', query);

const makeToken = (api: TestApi) => api.call('POST', '/v1/nodes/enrollment-tokens', { body: {} });

const { api, controlPlane, database } = await startStack(t);

t.test('an account reads its own history, newest first, and nothing of other accounts', async (t) => {
  const owner = await createUserApi(controlPlane, 'reader@test.example', 'user');
  const stranger = await createUserApi(controlPlane, 'stranger@test.example', 'user');
  const made = await makeToken(owner);
  await makeToken(stranger);
  await owner.call('DELETE', `/v1/nodes/enrollment-tokens/${made.body.data.id}`);
  const { items } = await own(owner, '?limit=2');
  t.match(items, [
    { action: 'enrollment_token.revoked', subject: made.body.data.id },
    {
      id: /^aud_/,
      at: /^\d{4}-.*Z$/,
      action: 'enrollment_token.created',
      actor: { kind: 'self', user_id: owner.userId, credential_id: /^pat_/, address: '127.0.0.1' },
      account_id: owner.userId,
      subject: made.body.data.id,
      details: {},
      request_id: made.body.request_id,
    },
  ]);
  t.notMatch(JSON.stringify((await own(owner)).body), stranger.userId);
  t.equal((await all(owner)).status, 403);
  for (const path of ['/v1/account/audit', '/v1/admin/audit']) {
    t.equal((await api.call('GET', path, { as: null })).status, 401, path);
  }
});

t.test('an account sees acts of others on it without their identity; administrators see both', async (t) => {
  const owner = await createUserApi(controlPlane, 'banned@test.example', 'user');
  const { nodeId } = await enrollPeer(owner, { name: 'home' });
  const banned = await api.call('POST', `/v1/admin/nodes/${nodeId}/ban`, { body: { reason: 'spam' } });
  t.equal(banned.status, 200);
  const visitor = { userId: null, credentialId: null, address: '198.51.100.7', requestId: 'req_visitor' };
  const act = { accountId: owner.userId, subject: 'x' } as const;
  for (const [actor, action] of [
    [visitor, 'session.refused'],
    [commandLine, 'node.unbanned'],
    [program, 'node.quarantined'],
  ] as const) {
    await insertAuditEntry(database.db, { ...act, actor, action });
  }
  const seen = new Map((await own(owner)).items.map(({ action, actor }) => [action, actor]));
  const nobody = { user_id: null, credential_id: null, address: null };
  t.strictSame(seen.get('node.banned'), { kind: 'administrator', ...nobody });
  t.strictSame(seen.get('node.unbanned'), { kind: 'operator', ...nobody });
  t.strictSame(seen.get('node.quarantined'), { kind: 'system', ...nobody });
  t.strictSame(seen.get('session.refused'), { kind: 'anonymous', ...nobody, address: '198.51.100.7' });
  t.match(seen.get('node.enrolled'), { kind: 'self', user_id: owner.userId });
  t.notMatch(JSON.stringify((await own(owner)).body), api.userId);
  const { items } = await all(api, `?account_id=${owner.userId}&action=node.banned`);
  t.match(items, [
    {
      actor: { kind: 'administrator', user_id: api.userId, credential_id: /^pat_/, address: '127.0.0.1' },
      subject: nodeId,
      details: { reason: 'spam' },
      request_id: banned.body.request_id,
    },
  ]);
});

t.test('the log is read in pages by cursor, and filtered by action, account and time', async (t) => {
  const owner = await createUserApi(controlPlane, 'pager@test.example', 'user');
  for (let count = 0; count < 5; count++) await makeToken(owner);
  await makeToken(api);
  const created = '?action=enrollment_token.created';
  const expected = (await own(owner, created)).items.map(({ id }) => id);
  t.strictSame([expected.length, expected], [5, expected.toSorted().toReversed()], 'newest first');
  const pages: string[][] = [];
  let cursor = '';
  for (;;) {
    const { items, pagination } = await own(owner, `${created}&limit=2${cursor}`);
    pages.push(items.map(({ id }) => id));
    t.equal(pagination.has_more, pagination.next_cursor !== null);
    if (pagination.next_cursor === null) break;
    // new lines do not move a page
    await makeToken(owner);
    cursor = `&cursor=${pagination.next_cursor}`;
  }
  t.strictSame(pages, [expected.slice(0, 2), expected.slice(2, 4), expected.slice(4)]);
  t.ok((await all(api, created)).items.some(({ actor }) => actor.user_id === api.userId));
  t.equal((await all(api, `${created}&account_id=${api.userId}`)).items.length, 1);
  await database
    .db('audit_log')
    .where({ id: expected[4] })
    .update({ at: new Date(Date.now() - 1_800_000) });
  const lastHour = (query: string) => all(api, `${created}&account_id=${owner.userId}${query}`);
  t.equal((await lastHour('&from=-1h')).items.length, 7);
  t.equal((await lastHour('&from=-20m')).items.length, 6);
  t.strictSame(
    (await lastHour('&to=-20m')).items.map(({ id }) => id),
    [expected[4]],
  );
  t.equal((await lastHour('&from=-2h&to=-1h')).items.length, 0);
  t.strictSame((await own(owner, '?action=node.banned')).items, []);
});

t.test('an invalid cursor, range, action or account is a 400 that names it', async (t) => {
  const cases: readonly (readonly [string, string])[] = [
    ['?cursor=nonsense', 'cursor'],
    ['?limit=0', 'limit'],
    ['?limit=201', 'limit'],
    ['?from=yesterday', 'from'],
    ['?from=-1h&to=-2h', 'from'],
    ['?to=1970-01-01T00:00:00Z', 'to'],
    ['?action=node.painted', 'action'],
    ['?account_id=me', 'account_id'],
  ];
  for (const [query, field] of cases) {
    const { status, body } = await all(api, query);
    t.equal(status, 400, query);
    t.strictSame(Object.keys(body.error.details), [field], query);
  }
});
