import { generateKeyPairSync } from 'node:crypto';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { storePasskey } from './_support/authenticator.js';
import { githubPerson, startGithub, walk } from './_support/external/providers.js';
import { lockWaits } from './_support/lock-waits.js';
import { asUser } from './_support/owners.js';
import { enrollBody, PeerAgent } from './_support/peer-agent.js';
import { readMail, startSmtpServer } from './_support/smtp-server.js';
import { startReplica, startStack } from './_support/stack.js';

// Mallory registers Victor's address. Nothing of hers may open the account once he has proven that the address is his,
// on any replica.

const hers = 'correct horse battery staple';
const his = 'a password that only Victor knows';

const smtp = await startSmtpServer(t);
const github = await startGithub(t);
const settings = {
  VANTAGE_SMTP_URL: `smtp://${smtp.host}`,
  VANTAGE_OAUTH: JSON.stringify([github.settings]),
  VANTAGE_TRUSTED_PROXIES: '127.0.0.1/32',
};
const { api, controlPlane, database } = await startStack(t, settings);
const { db } = database;
const other = await startReplica(t, database.url, { ...settings, VANTAGE_PUBLIC_URL: api.url });

/** Text of the newest mail to the victim with a matching subject, once it has arrived. */
async function mailed(victim: string, subject: RegExp, count = 1): Promise<string> {
  let texts: string[] = [];
  await until(`mail ${count} about ${subject}`, async () => {
    const read = await Promise.all(smtp.mails.filter(({ to }) => to.includes(victim)).map(readMail));
    texts = read.filter(({ subject: about }) => subject.test(about ?? '')).map(({ text }) => text ?? '');
    return texts.length >= count;
  });
  return texts.at(-1) ?? '';
}

/** Token of a mailed link. */
async function mailedToken(victim: string, subject: RegExp): Promise<string> {
  return /#(svc_ch_\S+)/.exec(await mailed(victim, subject))?.[1] ?? '';
}

const post = (path: string, body: unknown, as: string | null = null) => api.call('POST', path, { body, as });

async function register(victim: string): Promise<{ token: string; userId: string; refreshToken: string }> {
  const { body } = await post('/v1/auth/register', { email: victim, password: hers });
  return { token: body.data.access_token, userId: body.data.user_id, refreshToken: body.data.refresh_token };
}

/** Everything that opens an account, and its owner, created as if an older version had allowed it. */
async function holdings(t: Test, userId: string, name: string) {
  const { tokens, nodes } = controlPlane.services;
  const grantor = asUser(userId);
  const personal = await tokens.personal.create(grantor, { name: `${name} token` }, commandLine);
  const { key } = await tokens.apiKeys.create(grantor, { name: `${name} key` }, commandLine);
  const unused = await nodes.enrollmentTokens.create(asUser(userId), { label: `${name} unused` }, commandLine);
  const used = await nodes.enrollmentTokens.create(asUser(userId), { label: `${name} used` }, commandLine);
  const { privateKey } = generateKeyPairSync('ed25519');
  const audience = api.url;
  const enrolled = await post(
    '/v1/nodes/enroll',
    enrollBody(used.token, privateKey, audience, { name: `${name} node` }),
  );
  const { node_id: nodeId, control_urls: controlUrls } = enrolled.body.data;
  const identity = { nodeId, privateKey, audience, controlUrls };
  const peer = await PeerAgent.connect(t, other.listenUrl, identity);
  await storePasskey(db, userId, `${name} passkey`);
  return { userId, personal: personal.token, key, unused: unused.token, identity, peer };
}

/** Responses of both replicas to a credential. */
async function answers(token: string, path = '/v1/account/profile'): Promise<string[]> {
  return Promise.all(
    [api.url, other.listenUrl].map(async (url) => {
      const response = await fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}` } });
      const { error } = (await response.json()) as { error?: { code: string } };
      return `${response.status} ${error?.code ?? ''}`.trim();
    }),
  );
}

async function refuses(t: Test, held: Awaited<ReturnType<typeof holdings>>, message: string) {
  await until('the other replica to be notified', async () => {
    const codes = [...(await answers(held.personal)), ...(await answers(held.key, '/v1/probe/tasks'))];
    return codes.every((code) => code.startsWith('401'));
  }).catch(() => {});
  t.strictSame(new Set(await answers(held.personal)), new Set(['401 AUTH_INVALID_TOKEN']), `${message}: token`);
  t.strictSame(
    new Set(await answers(held.key, '/v1/probe/tasks')),
    new Set(['401 API_KEY_REVOKED']),
    `${message}: key`,
  );
  t.strictSame(await db('passkeys').where({ user_id: held.userId }), [], `${message}: passkey`);
  const { privateKey } = generateKeyPairSync('ed25519');
  const late = await post('/v1/nodes/enroll', enrollBody(held.unused, privateKey, api.url));
  t.match(late.body.error, { code: 'NODE_ENROLLMENT_TOKEN_INVALID' }, `${message}: enrollment token`);
  await until('the link of the node to end', () => !held.peer.isOpen).catch(() => {});
  t.notOk(held.peer.isOpen, `${message}: link`);
  const again = await PeerAgent.dial(t, api.url, held.identity);
  await until('the node to be refused', () => !again.isOpen).catch(() => {});
  t.notOk(again.isOpen, `${message}: node`);
}

t.test(
  'nothing of an attacker who registered an address outlives its verification by the owner, or a new password',
  async (t) => {
    const victim = 'victor@example.com';
    const mallory = await register(victim);
    const made = [
      await post('/v1/account/tokens', { name: 'hers' }, mallory.token),
      await post('/v1/account/api-keys', { name: 'hers' }, mallory.token),
      await post('/v1/nodes/enrollment-tokens', {}, mallory.token),
    ];
    for (const { status, body } of made) {
      t.match({ status, code: body.error?.code }, { status: 403, code: 'ACCOUNT_EMAIL_UNVERIFIED' });
    }
    const before = await holdings(t, mallory.userId, 'old');

    const verified = await post('/v1/auth/verify-email', { token: await mailedToken(victim, /Confirm/) });
    t.equal(verified.status, 200);
    t.strictSame(new Set(await answers(mallory.token)), new Set(['401 AUTH_SESSION_INVALID']), 'her session');
    const refreshed = await post('/v1/auth/refresh', { refresh_token: mallory.refreshToken });
    t.equal(refreshed.body.error?.code, 'AUTH_SESSION_INVALID', 'and its refresh token');
    await refuses(t, before, 'after the verification');

    // she still knows the password, and uses the time until the owner sets another
    const back = await post('/v1/auth/login', { email: victim, password: hers });
    t.equal(back.status, 200, 'a verification by the token alone leaves the password');
    const between = await holdings(t, mallory.userId, 'new');
    const listening = { url: 'https://hers.example/', headers: { authorization: 'Bearer hers' } };
    const destinations = [
      await post('/v1/webhooks', { ...listening, events: ['*'] }, back.body.data.access_token),
      await post(
        '/v1/alert-channels',
        { name: 'hers', type: 'webhook', config: listening },
        back.body.data.access_token,
      ),
    ];
    t.strictSame(
      destinations.map(({ status }) => status),
      [201, 201],
    );

    await post('/v1/auth/password/forgot', { email: victim });
    const token = await mailedToken(victim, /Choose a new password/);
    t.equal((await post('/v1/auth/password/reset', { token, password: his })).status, 200);
    t.strictSame(
      new Set(await answers(back.body.data.access_token)),
      new Set(['401 AUTH_SESSION_INVALID']),
      'her new session',
    );
    await refuses(t, between, 'after the new password');

    const { body } = await post('/v1/auth/login', { email: victim, password: his });
    const victor = body.data.access_token;
    for (const path of ['/v1/webhooks', '/v1/alert-channels']) {
      const kept = await api.call('GET', path, { as: victor });
      t.notMatch(JSON.stringify(kept.body), /hers/, `nothing of his goes to her: ${path}`);
    }
    const monitor = await post(
      '/v1/monitors',
      {
        name: 'his',
        type: 'http',
        target: 'http://127.0.0.1:8081/',
        config: { headers: { authorization: 'Bearer his' } },
      },
      victor,
    );
    t.match(
      monitor.body.error.details,
      { node_selection: [{ message: /no node that you may use matches/ }] },
      'his secrets go to no node of hers',
    );
    const mail = await mailed(victim, /access to your account/, 2);
    for (const name of [
      'new token',
      'new key',
      'new passkey',
      'new unused',
      'new node',
      'https: //hers․example',
      'hers',
    ])
      t.match(mail, `“${name}”`, 'he is notified');
    t.match(mail, /No passkey, key, token, node or session/, 'and that nothing is left');
  },
);

t.test('an owner who signs in by a mailed code ends everything that an attacker added with her password', async (t) => {
  const victim = 'valerie@example.com';
  const mallory = await register(victim);
  await post('/v1/auth/verify-email', { token: await mailedToken(victim, /Confirm/) });
  const back = await post('/v1/auth/login', { email: victim, password: hers });
  const held = await holdings(t, mallory.userId, 'code');
  await post('/v1/auth/otp/request', { email: victim });
  const code = /\b\d{6}\b/.exec(await mailed(victim, /code to sign in/))?.[0];
  const { status, body } = await post('/v1/auth/otp/login', { email: victim, code });
  t.equal(status, 200);
  const ended = new Set(['401 AUTH_SESSION_INVALID']);
  t.strictSame(new Set(await answers(back.body.data.access_token)), ended, 'her session');
  await refuses(t, held, 'after the code');
  t.strictSame(new Set(await answers(body.data.access_token)), new Set(['200']), 'the session of the owner');
  t.match(await mailed(victim, /access to your account/, 2), '“code key”');
});

/** A request from another address, so that the limit of sign-ins counts it apart. */
const postFromElsewhere = (path: string, body: unknown, as: string | null = null) =>
  api.call('POST', path, { body, as, headers: { 'x-forwarded-for': '198.51.100.7' } });

/** Walks to GitHub and back; `as` links in a session. */
async function byGithub(as: string | null) {
  const post = postFromElsewhere;
  const start = await post('/v1/auth/oauth/github/start', { link: as !== null }, as);
  if (start.status !== 200) return start;
  const { authorization_url: url, challenge } = start.body.data;
  return post('/v1/auth/oauth/github/callback', { challenge, ...(await walk(url, '')) }, as);
}

t.test('an external account that an attacker linked does not outlive the proof of the address', async (t) => {
  const post = postFromElsewhere;
  const victim = 'vito@example.com';
  const mallory = await register(victim);
  await github.set({ person: githubPerson(66, 'mallory') });
  t.match(await byGithub(mallory.token), { status: 403, body: { error: { code: 'ACCOUNT_EMAIL_UNVERIFIED' } } });
  t.match(await byGithub(null), { status: 200, body: { data: { user: { email: 'mallory@people.example' } } } });
  await db('identities').delete();
  // he verifies the address by the token alone: she still knows the password
  await post('/v1/auth/verify-email', { token: await mailedToken(victim, /Confirm/) });
  const back = await post('/v1/auth/login', { email: victim, password: hers });
  const linked = await byGithub(back.body.data.access_token);
  t.match(linked, { status: 200, body: { data: { id: /^idn_/, provider: 'github', label: 'mallory' } } });
  t.match(await byGithub(null), { status: 200, body: { data: { user: { email: victim } } } }, 'she signs in with it');

  await post('/v1/auth/password/forgot', { email: victim });
  const token = await mailedToken(victim, /Choose a new password/);
  t.equal((await post('/v1/auth/password/reset', { token, password: his })).status, 200);
  t.match(await byGithub(null), { status: 409, body: { error: { code: 'ACCOUNT_EMAIL_TAKEN' } } }, 'her own account');
  t.match(await mailed(victim, /password was changed: access/), /External accounts: “github mallory”/);

  // what the owner links is kept, and listed, when he forgets the password
  const { body } = await post('/v1/auth/login', { email: victim, password: his });
  await github.set({ person: githubPerson(67, 'vito') });
  const own = await byGithub(body.data.access_token);
  await post('/v1/auth/password/forgot', { email: victim });
  const again = /#(svc_ch_\S+)/.exec(await mailed(victim, /Choose a new password/, 2))?.[1] ?? '';
  t.equal((await post('/v1/auth/password/reset', { token: again, password: `${his} 2` })).status, 200);
  t.match(
    await mailed(victim, /password was changed: access/, 2),
    /access to the account now:.*External accounts: “github vito”/s,
  );
  const signedIn = await byGithub(null);
  t.match(signedIn, { status: 200, body: { data: { user: { email: victim } } } });
  const path = `/v1/account/identities/${own.body.data.id}`;
  t.equal((await api.call('DELETE', path, { as: signedIn.body.data.access_token })).status, 200);
  t.match(
    await byGithub(null),
    { status: 200, body: { data: { user: { email: 'vito@people.example' } } } },
    'a stranger again',
  );
});

t.test('verifying in a session of the account itself changes nothing else, and sends no notification', async (t) => {
  const victim = 'vera@example.com';
  const { token: session, userId } = await register(victim);
  const stranger = await api.call('POST', '/v1/auth/register', {
    body: { email: 'eve@example.com', password: hers },
    as: null,
  });
  const held = await holdings(t, userId, 'his');
  const token = await mailedToken(victim, /Confirm/);
  const both = await post('/v1/auth/verify-email', { token, password: hers, new_password: his }, session);
  t.match(both, { status: 400, body: { error: { details: { new_password: [{ code: 'conflict' }] } } } });
  t.equal((await post('/v1/auth/verify-email', { token }, session)).status, 200);
  for (const credential of [session, held.personal]) {
    t.strictSame(new Set(await answers(credential)), new Set(['200']));
  }
  t.ok(held.peer.isOpen);
  const again = await post('/v1/auth/verify-email', { token }, stranger.body.data.access_token);
  t.equal(again.body.error.code, 'AUTH_OTP_INVALID', 'the same token in the session of another account is used');
  t.strictSame(new Set(await answers(held.personal)), new Set(['200']));
  const created = await post('/v1/account/tokens', { name: 'at once' }, session);
  t.equal(created.status, 201, 'the permissions change at once');
  const stay = await post('/v1/account/tokens', { name: 'no' }, stranger.body.data.access_token);
  t.equal(stay.body.error.code, 'ACCOUNT_EMAIL_UNVERIFIED', 'a session of another account verifies nothing of its own');
});

t.test(
  'a request that was admitted before its session was revoked creates nothing that opens the account after it',
  async (t) => {
    const victim = 'vincent@example.com';
    const { userId } = await register(victim);
    await db('users').where({ id: userId }).update({ email_verified_at: new Date(), proven_at: new Date() });
    const acts = [
      ['POST', '/v1/account/tokens', { name: 'hers' }],
      ['POST', '/v1/account/api-keys', { name: 'hers' }],
      ['POST', '/v1/nodes/enrollment-tokens', {}],
      ['DELETE', '/v1/account', undefined],
    ] as const;
    for (const [method, path, body] of acts) {
      const { body: login } = await post('/v1/auth/login', { email: victim, password: hers });
      const as = login.data.access_token;
      let act = Promise.resolve({ status: 0 });
      await db.transaction(async (trx) => {
        await trx('users').where({ id: userId }).forUpdate().first();
        act = api.call(method, path, { as, ...(body === undefined ? {} : { body }) });
        await until(`${path} to wait`, async () => (await lockWaits(db)) > 0);
        const why = { actor: commandLine, except: null, reason: 'test' };
        await controlPlane.services.accounts.sessions.endOthers(trx, userId, why);
      });
      t.match(await act, { status: 401, body: { error: { code: 'AUTH_SESSION_INVALID' } } }, `${method} ${path}`);
    }
    t.strictSame(await db('personal_access_tokens').where({ user_id: userId }), []);
    for (const table of ['api_keys', 'enrollment_tokens']) {
      t.strictSame(await db(table).where({ owner_id: userId }), [], table);
    }
  },
);
