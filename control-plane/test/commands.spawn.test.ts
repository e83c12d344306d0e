import { generateKeyPairSync } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { runInProcess } from './_support/command-in-process.js';
import { type CommandResult, runCommand } from './_support/command-line.js';
import { createTestDatabase } from './_support/database.js';
import { enrollBody, enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { createUserApi, SECRET_KEY, startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';
import { testdata } from './_support/testdata.js';

/** Runs an operator's commands on a database. */
function operator(t: Test, databaseUrl: string, settings: Readonly<Record<string, string>> = {}) {
  const env = { VANTAGE_DATABASE_URL: databaseUrl, VANTAGE_DATA_DIR: temporaryDirectory(t), ...settings };
  return (line: string, input?: string): Promise<CommandResult> =>
    runInProcess('vantage-control', line.split(' '), { env, ...(input === undefined ? {} : { input }) });
}

/** Runs commands as the operator, each in a process of its own. */
function realOperator(t: Test, databaseUrl: string) {
  const env = { VANTAGE_DATABASE_URL: databaseUrl, VANTAGE_DATA_DIR: temporaryDirectory(t) };
  return (line: string, input = ''): Promise<CommandResult> =>
    runCommand(t, 'vantage-control', line.split(' '), { env, input });
}

/** Output of a command parsed as JSON; its complaint if it failed. */
function json({ code, stdout, stderr }: CommandResult) {
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const failed = (message: RegExp, code = 1) => ({ code, stdout: '', stderr: message });

t.test('migrate prints what it applied, and that nothing is left to do', async (t) => {
  const { url } = await createTestDatabase(t, { migrate: false });
  const run = operator(t, url);
  t.match(json(await realOperator(t, url)('migrate --json')), { applied: [/^0001-/] });
  t.strictSame(json(await run('migrate --json')), { applied: [] });
  t.match(await run('migrate'), { code: 0, stdout: 'the database is up to date\n' });
});

t.test('a command creates no database, and says where it looked and which servers run', async (t) => {
  const directory = join(temporaryDirectory(t), 'data');
  const env = { VANTAGE_DATA_DIR: directory };
  for (const line of ['user list', 'migrate']) {
    const { code, stdout, stderr } = await runInProcess('vantage-control', line.split(' '), { env });
    t.strictSame([code, stdout], [1, ''], line);
    t.match(stderr.split('\n'), [
      `vantage-control: data directory "${directory}" has no database: no server has run with it`,
      '  settings are from the environment and "/dev/null"',
    ]);
    t.match(stderr, /\n {2}set VANTAGE_DATA_DIR or VANTAGE_DATABASE_URL as for the server, or start one with/);
    t.notOk(existsSync(directory), 'nothing is left behind');
  }
});

t.test('user create creates a user whose tokens work on the running server', async (t) => {
  const { api, database } = await startStack(t);
  const run = operator(t, database.url);
  const runAlone = realOperator(t, database.url);
  const user = json(await run('user create --email Ada@Example.com --json'));
  t.match(user, { id: /^u_/, email: 'ada@example.com', role: 'user', plan: 'unlimited', created_at: /Z$/ });
  t.strictSame(Object.keys(user).sort(), ['created_at', 'email', 'id', 'plan', 'role', 'status'], 'the bare resource');
  const [admin, taken, noAddress, weak] = await Promise.all([
    runAlone('user create --email root@example.com --role admin --password-stdin', 'correct horse\n'),
    runAlone('user create --email ada@example.com'),
    run('user create --email ada'),
    run('user create --email b@example.com --password-stdin', 'short\n'),
  ]);
  t.match(admin, { code: 0, stdout: /^admin root@example\.com is u_\w+\n$/, stderr: '' });
  t.match(taken, failed(/^vantage-control: .*ACCOUNT_EMAIL_TAKEN\)\n$/));
  t.match(noAddress, failed(/email must be an e-mail address\n$/));
  t.match(weak, failed(/password must have at least 8 characters\n$/));
  const [hash] = await database.db('users').where({ email: 'root@example.com' }).pluck('password_hash');
  t.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  const { token } = json(await run('token create --user ADA@example.com --json'));
  t.equal((await api.call('GET', '/v1/probe/tasks', { as: token })).status, 200);
});

t.test('token create, list and revoke cover the whole life of a token, on the running server', async (t) => {
  const { api, controlPlane, database } = await startStack(t);
  const run = operator(t, database.url);
  await createUserApi(controlPlane, 'user@test.example', 'user');
  const [made, scoped, plain, wrongScope, broad, forUser, nobody, name, days] = await Promise.all([
    run('token create --user ADMIN@test.example --json'),
    run('token create --user admin@test.example --name ci --scopes probe:read,alert:read,probe:read --json'),
    run('token create --user admin@test.example --expires-in-days 365'),
    run('token create --user admin@test.example --scopes probe,everything'),
    run('token create --user admin@test.example --scopes admin --json'),
    run('token create --user user@test.example --scopes admin'),
    run('token create --user nobody@example.com'),
    run(`token create --user admin@test.example --name ${'x'.repeat(201)}`),
    run('token create --user admin@test.example --expires-in-days 366'),
  ]);
  t.match(json(made), { id: /^pat_/, name: 'command line', expires_at: null, token: /^svc_pat_/ });
  t.match(json(scoped), { name: 'ci', scopes: ['probe:read', 'alert:read', 'account'] });
  t.match(
    plain,
    { code: 0, stdout: /^svc_pat_[\w-]+\n$/, stderr: /^token pat_\w+ of admin@test.example/ },
    'the secret alone on standard output',
  );
  t.match(wrongScope, failed(/unknown scope "everything"; scopes are probe, /, 2));
  t.match(forUser, failed(/"admin" is only for administrators, and the owner of the token is not one/));
  t.match(nobody, failed(/ACCOUNT_NOT_FOUND/));
  t.match(name, failed(/1 to 200 characters/, 2));
  t.match(days, failed(/1 to 365/, 2));
  const list = async (as: string) => (await api.call('GET', '/v1/probe/tasks', { as })).status;
  for (const token of [json(made).token, json(scoped).token, plain.stdout.trim()]) t.equal(await list(token), 200);

  const administrate = async (as: string) => (await api.call('GET', '/v1/admin/jobs', { as })).status;
  t.strictSame([await administrate(json(made).token), await administrate(json(broad).token)], [403, 200]);

  const { id, token } = json(made);
  const [revoked, unknown] = await Promise.all([
    run(`token revoke ${id} --json`),
    run('token revoke pat_1111111111111111111111'),
  ]);
  t.equal(json(revoked), null);
  t.match(unknown, failed(/PAT_NOT_FOUND/));
  await until('the server to refuse it', async () => (await list(token)) === 401);
  const [listed, table] = await Promise.all([run('token list --json'), run('token list')]);
  const tokens: { id: string }[] = json(listed);
  t.match(
    tokens.find((one) => one.id === id),
    { status: 'revoked', user: 'admin@test.example', token_prefix: `${token.slice(0, 12)}...` },
  );
  t.equal(tokens.length, 6, 'with two of the test itself');
  t.match(table.stdout, /^ID +STATUS +TOKEN +EXPIRES +USED +USER +NAME\n/);
  t.match(
    table.stdout,
    new RegExp(`${id} +revoked +svc_pat_.{4}\\.\\.\\. +never +\\S+ +admin@test.example +command line\n`),
  );
  for (const output of [listed.stdout, table.stdout]) t.notOk(output.includes(token.slice(20)), 'no secret');
  const acts = await database.db('audit_log').where({ subject: id }).orderBy('id').select('action', 'credential_id');
  t.strictSame(acts, [
    { action: 'token.created', credential_id: 'command line' },
    { action: 'token.revoked', credential_id: 'command line' },
  ]);
});

t.test('enrollment-token create, list and revoke cover the whole life of a token', async (t) => {
  const { api, database } = await startStack(t);
  const run = operator(t, database.url);
  const [made, plain] = await Promise.all([
    run('enrollment-token create --label berlin-1 --country de --expires-in-hours 1 --json'),
    run('enrollment-token create'),
  ]);
  const created = json(made);
  t.strictSame(Object.keys(created), ['id', 'token', 'expires_at']);
  t.match(plain, {
    code: 0,
    stdout: /^ent_[\w-]+\n$/,
    stderr: /^enrollment token et_\w+ of admin@test.example, valid until /,
  });
  const body = enrollBody(plain.stdout.trim(), generateKeyPairSync('ed25519').privateKey, api.url);
  t.equal((await api.call('POST', '/v1/nodes/enroll', { body, as: null })).status, 201);
  const [listed, table] = await Promise.all([run('enrollment-token list --json'), run('enrollment-token list')]);
  t.match(
    json(listed).find(({ id }: { id: string }) => id === created.id),
    { label: 'berlin-1', status: 'active', preview: /^ent_\*\*\*....$/, expires_at: created.expires_at },
  );
  const used = json(listed).find(({ status }: { status: string }) => status === 'used');
  t.match(table.stdout, /^ID +STATUS +TOKEN +EXPIRES +LABEL +NODE\n/);
  t.match(table.stdout, new RegExp(`${used.id} +used .* ${used.consumed_node_id}`));
  for (const output of [listed.stdout, table.stdout])
    t.notMatch(output, new RegExp(`${created.token}|${plain.stdout.trim()}`), 'no secret');
  const [revoked, ofUsed, unknown, label, country, hours] = await Promise.all([
    run(`enrollment-token revoke ${created.id} --json`),
    run(`enrollment-token revoke ${used.id}`),
    run('enrollment-token revoke et_1111111111111111111111'),
    run(`enrollment-token create --label ${'x'.repeat(41)}`),
    run('enrollment-token create --country ZZ'),
    run('enrollment-token create --expires-in-hours 169'),
  ]);
  t.equal(json(revoked), null);
  t.match(ofUsed, failed(/NODE_STATE_CONFLICT/));
  t.match(unknown, failed(/NOT_FOUND/));
  t.match(label, failed(/1 to 40 characters/, 2));
  t.match(country, failed(/--country must be an ISO 3166-1 code of two letters, for example "DE"\n$/));
  t.match(hours, failed(/1 to 168/, 2));
  t.match(json(await run('enrollment-token list --json')).length, 1);
});

t.test(
  'enrollment-token create names the command that installs an agent, except one for a plain http URL',
  async (t) => {
    const { database } = await startStack(t);
    const release = { VANTAGE_RELEASE_URL: 'https://releases.example/1' };
    const folder = temporaryDirectory(t);
    const [certificate, key] = ['localhost.crt.pem', 'localhost.key.pem'].map((name) => {
      writeFileSync(join(folder, name), testdata(name));
      return join(folder, name);
    });
    const tls = { VANTAGE_TLS_CERT: certificate ?? '', VANTAGE_TLS_KEY: key ?? '' };
    const noteOf = async (settings: Readonly<Record<string, string>>) => {
      const { code, stdout, stderr } = await operator(t, database.url, { ...release, ...settings })(
        'enrollment-token create',
      );
      t.match({ code, stdout }, { code: 0, stdout: /^ent_[\w-]+\n$/ });
      return stderr;
    };
    const [plain, local, secure] = await Promise.all([
      noteOf({ VANTAGE_PUBLIC_URL: 'http://vantage.example:8080' }),
      noteOf({}),
      noteOf({ VANTAGE_LISTEN: '127.0.0.1:8443', ...tls }),
    ]);
    t.notMatch(plain, /curl|install\.sh/);
    t.match(
      plain,
      /plain http: others on the network could replace the installer.* Set VANTAGE_PUBLIC_URL to an https URL\.\n$/,
    );
    t.match(local, /  curl -fsSL http:\/\/(localhost|127\.0\.0\.1):\d+\/install\.sh \| sudo sh\n$/);
    t.match(secure, /  curl -fsSL https:\/\/127\.0\.0\.1:8443\/install\.sh \| sudo sh\n$/);
  },
);

t.test('node list, ban and unban act on the running server, and the audit log names the command line', async (t) => {
  const { api, database } = await startStack(t);
  const run = operator(t, database.url);
  const identity = await enrollPeer(api, { name: '\u001b[31mred', declared: { country: 'DE', asn: 3320 } });
  const peer = await PeerAgent.connect(t, api.url, identity);
  const [listed, table] = await Promise.all([run('node list --json'), run('node list')]);
  t.match(json(listed), [
    { id: identity.nodeId, status: 'online', country: 'DE', asn: 3320, capabilities: ['icmp', 'icmp_echo'] },
  ]);
  t.match(
    table.stdout,
    new RegExp(`${identity.nodeId} +online +DE +AS3320 +icmp icmp_echo +- +0\\.1\\.0 +·\\[31mred\n$`),
  );
  t.notMatch(listed.stdout + table.stdout, '\u001b');
  const banned = json(await run(`node ban ${identity.nodeId} --reason forged --json`));
  t.match(banned, { id: identity.nodeId, status: 'banned', ban_reason: 'forged' });
  t.match(await peer.waitForClose(), { reason: 'CLOSE_BANNED' });
  const [again, noReason, unknown] = await Promise.all([
    run(`node ban ${identity.nodeId} --reason again`),
    run(`node ban ${identity.nodeId}`),
    run('node unban n_1111111111111111111111'),
  ]);
  t.match(again, failed(/NODE_ALREADY_BANNED/));
  t.match(noReason, failed(/required option '--reason <text>'/, 2));
  t.match(unknown, failed(/NODE_NOT_FOUND/));
  t.match(await run(`node unban ${identity.nodeId}`), { code: 0, stdout: `${identity.nodeId} may connect again\n` });
  const back = await PeerAgent.connect(t, api.url, identity);
  t.match(json(await run(`node drain ${identity.nodeId} --json`)), { status: 'draining', is_draining: true });
  t.match(await run(`node undrain ${identity.nodeId}`), { code: 0, stdout: `${identity.nodeId} gets work again\n` });
  t.match(await run(`node undrain ${identity.nodeId}`), failed(/NODE_STATE_CONFLICT/));
  t.match(await run(`node rotate-key ${identity.nodeId}`), { code: 0, stdout: /is being rotated\n$/ });
  await back.waitFor('the request for a new key', (frame) => frame.rotateKey !== null);
  t.match(
    await run(`node upgrade ${identity.nodeId} --to latest`),
    failed(/must be a version, for example 1\.4\.0/, 2),
  );
  t.match(await run(`node upgrade ${identity.nodeId} --to 0.2.0`), {
    code: 0,
    stdout: /is requested to install version 0\.2\.0\n$/,
  });
  await back.waitFor('the requested upgrade', (frame) => frame.upgrade?.version === '0.2.0');
  t.match(await run(`node upgrade ${identity.nodeId} --to 0.2.0 --json`), failed(/NODE_STATE_CONFLICT/));
  const [shown, record, acts] = await Promise.all([
    run(`node show ${identity.nodeId}`),
    run(`node show ${identity.nodeId} --json`),
    run(`node audit ${identity.nodeId}`),
  ]);
  t.match(shown.stdout, /^upgrade +requested, to 0\.2\.0, requested at .*Z$/m);
  t.match(shown.stdout, /^ {2}declared +DE, AS3320$/m);
  t.notMatch(shown.stdout, '\u001b');
  t.match(json(record), { upgrade: { state: 'requested', error: null }, declared: { country: 'DE' }, spool: null });
  t.match(
    acts.stdout,
    /node\.upgrade_requested +operator command line +\{"version":"0\.2\.0"\}\n.*node\.key_rotation_requested/s,
  );
  t.match(json(await run(`node audit ${identity.nodeId} --json`))[0], { action: 'node.upgrade_requested' });
  const rows = await database
    .db('audit_log')
    .where('action', 'like', 'node.%banned')
    .orderBy('id')
    .select('action', 'user_id', 'credential_id', 'details');
  t.strictSame(rows, [
    { action: 'node.banned', user_id: null, credential_id: 'command line', details: { reason: 'forged' } },
    { action: 'node.unbanned', user_id: null, credential_id: 'command line', details: {} },
  ]);
});

t.test('user disable, enable, set-plan and signing-key rotate act on the running server', async (t) => {
  const { api, database } = await startStack(t);
  const run = operator(t, database.url, { VANTAGE_SECRET_KEY: SECRET_KEY });
  const email = 'ada@example.com';
  const password = 'correct horse battery staple';
  const { body } = await api.call('POST', '/v1/auth/register', { as: null, body: { email, password } });
  const codeOf = async (token: string) => {
    const { status, body: answer } = await api.call('GET', '/v1/account/profile', { as: token });
    return answer.error?.code ?? status;
  };
  const becomes = (wanted: string | number, token: string) =>
    until(`${wanted}`, async () => (await codeOf(token)) === wanted);
  const first = body.data.access_token;
  const { token: personal } = json(await run(`token create --user ${email} --json`));
  await becomes(200, first);
  await becomes(200, personal);
  t.match(await run(`user disable --email ${email}`), { code: 0, stdout: `${email} is disabled\n` });
  await becomes('AUTH_SESSION_INVALID', first);
  await becomes('AUTH_ACCOUNT_DISABLED', personal);
  t.match(json(await run(`user enable --email ${email} --json`)), { email, status: 'active' });
  await becomes(200, personal);
  t.equal(await codeOf(first), 'AUTH_SESSION_INVALID', 'tokens are accepted again, sessions are not');
  const signedIn = await api.call('POST', '/v1/auth/login', { as: null, body: { email, password } });
  const { access_token: token, refresh_token: refreshToken } = signedIn.body.data;
  await becomes(200, token);
  t.match(await run(`user set-plan --email ${email} --plan pro`), { code: 0, stdout: `${email} has the plan pro\n` });
  t.match(json(await run('user list --json'))[0], { email, plan: 'pro' });
  const stranger = operator(t, database.url);
  t.match(await stranger('signing-key rotate'), failed(/secret key does not decrypt .*signing keys/));
  const rotated = json(await run('signing-key rotate --drop-old --json'));
  await becomes('AUTH_INVALID_TOKEN', token);
  const refreshed = await api.call('POST', '/v1/auth/refresh', { as: null, body: { refresh_token: refreshToken } });
  const [header = ''] = refreshed.body.data.access_token.split('.');
  t.equal(JSON.parse(Buffer.from(header, 'base64url').toString()).kid, rotated.kid);
});
