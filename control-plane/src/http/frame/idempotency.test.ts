import t from 'tap';
import { aRoute } from '../../../test/_support/http-routes.js';
import { startTestServer } from '../../../test/_support/http-server.js';
import { sendRaw } from '../../../test/_support/raw-http.js';
import { defineRoute } from '../route.js';
import { fingerprintOf, type IdempotencyKeys, type IdempotentRequest, isKept } from './idempotency.js';

t.test('a key is 1 to 255 visible ASCII characters, and used only by POST', async (t) => {
  const claimed: string[] = [];
  const idempotency: IdempotencyKeys = {
    async claim({ key }) {
      claimed.push(key);
      return { kind: 'first', store: async () => {}, release: async () => {} };
    },
  };
  const post = aRoute('/v1/make', { method: 'POST' });
  const { port } = await startTestServer(t, [post, aRoute('/v1/read', {})], { idempotency });
  const send = (head: string, key: string) =>
    sendRaw(
      port,
      Buffer.from(`${head} HTTP/1.1\r\nHost: x\r\nIdempotency-Key:${key}\r\nContent-Length: 0\r\n\r\n`, 'latin1'),
    );
  const good = ['a', '!', '~', 'x'.repeat(255), '"quoted,with;all=of:it"'];
  for (const key of good) t.equal((await send('POST /v1/make', ` ${key}`)).status, 200, key.slice(0, 30));
  for (const key of ['', ' ', 'x'.repeat(256), 'two words', 'tab\tbed', 'caf\u00e9', '\u00ff']) {
    const { status, body } = await send('POST /v1/make', ` ${key}`);
    t.equal(status, 400, JSON.stringify(key.slice(0, 30)));
    t.match(JSON.parse(body), {
      error: { code: 'VALIDATION_FAILED', details: { 'idempotency-key': [{ code: 'format' }] } },
    });
  }
  t.equal((await send('GET /v1/read', ' two words')).status, 200);
  t.strictSame(claimed, good);
});

t.test('responses to live and test keys of one account are separate', async (t) => {
  const seen: IdempotentRequest[] = [];
  const idempotency: IdempotencyKeys = {
    async claim(request) {
      seen.push(request);
      return { kind: 'first', store: async () => {}, release: async () => {} };
    },
  };
  const route = defineRoute({ ...aRoute('/v1/make', { method: 'POST' }) });
  const { url } = await startTestServer(t, [route], {
    idempotency,
    authenticator: {
      authenticate: async (token) => ({
        owner: { kind: 'user', id: 'u_one', isTest: token === 'test' },
        user: { id: 'u_one' },
        createdBy: 'u_one',
        role: 'user',
        plan: 'free',
        scopes: new Set(),
        ownerRole: 'owner',
        credentialKind: 'api_key',
        credentialId: token,
        isEmailVerified: true,
        freshness: null,
        isBrowser: false,
        allowedOrigins: null,
      }),
    },
  });
  for (const token of ['live', 'other-live', 'test']) {
    const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': 'k' };
    t.equal((await fetch(`${url}/v1/make`, { method: 'POST', headers })).status, 200);
  }
  const [live, otherLive, test] = seen.map(({ caller }) => caller);
  t.equal(live, otherLive);
  t.not(live, test);
});

t.test(
  'two requests are one when method, target, the bytes of the body and what the caller may do are the same',
  async (t) => {
    const same = { method: 'POST', target: '/v1/x', scopes: ['probe', 'account'] };
    const body = Buffer.from('{}');
    const base = fingerprintOf(same, body);
    t.ok(base.equals(fingerprintOf({ ...same, scopes: new Set(['account', 'probe']) }, Buffer.from('{}'))));
    for (const other of [
      fingerprintOf(same, Buffer.from('{} ')),
      fingerprintOf({ ...same, target: '/v1/x?a=1' }, body),
      fingerprintOf({ ...same, method: 'PATCH' }, body),
      fingerprintOf({ ...same, scopes: ['account'] }, body),
      fingerprintOf(same, null),
    ]) {
      t.notOk(base.equals(other));
    }
  },
);

t.test('a response is kept unless the same request could still succeed, or be corrected', async (t) => {
  const kept = [200, 201, 202, 401, 403, 404, 409, 422].filter((status) => !isKept(status));
  const notKept = [400, 408, 429, 500, 502, 503].filter(isKept);
  t.strictSame([kept, notKept], [[], []]);
});
