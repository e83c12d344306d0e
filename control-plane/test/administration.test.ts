import t from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { password } from './_support/people.js';
import { startStack } from './_support/stack.js';

const { api, controlPlane, database } = await startStack(t);
const { db } = database;
const { users, secondFactor } = controlPlane.services.accounts;
const reason = 'the owner asked by phone';

/** A user with a session. */
async function add(name: string) {
  const email = `${name}@example.com`;
  const { id } = await users.createUser({ email, role: 'user', password });
  const { body } = await api.call('POST', '/v1/auth/login', { as: null, body: { email, password } });
  const act = (method: string, path = '', body: object = { reason }) =>
    api.call(method, `/v1/admin/users/${id}${path}`, { body });
  const profile = async () =>
    (await api.call('GET', '/v1/account/profile', { as: body.data.access_token })).body.error?.code ?? 'ok';
  const acts = async () => {
    const lines = await db('audit_log').where({ account_id: id, user_id: api.userId }).orderBy('id').select('*');
    return lines.map(({ action, details }) => [action, details.reason]);
  };
  return { id, email, act, profile, acts };
}

t.test('administrators find users by what is known of them', async (t) => {
  const ada = await add('ada');
  const { id: other } = await users.createUser({ email: 'under_score@example.com', role: 'user', password: null });
  const find = async (query: string) => {
    const { body } = await api.call('GET', `/v1/admin/users?${query}`);
    return [body.data.items.map(({ id }: { id: string }) => id), body.meta.pagination.total];
  };
  t.strictSame(await find('q=ADA@'), [[ada.id], 1]);
  t.strictSame(await find('q=under_'), [[other], 1], 'no pattern');
  t.strictSame(await find(`q=${ada.id}`), [[ada.id], 1]);
  t.strictSame(await find('role=admin'), [[api.userId], 1]);
  t.strictSame(await find('status=disabled'), [[], 0]);
  t.strictSame(await find('plan=unlimited&page_size=1&page=3'), [[api.userId], 3]);
  t.match((await api.call('GET', `/v1/admin/users/${ada.id}`)).body.data, {
    id: ada.id,
    email: ada.email,
    role: 'user',
    plan: 'unlimited',
    status: 'active',
    email_verified: true,
    factors: ['password'],
    created_at: String,
    last_seen_at: String,
  });
  t.match(await api.call('GET', '/v1/admin/users/u_1'), {
    status: 404,
    body: { error: { code: 'ACCOUNT_NOT_FOUND' } },
  });
});

t.test('an administrator disables, enables and promotes a user, and ends sessions, each with a reason', async (t) => {
  const { act, profile, acts } = await add('grace');
  t.equal((await act('PATCH', '', { status: 'disabled' })).status, 400, 'a reason is required');
  t.match((await act('POST', '/end-sessions')).body.data, { status: 'active' });
  t.equal(await profile(), 'AUTH_SESSION_INVALID');
  t.match((await act('PATCH', '', { reason, status: 'disabled' })).body.data, { status: 'disabled' });
  await act('PATCH', '', { reason, status: 'disabled' });
  t.match((await act('PATCH', '', { reason, status: 'active', role: 'admin' })).body.data, { role: 'admin' });
  t.match((await act('PATCH', '', { reason, role: 'user' })).body.data, { role: 'user', status: 'active' });
  const actions = [
    'session.revoked',
    'account.sessions_ended',
    'account.disabled',
    'account.updated',
    'account.enabled',
  ];
  t.strictSame(
    (await acts()).map(([action]) => action),
    [...actions, 'account.updated'],
  );
  t.ok((await acts()).slice(1).every(([, why]) => why === reason));
});

t.test('factors that were lost are reset: the password alone signs in, and all sessions end', async (t) => {
  const { id, email, act, profile } = await add('hopper');
  await secondFactor.setUp(id, commandLine);
  await db('totp_secrets').where({ user_id: id }).update({ enabled_at: new Date() });
  const login = () => api.call('POST', '/v1/auth/login', { as: null, body: { email, password } });
  t.equal((await login()).body.error.code, 'AUTH_2FA_REQUIRED');
  t.match((await act('POST', '/reset-factors')).body.data, { factors: ['password'] });
  t.equal(await profile(), 'AUTH_SESSION_INVALID');
  t.equal((await login()).status, 200);
});

t.test(
  'a user that an administrator deletes can be restored; one that is not verified is erased at once',
  async (t) => {
    const { id, act, acts } = await add('joan');
    t.match((await act('DELETE')).body.data, { status: 'deleting' });
    t.equal((await act('DELETE')).status, 409);
    t.match((await act('POST', '/restore')).body.data, { status: 'active' });
    t.equal((await act('POST', '/restore')).status, 409);
    t.match(await acts(), [
      ['account.deletion_requested', reason],
      ['account.restored', reason],
    ]);
    await db('users').where({ id }).update({ email_verified_at: null });
    t.match((await act('DELETE')).body.data, { id, status: 'deleted', email: '' });
    t.equal((await act('DELETE')).status, 404);
  },
);

t.test('an administrator acts on others alone, and the last one stays', async (t) => {
  const own = `/v1/admin/users/${api.userId}`;
  for (const [method, path, body] of [
    ['PATCH', '', { reason, role: 'user' }],
    ['DELETE', '', { reason }],
    ['POST', '/reset-factors', { reason }],
  ] as const) {
    const reply = await api.call(method, `${own}${path}`, { body });
    t.match(reply, { status: 409, body: { error: { code: 'CONFLICT', details: { account: [{}] } } } }, path);
  }
  const { administration } = controlPlane.services.accounts;
  const last = administration.change(api.userId, { status: 'disabled' }, { actor: commandLine });
  await t.rejects(last, { code: 'CONFLICT' });
});
