import { generateKeyPairSync } from 'node:crypto';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { lockWaits } from './_support/lock-waits.js';
import { asUser } from './_support/owners.js';
import { enrollBody, PeerAgent } from './_support/peer-agent.js';
import { readMail, startSmtpServer, type TestSmtpServer } from './_support/smtp-server.js';
import { type Stack, startReplica, startStack } from './_support/stack.js';

// Mallory registers Victor's address. Nothing of hers may open the account once he has proven that the address is his,
// on any replica.

const victim = 'victor@example.com';
const hers = 'correct horse battery staple';
const his = 'a password that only Victor knows';

interface Scene extends Stack {
  readonly smtp: TestSmtpServer;
  /** A second replica. */
  readonly elsewhere: string;
}

async function setUp(t: Test): Promise<Scene> {
  const smtp = await startSmtpServer(t);
  const settings = { VANTAGE_SMTP_URL: `smtp://${smtp.host}` };
  const stack = await startStack(t, settings);
  const other = await startReplica(t, stack.database.url, { ...settings, VANTAGE_PUBLIC_URL: stack.api.url });
  return { ...stack, smtp, elsewhere: other.listenUrl };
}

/** Text of the newest mail with a matching subject, once it has arrived. */
async function mailed({ smtp }: Scene, subject: RegExp, count = 1): Promise<string> {
  let texts: string[] = [];
  await until(`mail ${count} about ${subject}`, async () => {
    const read = await Promise.all(smtp.mails.filter(({ to }) => to.includes(victim)).map(readMail));
    texts = read.filter(({ subject: about }) => subject.test(about ?? '')).map(({ text }) => text ?? '');
    return texts.length >= count;
  });
  return texts.at(-1) ?? '';
}

/** Token of a mailed link. */
async function mailedToken(scene: Scene, subject: RegExp, count = 1): Promise<string> {
  return /#(svc_ch_\S+)/.exec(await mailed(scene, subject, count))?.[1] ?? '';
}

const post = ({ api }: Scene, path: string, body: unknown, as: string | null = null) =>
  api.call('POST', path, { body, as });

async function register(scene: Scene): Promise<{ token: string; userId: string; refreshToken: string }> {
  const { body } = await post(scene, '/v1/auth/register', { email: victim, password: hers });
  return { token: body.data.access_token, userId: body.data.user_id, refreshToken: body.data.refresh_token };
}

/** Everything that opens an account, and its owner, created as if an older version had allowed it. */
async function holdings(t: Test, scene: Scene, userId: string, name: string) {
  const { tokens, nodes } = scene.controlPlane.services;
  const grantor = asUser(userId);
  const personal = await tokens.personal.create(grantor, { name: `${name} token` }, commandLine);
  const { key } = await tokens.apiKeys.create(grantor, { name: `${name} key` }, commandLine);
  const unused = await nodes.enrollmentTokens.create(asUser(userId), { label: `${name} unused` }, commandLine);
  const used = await nodes.enrollmentTokens.create(asUser(userId), { label: `${name} used` }, commandLine);
  const { privateKey } = generateKeyPairSync('ed25519');
  const audience = scene.api.url;
  const enrolled = await post(
    scene,
    '/v1/nodes/enroll',
    enrollBody(used.token, privateKey, audience, { name: `${name} node` }),
  );
  const { node_id: nodeId, control_urls: controlUrls } = enrolled.body.data;
  const identity = { nodeId, privateKey, audience, controlUrls };
  const peer = await PeerAgent.connect(t, scene.elsewhere, identity);
  return { personal: personal.token, key, unused: unused.token, identity, peer };
}

/** Responses of both replicas to a credential. */
async function answers(scene: Scene, token: string, path = '/v1/account/profile'): Promise<string[]> {
  return Promise.all(
    [scene.api.url, scene.elsewhere].map(async (url) => {
      const response = await fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}` } });
      const { error } = (await response.json()) as { error?: { code: string } };
      return `${response.status} ${error?.code ?? ''}`.trim();
    }),
  );
}

async function refuses(t: Test, scene: Scene, held: Awaited<ReturnType<typeof holdings>>, message: string) {
  await until('the other replica to be notified', async () => {
    const codes = [...(await answers(scene, held.personal)), ...(await answers(scene, held.key, '/v1/probe/tasks'))];
    return codes.every((code) => code.startsWith('401'));
  }).catch(() => {});
  t.strictSame(new Set(await answers(scene, held.personal)), new Set(['401 AUTH_INVALID_TOKEN']), `${message}: token`);
  t.strictSame(
    new Set(await answers(scene, held.key, '/v1/probe/tasks')),
    new Set(['401 API_KEY_REVOKED']),
    `${message}: key`,
  );
  const { privateKey } = generateKeyPairSync('ed25519');
  const late = await post(scene, '/v1/nodes/enroll', enrollBody(held.unused, privateKey, scene.api.url));
  t.match(late.body.error, { code: 'NODE_ENROLLMENT_TOKEN_INVALID' }, `${message}: enrollment token`);
  await until('the link of the node to end', () => !held.peer.isOpen).catch(() => {});
  t.notOk(held.peer.isOpen, `${message}: link`);
  const again = await PeerAgent.dial(t, scene.api.url, held.identity);
  await until('the node to be refused', () => !again.isOpen).catch(() => {});
  t.notOk(again.isOpen, `${message}: node`);
}

t.test(
  'nothing of an attacker who registered an address outlives its verification by the owner, or a new password',
  async (t) => {
    const scene = await setUp(t);
    const mallory = await register(scene);
    const made = [
      await post(scene, '/v1/account/tokens', { name: 'hers' }, mallory.token),
      await post(scene, '/v1/account/api-keys', { name: 'hers' }, mallory.token),
      await post(scene, '/v1/nodes/enrollment-tokens', {}, mallory.token),
    ];
    for (const { status, body } of made) {
      t.match({ status, code: body.error?.code }, { status: 403, code: 'ACCOUNT_EMAIL_UNVERIFIED' });
    }
    const before = await holdings(t, scene, mallory.userId, 'old');

    const verified = await post(scene, '/v1/auth/verify-email', { token: await mailedToken(scene, /Confirm/) });
    t.equal(verified.status, 200);
    t.strictSame(new Set(await answers(scene, mallory.token)), new Set(['401 AUTH_SESSION_INVALID']), 'her session');
    const refreshed = await post(scene, '/v1/auth/refresh', { refresh_token: mallory.refreshToken });
    t.equal(refreshed.body.error?.code, 'AUTH_SESSION_INVALID', 'and its refresh token');
    await refuses(t, scene, before, 'after the verification');

    // she still knows the password, and uses the time until the owner sets another
    const back = await post(scene, '/v1/auth/login', { email: victim, password: hers });
    t.equal(back.status, 200, 'a verification by the token alone leaves the password');
    const between = await holdings(t, scene, mallory.userId, 'new');
    const listening = { url: 'https://hers.example/', headers: { authorization: 'Bearer hers' } };
    const destinations = [
      await post(scene, '/v1/webhooks', { ...listening, events: ['*'] }, back.body.data.access_token),
      await post(
        scene,
        '/v1/alert-channels',
        { name: 'hers', type: 'webhook', config: listening },
        back.body.data.access_token,
      ),
    ];
    t.strictSame(
      destinations.map(({ status }) => status),
      [201, 201],
    );

    await post(scene, '/v1/auth/password/forgot', { email: victim });
    const token = await mailedToken(scene, /Choose a new password/);
    t.equal((await post(scene, '/v1/auth/password/reset', { token, password: his })).status, 200);
    t.strictSame(
      new Set(await answers(scene, back.body.data.access_token)),
      new Set(['401 AUTH_SESSION_INVALID']),
      'her new session',
    );
    await refuses(t, scene, between, 'after the new password');

    const { body } = await post(scene, '/v1/auth/login', { email: victim, password: his });
    const victor = body.data.access_token;
    for (const path of ['/v1/webhooks', '/v1/alert-channels']) {
      const kept = await scene.api.call('GET', path, { as: victor });
      t.notMatch(JSON.stringify(kept.body), /hers/, `nothing of his goes to her: ${path}`);
    }
    const monitor = await post(
      scene,
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
    const told = await mailed(scene, /access to your account/, 2);
    for (const name of ['new token', 'new key', 'new unused', 'new node', 'https: //hers․example', 'hers'])
      t.match(told, `“${name}”`, 'he is notified');
    t.match(told, /No key, token, node or session/, 'and that nothing is left');
  },
);

t.test('verifying in a session of the account itself changes nothing else, and sends no notification', async (t) => {
  const scene = await setUp(t);
  const { token: session, userId } = await register(scene);
  const stranger = await scene.api.call('POST', '/v1/auth/register', {
    body: { email: 'eve@example.com', password: hers },
    as: null,
  });
  const held = await holdings(t, scene, userId, 'his');
  const token = await mailedToken(scene, /Confirm/);
  const both = await post(scene, '/v1/auth/verify-email', { token, password: hers, new_password: his }, session);
  t.match(both, { status: 400, body: { error: { details: { new_password: [{ code: 'conflict' }] } } } });
  t.equal((await post(scene, '/v1/auth/verify-email', { token }, session)).status, 200);
  for (const credential of [session, held.personal]) {
    t.strictSame(new Set(await answers(scene, credential)), new Set(['200']));
  }
  t.ok(held.peer.isOpen);
  const again = await post(scene, '/v1/auth/verify-email', { token }, stranger.body.data.access_token);
  t.equal(again.body.error.code, 'AUTH_OTP_INVALID', 'the same token in the session of another account is used');
  t.strictSame(new Set(await answers(scene, held.personal)), new Set(['200']));
  const created = await post(scene, '/v1/account/tokens', { name: 'at once' }, session);
  t.equal(created.status, 201, 'the permissions change at once');
  const stay = await post(scene, '/v1/account/tokens', { name: 'no' }, stranger.body.data.access_token);
  t.equal(stay.body.error.code, 'ACCOUNT_EMAIL_UNVERIFIED', 'a session of another account verifies nothing of its own');
});

t.test(
  'a request that was admitted before its session was revoked creates nothing that opens the account after it',
  async (t) => {
    const scene = await setUp(t);
    const { database, controlPlane } = scene;
    const { userId } = await register(scene);
    await database.db('users').where({ id: userId }).update({ email_verified_at: new Date(), proven_at: new Date() });
    const acts = [
      ['POST', '/v1/account/tokens', { name: 'hers' }],
      ['POST', '/v1/account/api-keys', { name: 'hers' }],
      ['POST', '/v1/nodes/enrollment-tokens', {}],
      ['DELETE', '/v1/account', undefined],
    ] as const;
    for (const [method, path, body] of acts) {
      const { body: login } = await post(scene, '/v1/auth/login', { email: victim, password: hers });
      const as = login.data.access_token;
      let act = Promise.resolve({ status: 0 });
      await database.db.transaction(async (trx) => {
        await trx('users').where({ id: userId }).forUpdate().first();
        act = scene.api.call(method, path, { as, ...(body === undefined ? {} : { body }) });
        await until(`${path} to wait`, async () => (await lockWaits(database.db)) > 0);
        const why = { actor: commandLine, except: null, reason: 'test' };
        await controlPlane.services.accounts.sessions.endOthers(trx, userId, why);
      });
      t.match(await act, { status: 401, body: { error: { code: 'AUTH_SESSION_INVALID' } } }, `${method} ${path}`);
    }
    t.strictSame(await database.db('personal_access_tokens').where({ user_id: userId }), []);
    for (const table of ['api_keys', 'enrollment_tokens']) {
      t.strictSame(await database.db(table).where({ owner_id: userId }), [], table);
    }
  },
);

t.test(
  'an agent that enrolls while its token is revoked with everything else gets no node, and there is no deadlock',
  async (t) => {
    const scene = await setUp(t);
    const { userId } = await register(scene);
    const { enrollmentTokens } = scene.controlPlane.services.nodes;
    const token = await mailedToken(scene, /Confirm/);
    for (let round = 0; round < 5; round += 1) {
      const tokens = [];
      for (let n = 0; n < 3; n += 1)
        tokens.push((await enrollmentTokens.create(asUser(userId), {}, commandLine)).token);
      await scene.database.db('users').where({ id: userId }).update({ email_verified_at: null, proven_at: null });
      await scene.database.db('challenges').update({ consumed_at: null });
      const enroll = (secret: string) => {
        const { privateKey } = generateKeyPairSync('ed25519');
        return post(scene, '/v1/nodes/enroll', enrollBody(secret, privateKey, scene.api.url));
      };
      const [verified, ...enrolled] = await Promise.all([
        post(scene, '/v1/auth/verify-email', { token }),
        ...tokens.map(enroll),
      ]);
      t.equal(verified?.status, 200);
      // 429: a network that sends many revoked tokens has to wait
      for (const { status } of enrolled) t.ok([201, 401, 429].includes(status), `${status}`);
      t.strictSame(
        await scene.database.db('nodes').where({ owner_id: userId, deleted_at: null }),
        [],
        `round ${round}`,
      );
    }
  },
);
