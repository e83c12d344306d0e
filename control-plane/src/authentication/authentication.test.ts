import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import type { BusMessage } from '../bus/bus.js';
import { createLogger } from '../runtime/log.js';
import { Authentication, type Credential, type CredentialSource, EVERYBODY } from './index.js';

const ada: Credential = {
  id: 'key_ada',
  kind: 'api_key',
  owner: { kind: 'user', id: 'u_ada', plan: 'free', state: 'active' },
  user: { id: 'u_ada', role: 'user', isEmailVerified: true },
  ownerRole: 'owner',
  createdBy: 'u_ada',
  scopes: ['read'],
  isTest: false,
  allowedOrigins: null,
  refusal: null,
  validForMs: null,
};

/** Credentials in memory instead of a table; `reads` counts how often one was asked for. */
function setUp(credential: Partial<Credential> | null = {}, isStrict = false) {
  const state = { credential: credential === null ? null : { ...ada, ...credential }, reads: 0, uses: [] as string[] };
  const listeners: ((message: BusMessage) => void)[] = [];
  const resyncs: (() => void)[] = [];
  const sent: BusMessage[] = [];
  const gate: { hold: Promise<void> | null } = { hold: null };
  const source: CredentialSource = {
    kind: 'api_key',
    recognises: (token) => token.startsWith('sk_'),
    find: async () => {
      state.reads++;
      const { credential: seen } = state;
      await gate.hold;
      return seen;
    },
    noteUse: async (id) => void state.uses.push(id),
  };
  const clock = new FakeClock();
  const authentication = new Authentication({
    sources: [source],
    bus: {
      broadcast: (message) => void sent.push(message),
      onMessage: (listener) => void listeners.push(listener),
      onResync: (listener) => void resyncs.push(listener),
    },
    clock,
    log: createLogger('silent'),
    needsVerifiedEmail: isStrict,
  });
  const hear = (message: BusMessage) => {
    for (const listener of listeners) listener(message);
  };
  return { authentication, state, clock, sent, hear, resync: () => resyncs.forEach((listener) => listener()), gate };
}

t.test('a credential is read once for many requests, and again after half a second', async (t) => {
  const { authentication, state, clock } = setUp();
  const accounts = await Promise.all(Array.from({ length: 20 }, () => authentication.authenticate('sk_1')));
  t.match(accounts[0], {
    owner: { kind: 'user', id: 'u_ada' },
    user: { id: 'u_ada' },
    credentialId: 'key_ada',
    plan: 'free',
    scopes: new Set(['probe:read']),
  });
  t.equal(state.reads, 1);
  clock.advance(499);
  await authentication.authenticate('sk_1');
  t.equal(state.reads, 1);
  clock.advance(1);
  await authentication.authenticate('sk_1');
  t.equal(state.reads, 2);
});

t.test('a credential that is revoked here is refused at once, and all replicas are notified', async (t) => {
  const { authentication, state, sent } = setUp();
  await authentication.authenticate('sk_1');
  state.credential = { ...ada, refusal: 'API_KEY_REVOKED' };
  authentication.revoked('u_ada');
  await t.rejects(authentication.authenticate('sk_1'), { code: 'API_KEY_REVOKED' });
  t.strictSame(sent, [{ type: 'credentials', ids: ['u_ada'] }]);
});

t.test(
  'a credential that was revoked elsewhere is refused after the message, or after messages may have been missed',
  async (t) => {
    for (const announce of [
      ({ hear }: ReturnType<typeof setUp>) => hear({ type: 'credentials', ids: ['u_ada'] }),
      ({ hear }: ReturnType<typeof setUp>) => hear({ type: 'credentials', ids: [EVERYBODY] }),
      ({ resync }: ReturnType<typeof setUp>) => resync(),
    ]) {
      const parts = setUp();
      await parts.authentication.authenticate('sk_1');
      parts.state.credential = null;
      await parts.authentication.authenticate('sk_1');
      announce(parts);
      await t.rejects(parts.authentication.authenticate('sk_1'), { code: 'AUTH_INVALID_TOKEN' });
    }
  },
);

t.test('a credential that was being read while it was revoked is not cached', async (t) => {
  const { authentication, state, gate } = setUp();
  let open = () => {};
  gate.hold = new Promise((resolve) => {
    open = resolve;
  });
  const before = authentication.authenticate('sk_1');
  state.credential = { ...ada, refusal: 'API_KEY_REVOKED' };
  authentication.revoked('u_ada');
  const after = authentication.authenticate('sk_1');
  open();
  await before;
  await t.rejects(after, { code: 'API_KEY_REVOKED' }, 'who asked after it does not get the answer of before');
  await t.rejects(authentication.authenticate('sk_1'), { code: 'API_KEY_REVOKED' });
});

t.test('a credential is not cached beyond its expiry', async (t) => {
  const { authentication, state, clock } = setUp({ validForMs: 100 });
  await authentication.authenticate('sk_1');
  clock.advance(100);
  state.credential = { ...ada, validForMs: 0 };
  await t.rejects(authentication.authenticate('sk_1'), { code: 'TOKEN_EXPIRED' });
});

t.test('of several reasons for a refusal, the most useful one for the owner is reported', async (t) => {
  const owner = ada.owner;
  for (const [credential, code] of [
    [{ owner: { ...owner, state: 'deleted' }, refusal: 'API_KEY_REVOKED', validForMs: 0 }, 'ACCOUNT_DELETED'],
    [{ owner: { ...owner, state: 'disabled' }, refusal: 'API_KEY_REVOKED', validForMs: 0 }, 'API_KEY_REVOKED'],
    [{ owner: { ...owner, state: 'disabled' }, validForMs: 0 }, 'TOKEN_EXPIRED'],
    [{ owner: { ...owner, state: 'disabled' } }, 'AUTH_ACCOUNT_DISABLED'],
    [null, 'AUTH_INVALID_TOKEN'],
  ] as const) {
    await t.rejects(setUp(credential).authentication.authenticate('sk_1'), { code }, code);
  }
  await t.rejects(setUp().authentication.authenticate('svc_mcp_1'), { code: 'AUTH_INVALID_TOKEN' });
});

t.test('a use is recorded at most once a minute, and no request waits for it', async (t) => {
  const { authentication, state, clock } = setUp();
  await authentication.authenticate('sk_1');
  clock.advance(59_999);
  await authentication.authenticate('sk_1');
  t.strictSame(state.uses, ['key_ada']);
  clock.advance(1);
  await authentication.authenticate('sk_1');
  t.strictSame(state.uses, ['key_ada', 'key_ada']);
});

t.test('where addresses must be verified keys wait for it, the session of a registration does not', async (t) => {
  const user = { id: 'u_ada', role: 'user', isEmailVerified: false } as const;
  await setUp({ user }).authentication.authenticate('sk_1');
  await setUp({ user, kind: 'session' }, true).authentication.authenticate('sk_1');
  await t.rejects(setUp({ user }, true).authentication.authenticate('sk_1'), { code: 'AUTH_EMAIL_NOT_VERIFIED' });
});
