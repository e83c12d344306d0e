import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { missing } from '@vantage/shared/_support/missing.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { temporaryDirectory } from '../test/_support/temporary-directory.js';
import type { AgentStatus } from './agent-status.js';
import { readStatus, StatusFile, statusPath } from './status-file.js';

function startFile(stateDir: string) {
  const clock = new FakeClock();
  let running = 0;
  // only the field under test matters to the file
  const read = () => ({ running, text: 'x'.repeat(100_000) }) as unknown as AgentStatus;
  const file = new StatusFile({ stateDir, clock, read });
  return {
    file,
    clock,
    setRunning: (count: number) => {
      running = count;
    },
  };
}

t.test('a change is written, and everything every five seconds', async (t) => {
  const stateDir = t.testdir();
  const { file, clock, setRunning } = startFile(stateDir);
  const written = async (count: number) => {
    let seen: number | undefined;
    await until(`${count} is written`, () => {
      void readStatus(stateDir).then((status) => {
        seen = status?.running;
      });
      return seen === count;
    });
  };
  file.start();
  await written(0);
  setRunning(1);
  file.changed();
  await written(1);
  setRunning(2);
  clock.advance(5000);
  await written(2);
  await file.stop();
  t.notOk(existsSync(statusPath(stateDir)));
});

t.test('a reader never sees half a file', async (t) => {
  const stateDir = t.testdir();
  const { file } = startFile(stateDir);
  file.start();
  await until('the file is there', () => existsSync(statusPath(stateDir)));
  for (let i = 0; i < 200; i += 1) {
    file.changed();
    t.ok(await readStatus(stateDir), 'whole');
  }
  await file.stop();
  t.same(readdirSync(stateDir), []);
});

t.test('on a full disk the status is written in place', { skip: missing('permission to mount') }, async (t) => {
  const stateDir = temporaryDirectory(t);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'tmpfs', stateDir]);
  t.teardown(() => execFileSync('umount', ['--lazy', stateDir]));
  const { file, setRunning } = startFile(stateDir);
  file.start();
  await until('the file is there', () => existsSync(statusPath(stateDir)));
  const { bavail, bsize } = statfsSync(stateDir);
  writeFileSync(join(stateDir, 'filler'), Buffer.alloc(bavail * bsize));
  setRunning(7);
  file.changed();
  let seen: number | undefined;
  await until('it tells the news', () => {
    void readStatus(stateDir).then((status) => {
      seen = status?.running;
    });
    return seen === 7;
  });
  t.same(readdirSync(stateDir).sort(), ['filler', 'status.json']);
  await file.stop();
});

t.test('a missing or invalid file counts as no status', async (t) => {
  t.equal(await readStatus(t.testdir()), null);
  t.equal(await readStatus(t.testdir({ 'status.json': '{"pid"' })), null);
});

t.test('a state directory that takes no file does not stop the agent', async () => {
  const { file } = startFile('/nonexistent/vantage');
  file.start();
  await file.stop();
});
