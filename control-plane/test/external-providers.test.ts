import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import t, { type Test } from 'tap';
import { Outbound } from '../src/deliver/index.js';
import { Provider } from '../src/modules/accounts/providers/provider.js';

const secrets = { state: 'a state', nonce: 'a nonce', codeVerifier: 'v'.repeat(43) };
const redirectUri = 'https://vantage.example/sign-in/oauth/id/callback';
const { publicKey, privateKey } = await generateKeyPair('RS256');
const { privateKey: otherKey } = await generateKeyPair('RS256');
const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: '1', alg: 'RS256' }] };

/** Changes that a provider makes to what an honest one says. */
interface Lies {
  readonly metadata?: object;
  readonly claims?: JWTPayload;
  readonly sign?: (claims: JWTPayload) => Promise<string>;
}

const sign = (claims: JWTPayload, key = privateKey) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: '1' }).sign(key);

/** A provider that lies, and the paths that it was asked for. */
async function startLiar(t: Test, lies: Lies = {}) {
  const asked: string[] = [];
  const server = createServer(async ({ url = '' }, response) => {
    asked.push(url);
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: issuer,
      aud: 'vantage',
      sub: '1',
      nonce: secrets.nonce,
      iat: now,
      exp: now + 60,
      ...lies.claims,
    };
    const bodies: Record<string, object> = {
      '/.well-known/openid-configuration': {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        ...lies.metadata,
      },
      '/token': { access_token: 'a token', token_type: 'Bearer', id_token: await (lies.sign ?? sign)(claims) },
      '/keys': keys,
    };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(bodies[url]));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const policy = new TargetPolicy({ allow: [], own: [], denied: [] });
  const clock = new FakeClock();
  const outbound = new Outbound({ policy: () => policy, userAgent: 'Vantage/test', clock });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { client_id: 'vantage', client_secret: 'a secret' };
  const provider = new Provider({ id: 'id', name: 'ID', kind: 'oidc', issuer, ...credentials }, { outbound, clock });
  return { asked, server, clock, provider };
}

/** Identifies a person by a provider that lies. */
async function identify(t: Test, lies: Lies) {
  const { asked, provider } = await startLiar(t, lies);
  return { asked, result: provider.identify(redirectUri, { code: 'a code', state: secrets.state }, secrets) };
}

t.test('a person is who the signed token says, with an address that the provider calls verified', async (t) => {
  const email = 'grace@people.example';
  const honest = await identify(t, { claims: { email, email_verified: true } });
  t.strictSame(await honest.result, { subject: '1', label: email, email });
  for (const email_verified of [false, 'true', undefined]) {
    const { result } = await identify(t, { claims: { email, email_verified } });
    t.strictSame(await result, { subject: '1', label: email, email: null }, String(email_verified));
  }
});

const lies: Record<string, Lies> = {
  'another key signed': { sign: (claims) => sign(claims, otherKey) },
  'no one signed': { sign: async (claims) => new UnsecuredJWT(claims).encode() },
  'is for another client': { claims: { aud: 'other' } },
  'is of another issuer': { claims: { iss: 'https://evil.example' } },
  'replies to another request': { claims: { nonce: 'another nonce' } },
  'has expired': { claims: { iat: 1, exp: 2 } },
};

for (const [name, lie] of Object.entries(lies)) {
  t.test(`a token that ${name} identifies no one`, async (t) => {
    await t.rejects((await identify(t, lie)).result, { name: 'ProviderError', isAway: false });
  });
}

t.test('a provider leads no request to a private address but its own, and no response is too large', async (t) => {
  for (const address of ['http://127.0.0.2', 'https://10.0.0.1', 'http://1.1.1.1']) {
    const { asked, result } = await identify(t, { metadata: { token_endpoint: `${address}/token` } });
    await t.rejects(result, {
      name: 'ProviderError',
      isAway: true,
      message: new RegExp(`^${address}: .*(?:not allowed|https)`),
    });
    t.strictSame(asked, ['/.well-known/openid-configuration'], address);
  }
  const { result } = await identify(t, { metadata: { claims_supported: ['x'.repeat(600_000)] } });
  await t.rejects(result, { isAway: true, message: /the response is too large/ });
});

t.test('the metadata of a provider is read at its first use, again after an hour, and until it can be', async (t) => {
  const { asked, server, clock, provider } = await startLiar(t);
  t.strictSame(asked, []);
  const url = () => provider.authorizationUrl(redirectUri, secrets);
  await Promise.all([url(), url()]);
  clock.advance(3_599_999);
  await url();
  t.equal(asked.length, 1);
  clock.advance(1);
  const { port } = server.address() as AddressInfo;
  server.close();
  server.closeAllConnections();
  await t.rejects(url(), { isAway: true, message: /cannot connect/ });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  await url();
  t.equal(asked.length, 2);
});
