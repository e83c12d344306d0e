import t from 'tap';
import { requireWayIn, type WaysIn } from './last-way-in.js';

t.test('an account keeps at least one way to sign in', async (t) => {
  const none: WaysIn = { hasPassword: false, passkeys: 0, identities: 0, canGetCode: false };
  t.throws(() => requireWayIn(none), { code: 'CONFLICT', details: { id: [{ message: /last way to sign in/ }] } });
  for (const one of [{ hasPassword: true }, { passkeys: 1 }, { identities: 1 }, { canGetCode: true }])
    t.doesNotThrow(() => requireWayIn({ ...none, ...one }), JSON.stringify(one));
});
