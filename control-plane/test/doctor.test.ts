import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { runInProcess } from './_support/command-in-process.js';
import { createTestDatabase } from './_support/database.js';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { SECRET_KEY, startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

/** Characters that control a terminal. */
const CONTROL = /[^\P{Cc}\n]/u;

async function examined(t: Test, env: Readonly<Record<string, string>>) {
  const settings = { VANTAGE_DATA_DIR: temporaryDirectory(t), ...env };
  const { code, stdout, stderr } = await runInProcess('vantage-control', ['doctor', '--json'], { env: settings });
  if (stderr !== '') throw new Error(stderr);
  const checks: { name: string; status: string; detail: string; remedy: string | null }[] = JSON.parse(stdout).checks;
  return { code, of: (name: string) => checks.find((check) => check.name === name), checks };
}

t.test(
  'doctor finds a running installation in order, and shows the versions of agents without control characters',
  async (t) => {
    const { api, database } = await startStack(t);
    await PeerAgent.connect(t, api.url, await enrollPeer(api), { agentVersion: '0.1.0\u001b[2J\u009b2J' });
    const env = {
      VANTAGE_DATABASE_URL: database.url,
      VANTAGE_PUBLIC_URL: api.url,
      VANTAGE_SECRET_KEY: SECRET_KEY,
    };
    const names = ['settings', 'database', 'migrations', 'bus', 'clock', 'secret key', 'public URL', 'replicas'];
    let { of } = await examined(t, env);
    // on a busy machine the server and its database may be late once, and the doctor says so
    await until(
      'all of them to be in order',
      async () => {
        if (names.every((name) => of(name)?.status === 'ok')) return true;
        ({ of } = await examined(t, env));
        return false;
      },
      60_000,
    ).catch((error: Error) => t.comment(error.message));
    for (const name of names) t.match(of(name), { status: 'ok' }, name);
    t.match(of('agents'), { detail: /: 1 of 1 online/ });
    t.match(of('mail'), { status: 'warning', remedy: /VANTAGE_SMTP_URL/ });
    const text = await runInProcess('vantage-control', ['doctor'], { env });
    t.match(text.stdout, /^ok {7}settings: /);
    t.match(text.stdout, /0\.1\.0·\[2J·2J: 1 of 1 online/);
    t.notMatch(text.stdout, CONTROL);
    const wrong = await runInProcess('vantage-control', ['doctor'], {
      env: { ...env, VANTAGE_LISTEN: '\u001b[2J\u009b2J' },
    });
    t.match(wrong.stderr, /VANTAGE_LISTEN .*·\[2J·2J/);
    t.notMatch(wrong.stderr, CONTROL);
  },
);

t.test('doctor names each defect with its remedy, and ends with exit code 1', async (t) => {
  const { database } = await startStack(t);
  const dataDir = temporaryDirectory(t);
  const keyFile = path.join(dataDir, 'secret.key');
  writeFileSync(keyFile, Buffer.alloc(32, 9).toString('base64'));
  chmodSync(keyFile, 0o644);
  const env = {
    VANTAGE_DATABASE_URL: database.url,
    VANTAGE_DATA_DIR: dataDir,
    VANTAGE_PUBLIC_URL: 'http://127.0.0.1:9',
    VANTAGE_SMTP_URL: 'smtp://127.0.0.1:9',
    VANTAGE_BUS_URL: 'nats://127.0.0.1:9',
    VANTAGE_LISTN: ':1',
  };
  const { code, of } = await examined(t, env);
  t.equal(code, 1);
  t.match(of('settings'), { status: 'warning', detail: /VANTAGE_LISTN/ });
  t.match(of('secret key'), { status: 'failed', detail: /does not decrypt the identity/ });
  t.match(of('public URL'), { status: 'failed', detail: /does not respond/, remedy: /VANTAGE_PUBLIC_URL/ });
  t.match(of('mail'), { status: 'failed', detail: /ECONNREFUSED/ });
  t.match(of('bus'), { status: 'warning', remedy: /VANTAGE_BUS_URL/ });
});

t.test('doctor of a database that is down, or not migrated, says so and changes nothing', async (t) => {
  const down = await examined(t, { VANTAGE_DATABASE_URL: 'postgres://u:secret@127.0.0.1:9/v' });
  t.equal(down.code, 1);
  t.match(down.of('database'), { status: 'failed', remedy: /VANTAGE_DATABASE_URL/ });
  t.notMatch(JSON.stringify(down.checks), /secret@/);
  const { url, db } = await createTestDatabase(t, { migrate: false });
  const empty = await examined(t, { VANTAGE_DATABASE_URL: url });
  t.match(empty.of('migrations'), { status: 'warning', detail: /0001-baseline/ });
  t.notOk(await db.schema.hasTable('schema_migrations'));
});
