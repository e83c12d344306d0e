import { spawn } from 'node:child_process';
import { once } from 'node:events';
import t from 'tap';

interface Lock {
  holdLock(root: string, say: (line: string) => void): Promise<{ release(): void }>;
}
const url = new URL('../../setup/lock.mjs', import.meta.url).href;
const { holdLock }: Lock = await import(url);
const silent = () => {};

t.test('a second set-up of a checkout waits for the first, and says so', async (t) => {
  const root = t.testdir();
  const said: string[] = [];
  const first = await holdLock(root, silent);
  let isFirstReleased = false;
  let second: Promise<void> | undefined;
  await new Promise<void>((resolve) => {
    const say = (line: string) => {
      said.push(line);
      resolve();
    };
    second = holdLock(root, say).then((lock) => {
      t.ok(isFirstReleased);
      lock.release();
    });
  });
  isFirstReleased = true;
  first.release();
  await second;
  t.strictSame(said, [`set-up: waiting for another one to finish (process ${process.pid})`]);
});

t.test('set-ups of different checkouts do not wait for each other', async (t) => {
  const root = t.testdir({ a: {}, b: {} });
  const locks = await Promise.all([holdLock(`${root}/a`, t.fail), holdLock(`${root}/b`, t.fail)]);
  for (const lock of locks) lock.release();
});

t.test('the lock of a killed set-up is free', async (t) => {
  const root = t.testdir();
  const script = `import { holdLock } from '${url}'; await holdLock('${root}', () => {}); console.log('held'); setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  const waiting = holdLock(root, () => holder.kill('SIGKILL'));
  (await waiting).release();
  t.equal(holder.killed, true);
});
