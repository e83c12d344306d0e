import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { missing } from '@vantage/shared/_support/missing.js';
import { startServiceManager } from '@vantage/shared/_support/service-manager.js';
import t, { type Test } from 'tap';
import { runInProcess } from './_support/command-in-process.js';
import { runCommand, startServer } from './_support/command-line.js';
import { createTestDatabase } from './_support/database.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

const key = Buffer.alloc(32, 7).toString('base64');

/** A server that is expected to end by itself: its output, by stream. */
async function refusal(t: Test, env: Readonly<Record<string, string>>) {
  const base = {
    VANTAGE_DATA_DIR: temporaryDirectory(t),
    VANTAGE_LISTEN: '127.0.0.1:0',
    VANTAGE_METRICS_LISTEN: 'off',
    VANTAGE_LOG_LEVEL: 'fatal',
  };
  const { code, stdout, stderr } = await runInProcess('vantage-control', ['serve'], { env: { ...base, ...env } });
  return { code, stdout, lines: stderr.trimEnd().split('\n') };
}

/** A port of 127.0.0.1 that is in use. */
async function takenPort(t: Test): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => new Promise((resolve) => server.close(resolve)));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

t.test('an invalid configuration is refused with every mistake at once', async (t) => {
  const { code, lines } = await refusal(t, {
    VANTAGE_DATABASE_URL: 'mysql://secret@host/db',
    VANTAGE_LISTEN: 'nonsense',
    VANTAGE_SECRET_KEY: 'too short',
    VANTAGE_ALLOW_TARGETS: '10.0.0.1/8',
    VANTAGE_TLS_CERT: '/none',
  });
  t.equal(code, 2);
  t.equal(lines[0], 'vantage-control: the configuration has 5 errors:');
  t.match(lines.slice(1), [
    /VANTAGE_DATABASE_URL/,
    /VANTAGE_LISTEN/,
    /VANTAGE_SECRET_KEY/,
    /VANTAGE_ALLOW_TARGETS/,
    /VANTAGE_TLS_CERT/,
  ]);
  t.notMatch(lines.join('\n'), /secret@|too short/, 'no secret is repeated');
});

t.test('a failure to start is reported in one line', async (t) => {
  const { url, db } = await createTestDatabase(t);
  const directory = temporaryDirectory(t);
  const file = (name: string, content: string) => {
    writeFileSync(join(directory, name), content);
    return join(directory, name);
  };
  const port = await takenPort(t);
  const wrongDatabase = new URL(url);
  wrongDatabase.pathname = '/nobody_has_this';
  file('secret.key', 'rubbish');
  await db('server_identity').insert({ id: 1, public_key: Buffer.alloc(32), sealed_private_key: Buffer.alloc(80) });
  const ready = { VANTAGE_DATABASE_URL: url };
  const cases: readonly { name: string; env: Record<string, string>; says: RegExp }[] = [
    {
      name: 'no database',
      env: { VANTAGE_DATABASE_URL: 'postgres://vantage:s3cret@127.0.0.1:1/none' },
      says: /cannot use the database: .*ECONNREFUSED.*; check VANTAGE_DATABASE_URL/,
    },
    {
      name: 'another database',
      env: { VANTAGE_DATABASE_URL: wrongDatabase.href },
      says: /cannot use the database: .*nobody_has_this.*; check VANTAGE_DATABASE_URL/,
    },
    {
      name: 'an invalid key',
      env: { ...ready, VANTAGE_DATA_DIR: directory },
      says: /"\/.*\/secret\.key" does not hold a key; restore it from a backup/,
    },
    {
      name: 'another key',
      env: { ...ready, VANTAGE_SECRET_KEY: key },
      says: /secret key does not decrypt.*set VANTAGE_SECRET_KEY to the key the other replicas use/,
    },
  ];
  const later: typeof cases = [
    {
      name: 'the port',
      env: { ...ready, VANTAGE_LISTEN: `127.0.0.1:${port}` },
      says: new RegExp(`cannot listen on 127.0.0.1:${port}: another program uses this port; change VANTAGE_LISTEN$`),
    },
    {
      name: 'the metrics port',
      env: { ...ready, VANTAGE_METRICS_LISTEN: `127.0.0.1:${port}` },
      says: new RegExp(`127.0.0.1:${port}: .*; change VANTAGE_METRICS_LISTEN$`),
    },
    {
      name: 'a message server',
      env: { ...ready, VANTAGE_BUS_URL: 'nats://u:s3cret@127.0.0.1:1' },
      says: /no message server at 127\.0\.0\.1:1: connection refused; check VANTAGE_BUS_URL and that nats-server is running there$/,
    },
    {
      name: 'no such address',
      env: { ...ready, VANTAGE_LISTEN: '192.0.2.1:0' },
      says: /cannot listen on 192\.0\.2\.1:0: this machine has no such address; change VANTAGE_LISTEN$/,
    },
    {
      name: 'a deny list',
      env: { ...ready, VANTAGE_DENY_TARGETS_FILE: file('deny.txt', 'evil.example\nnot a name\n') },
      says: /line 2 of "\/.*\/deny\.txt" is not a CIDR, an address or a domain name: "not a name"$/,
    },
    {
      name: 'a certificate',
      env: { ...ready, VANTAGE_TLS_CERT: file('cert.pem', 'x'), VANTAGE_TLS_KEY: file('key.pem', 'y') },
      says: /cannot use the TLS certificate or key: .*; check VANTAGE_TLS_CERT and VANTAGE_TLS_KEY$/,
    },
  ];
  const check = async ({ name, env, says }: (typeof cases)[number]) => {
    const { code, stdout, lines } = await refusal(t, env);
    t.match({ code, stdout, lines }, { code: 1, stdout: '', lines: [says] }, name);
    t.equal(lines.length, 1, `${name}: one line`);
    t.notMatch(lines, /s3cret/, name);
  };
  await Promise.all(cases.map(check));
  await db('server_identity').delete();
  await Promise.all(later.map(({ env, ...rest }) => check({ ...rest, env: { ...env, VANTAGE_SECRET_KEY: key } })));
});

t.test(
  'a second server on one data directory is refused in one line, commands join the first, and work alone after it',
  async (t) => {
    const env = {
      VANTAGE_DATA_DIR: join(temporaryDirectory(t), 'data'),
      VANTAGE_LISTEN: '127.0.0.1:0',
      VANTAGE_METRICS_LISTEN: 'off',
    };
    const server = await startServer(t, env);
    const second = await runInProcess('vantage-control', ['serve'], { env });
    t.equal(second.code, 1);
    t.match(second.stderr.trimEnd().split('\n'), [
      new RegExp(
        `^vantage-control: data directory "${env.VANTAGE_DATA_DIR}" is in use by process ${server.pid}; stop it first`,
      ),
    ]);
    t.equal(second.stderr.trimEnd().split('\n').length, 1);
    const elsewhere = { ...env, VANTAGE_DATA_DIR: join(temporaryDirectory(t), 'other') };
    const lost = await runInProcess('vantage-control', ['user', 'list'], { env: elsewhere });
    t.match(lost, {
      code: 1,
      stderr: `running: process ${server.pid}, a server with the data directory "${env.VANTAGE_DATA_DIR}"`,
    });
    const command = (line: string) => runInProcess('vantage-control', line.split(' '), { env });
    t.equal((await command('user create --email a@b.example --role admin')).code, 0);
    const token = JSON.parse((await command('token create --user a@b.example --json')).stdout);
    const answer = await fetch(new URL('/v1/probe/tasks', server.url), {
      headers: { authorization: `Bearer ${token.token}` },
    });
    t.equal(answer.status, 200, 'the running server knows the token');
    t.equal(await server.stop(), 0);
    const alone = await runCommand(t, 'vantage-control', ['user', 'list', '--json'], { env });
    t.match(JSON.parse(alone.stdout), [{ email: 'a@b.example' }]);
  },
);

t.test('an invalid command line exits with code 2 and a hint, help with 0', async (t) => {
  const run = (line: string) => runInProcess('vantage-control', line.split(' ').filter(Boolean), {});
  const lines = ['', 'node', 'user create', 'token create --user a --scopes all'];
  const check = async (line: string) => {
    const { code, stdout, stderr } = await run(line);
    t.strictSame([code, stdout], [2, ''], line);
    t.match(stderr, /--help shows every option|Usage: /, line);
  };
  await Promise.all(lines.map(check));
  t.match(await run('node ban --help'), { code: 0, stdout: /^Usage: \S*vantage-control node ban/, stderr: '' });
});

t.test(
  'systemd hears that the server listens, its signs of life and its end',
  { skip: missing('systemd-notify', 'python3') },
  async (t) => {
    const { url } = await createTestDatabase(t);
    const manager = await startServiceManager(t, 1_500);
    const server = await startServer(t, {
      ...manager.env,
      VANTAGE_DATA_DIR: temporaryDirectory(t),
      VANTAGE_DATABASE_URL: url,
      VANTAGE_SECRET_KEY: key,
      VANTAGE_LISTEN: '127.0.0.1:0',
      VANTAGE_METRICS_LISTEN: 'off',
    });
    await manager.receives('WATCHDOG=1');
    t.strictSame(manager.received.slice(0, 2), ['READY=1', `STATUS=serving ${server.url}`]);
    await server.stop();
    await manager.receives('STOPPING=1');
  },
);
