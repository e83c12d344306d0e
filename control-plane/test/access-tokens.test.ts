import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type JWTHeaderParameters, SignJWT } from 'jose';
import t, { type Test } from 'tap';
import { from, peopleInTurn, publicUrl } from './_support/people.js';

const openPeople = await peopleInTurn(t);
const invalid = { code: 'AUTH_INVALID_TOKEN', status: 401 };
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function signedIn(t: Test) {
  const people = await openPeople(t);
  await people.add('ada@example.com');
  const { tokens } = await people.login('ada@example.com');
  const [header, claims] = tokens.accessToken.split('.').map((part) => decode(part));
  return { ...people, tokens, header, claims };
}

function decode(part: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return {};
  }
}

t.test(
  'an access token is an Ed25519 JWT that names key, issuer, audience, user and session, and lasts 15 minutes',
  async (t) => {
    const { tokens, header, claims, sessions, clock } = await signedIn(t);
    t.match(header, { alg: 'EdDSA', typ: 'at+jwt', kid: /^[\w-]{22}$/ });
    t.match(claims, { iss: publicUrl, aud: publicUrl, sub: tokens.userId, sid: tokens.sessionId });
    t.equal(Number(claims?.['exp']) - Number(claims?.['iat']), 900);
    t.match(await sessions.find(tokens.accessToken), {
      id: tokens.sessionId,
      user: { id: tokens.userId },
      refusal: null,
    });
    clock.advance(899_999);
    await sessions.find(tokens.accessToken);
    clock.advance(1);
    await t.rejects(sessions.find(tokens.accessToken), { code: 'AUTH_EXPIRED', status: 401 });
  },
);

t.test('forged tokens are refused', async (t) => {
  const { tokens, header, claims, sessions, signingKeys } = await signedIn(t);
  const [headerPart = '', claimsPart = '', signature = ''] = tokens.accessToken.split('.');
  const [jwk] = signingKeys.jwks();
  const publicKey = Buffer.from(jwk?.x ?? '', 'base64url');
  const hmac = (head: object, secret: Buffer | string) => {
    const signed = `${encode(head)}.${claimsPart}`;
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  };
  const { privateKey } = generateKeyPairSync('ed25519');
  const own = (head: object) => sign(privateKey, { ...header, ...head }, claims ?? {});
  const embedded = { jwk: privateKey.export({ format: 'jwk' }) };
  const forged: Record<string, string> = {
    'alg none': `${encode({ ...header, alg: 'none' })}.${claimsPart}.`,
    'alg none, the signature kept': `${encode({ ...header, alg: 'none' })}.${claimsPart}.${signature}`,
    'HS256 with the public key': hmac({ ...header, alg: 'HS256' }, publicKey),
    'HS256 with the public key as text': hmac({ ...header, alg: 'HS256' }, jwk?.x ?? ''),
    'a key of the attacker under our kid': await own({}),
    'a key of the attacker in jwk': await own({ ...embedded, kid: undefined }),
    'a key of the attacker at jku': await own({ jku: 'https://attacker.example/jwks.json' }),
    'an unknown kid': await own({ kid: 'unknown' }),
    'no kid': await own({ kid: undefined }),
    'kid named like a prototype property': await own({ kid: '__proto__' }),
    'changed claims': `${headerPart}.${encode({ ...claims, sub: 'u_1111111111111111111111' })}.${signature}`,
    'a truncated signature': tokens.accessToken.slice(0, -4),
    'two parts': `${headerPart}.${claimsPart}`,
    nonsense: 'eyJ.e.e',
  };
  for (const [name, token] of Object.entries(forged)) await t.rejects(sessions.find(token), invalid, name);
  await sessions.find(tokens.accessToken);
});

t.test('a token that our key signed for another purpose is refused', async (t) => {
  const { header, claims, sessions, signingKeys, clock } = await signedIn(t);
  const { privateKey } = signingKeys.signer();
  const now = Math.floor(clock.now() / 1_000);
  const cases: Record<string, [object, object]> = {
    'another audience': [{}, { aud: 'https://other.example' }],
    'another issuer': [{}, { iss: 'https://other.example' }],
    'another type': [{ typ: 'JWT' }, {}],
    'no type': [{ typ: undefined }, {}],
    'no expiry': [{}, { exp: undefined }],
    'not yet valid': [{}, { nbf: now + 60 }],
    'no session': [{}, { sid: undefined }],
    'no subject': [{}, { sub: undefined }],
    'a critical header that it does not understand': [{ crit: ['unheard-of'], 'unheard-of': true }, {}],
  };
  for (const [name, [head, body]] of Object.entries(cases)) {
    await t.rejects(
      sessions.find(await sign(privateKey, { ...header, ...head }, { ...claims, ...body })),
      invalid,
      name,
    );
  }
  const others = await sign(privateKey, header ?? {}, { ...claims, sub: 'u_1111111111111111111111' });
  await t.rejects(sessions.find(others), { code: 'AUTH_SESSION_INVALID' }, 'a session of another user');
  await sessions.find(await sign(privateKey, header ?? {}, claims ?? {}));
});

t.test(
  'keys rotate: the new key is published before it signs, the old key until no token is signed by it',
  async (t) => {
    const { tokens, sessions, signingKeys, clock, login } = await signedIn(t);
    const before = signingKeys.signer().kid;
    clock.advance(1_000);
    const kid = await signingKeys.rotate();
    t.strictSame(
      signingKeys.jwks().map((key) => key.kid),
      [kid, before],
    );
    t.equal(signingKeys.signer().kid, before, 'replicas have two minutes to learn of it');
    clock.advance(120_000);
    t.equal(signingKeys.signer().kid, kid);
    await sessions.find(tokens.accessToken);
    await sessions.find((await login('ada@example.com')).tokens.accessToken);
    clock.advance(16 * 60_000);
    await signingKeys.upkeep();
    t.strictSame(
      signingKeys.jwks().map((key) => key.kid),
      [kid, before],
    );
    clock.advance(60_000);
    await signingKeys.upkeep();
    t.strictSame(
      signingKeys.jwks().map((key) => key.kid),
      [kid],
    );
    clock.advance(30 * 24 * 3_600_000);
    await signingKeys.upkeep();
    t.equal(signingKeys.jwks().length, 2, 'after a month the next key is created');
  },
);

t.test('a compromised key is dropped at once, with all tokens it signed', async (t) => {
  const { tokens, sessions, signingKeys } = await signedIn(t);
  const kid = await signingKeys.rotate({ dropOld: true });
  t.strictSame(
    signingKeys.jwks().map((key) => key.kid),
    [kid],
  );
  await t.rejects(sessions.find(tokens.accessToken), invalid);
  const refreshed = await sessions.refresh(tokens.refreshToken, from('192.0.2.1'));
  await sessions.find(refreshed.accessToken);
});

t.test('another replica verifies by a key it has not read yet, and private keys are stored sealed', async (t) => {
  const first = await signedIn(t);
  const second = await openPeople(t, { database: { db: first.db, url: '' } });
  await first.signingKeys.rotate({ dropOld: true });
  second.clock.advance(1_000);
  const { tokens } = await first.login('ada@example.com');
  await second.sessions.find(tokens.accessToken);
  const [row] = await first.db('signing_keys').select('sealed_private_key');
  const der = first.signingKeys.signer().privateKey.export({ format: 'der', type: 'pkcs8' });
  t.notOk(row.sealed_private_key.includes(der.subarray(-32)));
});

function sign(key: KeyObject, header: object, claims: object): Promise<string> {
  const present = Object.fromEntries(Object.entries(header).filter(([, value]) => value !== undefined));
  const body = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
  return new SignJWT(body)
    .setProtectedHeader(present as JWTHeaderParameters)
    .sign(key, { crit: { 'unheard-of': true } });
}
