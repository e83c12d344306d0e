import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { lockOwner } from '../src/owners/index.js';
import { createTestDatabase } from './_support/database.js';
import { lockWaits } from './_support/lock-waits.js';
import { insertUser } from './_support/stored-node.js';

t.test('a locked owner is returned with its kind: a user with role and time zone, a team without', async (t) => {
  const { db } = await createTestDatabase(t);
  const id = await insertUser(db, { plan: 'pro', role: 'admin', timezone: 'Europe/Berlin' });
  await db('owners').insert({ id: 'tm_1', kind: 'team', plan: 'business' });
  const lock = (owner: string) => db.transaction((trx) => lockOwner(trx, { id: owner }));
  const user = { id, kind: 'user', plan: 'pro', role: 'admin', timezone: 'Europe/Berlin', isDisabled: false };
  t.strictSame(await lock(id), user);
  const team = { id: 'tm_1', kind: 'team', plan: 'business', role: 'user', timezone: null, isDisabled: false };
  t.strictSame(await lock('tm_1'), team);
  await t.rejects(lock('u_none'), { code: 'ACCOUNT_DELETED' });
});

t.test('the owner of a user follows the user: disabled, enabled, deleted', async (t) => {
  const { db } = await createTestDatabase(t);
  const id = await insertUser(db);
  const becomes = async (changes: object) => {
    await db('users').where({ id }).update(changes);
    return (await db('owners').where({ id }).first('state')).state;
  };
  const at = new Date();
  t.equal(await becomes({ disabled_at: at }), 'disabled');
  t.match(await db.transaction((trx) => lockOwner(trx, { id })), { isDisabled: true });
  t.equal(await becomes({ disabled_at: null }), 'active');
  t.equal(await becomes({ disabled_at: at, deleted_at: at }), 'deleted');
  await t.rejects(
    db.transaction((trx) => lockOwner(trx, { id })),
    { code: 'ACCOUNT_DELETED' },
  );
});

t.test('a change of a user or an owner and the lock of the owner wait for each other', async (t) => {
  const { db } = await createTestDatabase(t);
  const id = await insertUser(db);
  for (const [table, changes, seen] of [
    ['users', { disabled_at: new Date() }, { isDisabled: true }],
    ['users', { role: 'admin' }, { role: 'admin' }],
    ['owners', { plan: 'pro' }, { plan: 'pro' }],
  ] as const) {
    const holder = await db.transaction();
    await holder(table).where({ id }).update(changes);
    const locked = db.transaction((trx) => lockOwner(trx, { id }));
    await until('the lock to wait', async () => (await lockWaits(db)) > 0);
    await holder.commit();
    t.match(await locked, seen, `${table} ${Object.keys(changes)}`);
  }
});
