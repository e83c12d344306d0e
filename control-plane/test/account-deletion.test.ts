import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { monitorSuspension } from '../src/modules/monitors/acts/account-suspension.js';
import { from, password, peopleInTurn } from './_support/people.js';
import { startStack } from './_support/stack.js';
import { insertMonitor, insertMonitors } from './_support/stored-monitor.js';
import { insertNode, insertUser } from './_support/stored-node.js';

const openPeople = await peopleInTurn(t);
const here = from('192.0.2.1');
const fresh = { password: null, freshness: { isFresh: true, factors: [] } };
const FORTNIGHT_MS = 14 * 86_400_000;

t.test('a deleted account is restored by its mail until the last second, and is erased after it', async (t) => {
  const { add, login, deletion, users, clock, db, letters, revoked } = await openPeople(t);
  const mailed = () =>
    (letters.findLast(({ template }) => template === 'account-deleting') as unknown as { data: { token: string } }).data
      .token;
  const { id, email } = await add('ada@example.com');
  await login(email);
  await deletion.delete(id, fresh, here);
  const date = new Date(clock.now() + FORTNIGHT_MS).toISOString().slice(0, 10);
  const details = { account: [{ message: new RegExp(date) }] };
  await t.rejects(login(email), { code: 'ACCOUNT_DELETED', details });
  await t.rejects(add(email), { code: 'ACCOUNT_EMAIL_TAKEN' });
  t.match(await db('sessions').where({ user_id: id }), [{ revoked_at: Date }]);
  t.match(await users.listUsers(), [{ id, status: 'deleting' }]);
  t.ok(revoked.includes(id));
  clock.advance(FORTNIGHT_MS - 1);
  await deletion.erase(id);
  const first = mailed();
  const tries = await Promise.allSettled(Array.from({ length: 16 }, () => deletion.restore(first, here)));
  t.equal(tries.filter(({ status }) => status === 'fulfilled').length, 1, 'once');
  t.match(await db('sessions').where({ user_id: id }), [{ revoked_at: Date }], 'sessions stay ended');
  t.match(await login(email), { user: { id } });

  clock.advance(1);
  await deletion.erase(id);
  await deletion.delete(id, fresh, here);
  await t.rejects(deletion.restore(first, here), { code: 'AUTH_OTP_INVALID' });
  clock.advance(FORTNIGHT_MS);
  await t.rejects(deletion.restore(mailed(), here), { code: 'AUTH_OTP_EXPIRED' });
  const { rows: jobs } = await db.raw("SELECT run_at FROM vantage_jobs.jobs WHERE key = 'account.erase:' || ?", [id]);
  t.strictSame(jobs, [{ run_at: new Date(clock.now()) }], 'one job, the later one');
  await deletion.erase(id);
  t.match(letters.at(-1), { to: email, template: 'account-deleted' });
  t.equal((await add(email)).email, email, 'the address is free again');
  const acts = await db('audit_log').where({ account_id: id }).whereLike('action', 'account.%').orderBy('id');
  t.strictSame(
    acts.map(({ action }) => action),
    ['created', 'deletion_requested', 'restored', 'deletion_requested', 'deleted'].map((act) => `account.${act}`),
  );
});

t.test('an unverified account is erased at once, and the only administrator stays', async (t) => {
  const { signIn, deletion, users, db } = await openPeople(t);
  const client = { address: '192.0.2.1', userAgent: null };
  const { user } = await signIn.register({ email: 'eve@example.com', password, client, actor: here }, 'en');
  await deletion.delete(user.id, fresh, here);
  t.match(await db('users').where({ id: user.id }), [{ email: null, deleted_at: Date }]);
  const admin = (name: string) => users.createUser({ email: `${name}@example.com`, role: 'admin', password: null });
  const [first, second] = [await admin('first'), await admin('second')];
  await deletion.delete(first.id, fresh, here);
  await t.rejects(
    deletion.delete(second.id, fresh, here),
    { code: 'CONFLICT' },
    'one that is to be erased does not count',
  );
  await t.rejects(users.delete(second.id, here), { code: 'CONFLICT' });
});

t.test('what an account has stands still until it is restored, and only that continues', async (t) => {
  const { api, controlPlane, database } = await startStack(t);
  const { db } = database;
  const { accounts, tokens } = controlPlane.services;
  const { id } = await accounts.users.createUser({ email: 'ada@example.com', role: 'user', password });
  const { token } = await tokens.personal.create({ userId: id, scopes: null }, { name: 'all' }, commandLine);
  const [node, other, drained] = [
    await insertNode(db, { owner_id: id }),
    await insertNode(db),
    await insertNode(db, { owner_id: id, draining_at: new Date() }),
  ];
  const monitor = await insertMonitor(db, [other], { owner_id: id });
  const call = async (method: string, path: string, body?: object) =>
    (await api.call(method, `/v1/monitors${path}`, { as: token, ...(body === undefined ? {} : { body }) })).body;
  const job = (await call('POST', '', { name: 'job', type: 'heartbeat' })).data;
  const paused = (await call('POST', '', { name: 'paused', type: 'heartbeat' })).data;
  await call('POST', `/${paused.id}/pause`);
  const statesOf = async () => ({
    nodes: await db('nodes')
      .whereIn('id', [node, other, drained])
      .whereNotNull('draining_at')
      .orderBy('id')
      .pluck('id'),
    monitors: await db('monitors').where({ owner_id: id, status: 'active' }).orderBy('id').pluck('id'),
    assigned: await db('monitor_assignments').where({ monitor_id: monitor.id, ended_at: null }).pluck('node_id'),
  });
  t.match(await call('GET', `/${job.id}`), { data: { status: 'active', paused_reason: null } });
  await accounts.deletion.delete(id, fresh, commandLine);
  t.match(await call('GET', `/${job.id}`), { error: { code: 'AUTH_ACCOUNT_DISABLED' } });
  t.strictSame(await statesOf(), { nodes: [node, drained].sort(), monitors: [], assigned: [] });
  const reasons = await db('monitors').where({ owner_id: id }).whereIn('name', ['job', 'paused']).orderBy('name');
  t.match(reasons, [
    { name: 'job', paused_reason: 'account_deleting' },
    { name: 'paused', paused_reason: null },
  ]);

  await db.transaction(async (trx) => {
    const user = await trx('users').where({ id }).first();
    await accounts.deletion.restoreUser(trx, user, { actor: commandLine });
  });
  t.strictSame(await statesOf(), { nodes: [drained], monitors: [monitor.id, job.id].sort(), assigned: [] });
  t.ok((await db('placement_due').pluck('monitor_id')).includes(monitor.id), 'it gets nodes again');
  t.match(await call('GET', `/${paused.id}`), { data: { status: 'paused', paused_reason: null } });
});

t.test('monitors are paused and resumed with as many statements as one monitor takes', async (t) => {
  const { db } = await openPeople(t);
  const none = async () => {};
  const suspension = monitorSuspension({ clock: new FakeClock(), heartbeats: { suspend: none, resume: none } });
  const nodes = [await insertNode(db), await insertNode(db)];
  const statementsFor = async (count: number): Promise<number> => {
    const owner = { id: await insertUser(db) };
    const monitors = await insertMonitors(
      db,
      owner.id,
      Array.from({ length: count }, () => ({})),
    );
    const assign = (node: string) => monitors.map(({ id }) => ({ monitor_id: id, node_id: node, generation: 1 }));
    await db('monitor_assignments').insert(nodes.flatMap(assign));
    let statements = 0;
    const note = () => void (statements += 1);
    db.on('query', note);
    await db.transaction((trx) => suspension.suspend(trx, owner, commandLine));
    db.off('query', note);
    t.strictSame(await db('monitors').where({ owner_id: owner.id }).distinct('status').pluck('status'), ['paused']);
    t.strictSame(await db('monitor_assignments').where({ ended_at: null }), []);
    db.on('query', note);
    await db.transaction((trx) => suspension.resume(trx, owner, commandLine));
    db.off('query', note);
    t.strictSame(await db('monitors').where({ owner_id: owner.id }).distinct('status').pluck('status'), ['active']);
    const acts = await db('audit_log').where({ account_id: owner.id }).pluck('action');
    t.strictSame(acts.sort(), [...Array(count).fill('monitor.paused'), ...Array(count).fill('monitor.resumed')]);
    return statements;
  };
  t.equal(await statementsFor(50), await statementsFor(1));
});

t.test('an account is deleted by a session that is fresh, or that sends its password', async (t) => {
  const clock = new FakeClock(Date.now());
  const { api, controlPlane } = await startStack(t, {}, clock);
  const { users } = controlPlane.services.accounts;
  const add = async (email: string) => {
    const { id: userId } = await users.createUser({ email, role: 'user', password });
    const body = { email, password };
    const session = (await api.call('POST', '/v1/auth/login', { as: null, body })).body.data.access_token;
    const { personal } = controlPlane.services.tokens;
    const { token } = await personal.create({ userId, scopes: null }, { name: 'all' }, commandLine);
    clock.advance(600_001);
    return { session, token };
  };
  const remove = async (as: string, body: object = {}) => {
    const { status, body: reply } = await api.call('DELETE', '/v1/account', { as, body });
    return [status, reply.error?.code, reply.error?.meta ?? reply.error?.details];
  };
  const { session, token } = await add('ada@example.com');
  t.match(await remove(token, { password }), [403, 'FORBIDDEN', { authorization: [{}] }]);
  t.strictSame(await remove(session), [401, 'AUTH_2FA_REQUIRED', { step_up: true, factors: ['password'] }]);
  t.match(await remove(session, { password: 'wrong horse' }), [401, 'AUTH_CREDENTIALS_INVALID', { password: [{}] }]);
  t.match(await remove(session, { password }), [200]);
  t.match(await remove(session, { password }), [401, 'AUTH_SESSION_INVALID']);
  const stolen = await add('grace@example.com');
  for (let n = 0; n < 6; n++) await remove(stolen.session, { password: 'wrong horse' });
  const guess = await remove(stolen.session, { password: 'wrong horse' });
  t.match(guess, [429, 'RATE_LIMIT_EXCEEDED'], 'guesses wait as they do when signing in');
});
