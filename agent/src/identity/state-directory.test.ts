import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { StateDirectoryInUseError } from './errors.js';
import { lockStateDirectory, openStateDirectory } from './state-directory.js';

const HOLDER = fileURLToPath(new URL('./_support/lock-holder.js', import.meta.url));
const isRoot = process.geteuid?.() === 0;

t.test('a state directory is made for its owner alone', async (t) => {
  const stateDir = join(t.testdir(), 'deep', 'inside');
  await openStateDirectory(stateDir);
  t.equal(statSync(stateDir).mode & 0o777, 0o700);
  await openStateDirectory(stateDir);
});

t.test('a directory that others can only read is closed to them', async (t) => {
  const stateDir = t.testdir();
  chmodSync(stateDir, 0o755);
  await openStateDirectory(stateDir);
  t.equal(statSync(stateDir).mode & 0o777, 0o700);
});

t.test('a directory that cannot be trusted is refused, and says why', async (t) => {
  const folder = t.testdir({ file: '' });
  const shared = join(folder, 'shared');
  mkdirSync(shared);
  chmodSync(shared, 0o770);
  const foreign = isRoot ? join(folder, 'foreign') : '/';
  if (isRoot) {
    mkdirSync(foreign, 0o700);
    chownSync(foreign, 65534, 65534);
  }
  const cases = [
    { name: 'writable for others', stateDir: shared, expected: /other users can write/ },
    { name: "somebody else's", stateDir: foreign, expected: /belongs to user \d+, this is user \d+/ },
    { name: 'a file', stateDir: join(folder, 'file'), expected: /cannot use ".*file"|not a directory/ },
    {
      name: 'below a file',
      stateDir: join(folder, 'file', 'below'),
      expected: /cannot use ".*below" as state directory/,
    },
  ];
  for (const { name, stateDir, expected } of cases) {
    await t.rejects(openStateDirectory(stateDir), { name: 'StateDirectoryError', message: expected }, name);
  }
  t.equal(statSync(shared).mode & 0o777, 0o770, 'and left as it was');
});

t.test('two agents cannot use one state directory', async (t) => {
  const stateDir = t.testdir();
  const lock = lockStateDirectory(stateDir);
  t.throws(() => lockStateDirectory(stateDir), new StateDirectoryInUseError(stateDir));
  lock.release();
  lockStateDirectory(stateDir).release();
  t.equal(statSync(join(stateDir, 'lock')).mode & 0o777, 0o600);
  t.same(readdirSync(stateDir), ['lock']);
});

t.test('the lock dies with the process that held it, however it died', async (t) => {
  const stateDir = t.testdir();
  for (let round = 0; round < 2; round += 1) {
    const holder = spawn(process.execPath, [HOLDER, stateDir], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(holder, 'exit');
    await once(holder.stdout, 'data');
    t.throws(() => lockStateDirectory(stateDir), StateDirectoryInUseError, 'while it lives');
    holder.kill('SIGKILL');
    await exited;
    lockStateDirectory(stateDir).release();
  }
});

t.test('the content of an existing lock file has no effect', async (t) => {
  const stateDir = t.testdir();
  writeFileSync(join(stateDir, 'lock'), '');
  lockStateDirectory(stateDir).release();
});
