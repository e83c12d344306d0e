import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { loadOrMakeKey } from './key.js';
import { NodeKeys } from './node-keys.js';

const CHANGER = fileURLToPath(new URL('./_support/key-changer.js', import.meta.url));

async function open(stateDir: string): Promise<NodeKeys> {
  const keys = await NodeKeys.open(stateDir);
  if (keys === null) throw new Error('no key');
  return keys;
}

async function aDirectory(t: Test): Promise<string> {
  const stateDir = t.testdir();
  await loadOrMakeKey(stateDir);
  return stateDir;
}

t.test('a future key is on the disk, for its owner only, before it is sent, and is created once', async (t) => {
  const umask = process.umask(0);
  t.teardown(() => process.umask(umask));
  const stateDir = await aDirectory(t);
  const keys = await open(stateDir);
  const { current } = keys;
  t.equal(keys.candidates.length, 1);
  const next = await keys.makeNext();
  t.notOk(next.publicKey.equals(current.publicKey));
  t.equal(statSync(join(stateDir, 'key.next.pem')).mode & 0o777, 0o600);
  t.ok((await keys.makeNext()).publicKey.equals(next.publicKey), 'asked again');
  const again = await open(stateDir);
  t.ok(again.current.publicKey.equals(current.publicKey), 'the old key counts');
  t.ok(again.candidates[1]?.publicKey.equals(next.publicKey), 'and the other one is there after a restart');
});

t.test('the valid key stays, the other one is removed', async (t) => {
  const stateDir = await aDirectory(t);
  const keys = await open(stateDir);
  const [old, refused] = [keys.current, await keys.makeNext()];
  await keys.settle(old.publicKey);
  t.ok(keys.current.publicKey.equals(old.publicKey));
  t.same(readdirSync(stateDir), ['key.pem']);
  const accepted = await keys.makeNext();
  t.notOk(accepted.publicKey.equals(refused.publicKey), 'a refused key is not shown again');
  await t.rejects(keys.settle(refused.publicKey), { name: 'StateFileError' }, 'a key nobody has');
  await keys.settle(accepted.publicKey);
  t.same(readdirSync(stateDir), ['key.pem', 'key.previous.pem']);
  for (const name of readdirSync(stateDir)) t.equal(statSync(join(stateDir, name)).mode & 0o777, 0o600, name);
  const again = await open(stateDir);
  t.ok(again.current.publicKey.equals(accepted.publicKey));
  t.same(again.candidates.length, 2);
});

t.test(
  'a control plane that forgot a change, after a restore or a failover, is answered with the previous key',
  async (t) => {
    const stateDir = await aDirectory(t);
    const keys = await open(stateDir);
    const old = keys.current;
    await keys.settle((await keys.makeNext()).publicKey);
    const after = await open(stateDir);
    await after.makeNext();
    await after.settle(old.publicKey);
    t.ok(after.current.publicKey.equals(old.publicKey));
    t.same(readdirSync(stateDir), ['key.pem']);
    t.ok((await open(stateDir)).current.publicKey.equals(old.publicKey));
  },
);

t.test('a key that was half written when the process died is removed, and nothing else', async (t) => {
  const stateDir = await aDirectory(t);
  for (const name of ['.key.next.pem.0123456789ab', '.key.previous.pem.0123456789ab', '.key.pem.0123456789ab', 'notes'])
    writeFileSync(join(stateDir, name), '');
  await open(stateDir);
  t.same(readdirSync(stateDir).sort(), ['key.pem', 'notes']);
});

t.test('kill -9 at any moment of a change leaves the valid key, whichever of the two it is', async (t) => {
  const stateDir = await aDirectory(t);
  for (let round = 0; round < 8; round += 1) {
    const child = spawn(process.execPath, [CHANGER, stateDir], { stdio: ['ignore', 'pipe', 'inherit'] });
    let reported = '';
    let chunks = 0;
    child.stdout.on('data', (chunk) => {
      reported += String(chunk);
      chunks += 1;
      if (chunks === 1 + round) child.kill('SIGKILL');
    });
    await once(child, 'close');
    const lines = reported.split('\n').filter((line) => line !== '');
    const last = (step: string) => lines.findLast((line) => line.startsWith(step))?.slice(step.length + 1);
    const keys = await open(stateDir);
    const held = new Set(keys.candidates.map(({ publicKey }) => publicKey.toString('hex')));
    t.ok(
      held.has(last('made') ?? 'none'),
      `round ${round}: the control plane may have taken the last key it was shown`,
    );
    const settled = last('settled');
    if (settled !== undefined) t.ok(held.has(settled), `round ${round}: what counted is there`);
  }
});
