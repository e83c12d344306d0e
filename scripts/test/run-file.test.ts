import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type RunOptions, runTestFile } from './run-file.js';
import type { FileOutcome } from './tap-reader.js';

/** Runs `body` as a test file of its own; `t` is tap in it. */
function runBody(t: Test, body: string, options: Partial<RunOptions> = {}): Promise<FileOutcome> {
  const root = t.testdir({ 'a.test.mjs': `import t from '${import.meta.resolve('tap')}';\n${body}` });
  const file = { compiled: 'a.test.mjs', source: 'a.test.ts', isLong: false };
  return runTestFile(file, {
    root,
    env: process.env,
    timeoutSeconds: 20,
    signal: new AbortController().signal,
    ...options,
  });
}

t.test('a test is a test point of the file; what is inside it is part of it', async (t) => {
  const outcome = await runBody(
    t,
    `t.test('one', async (t) => { t.ok(1); await t.test('inner', async (t) => t.ok(1)); }); t.equal(1, 1);`,
  );
  t.match(outcome, { passed: 2, failed: 0, skips: [], failures: [] });
});

t.test('a failed assertion is told with its test, the difference and the place', async (t) => {
  const outcome = await runBody(
    t,
    `t.test('outer', async (t) => t.test('inner', async (t) => t.equal(2, 3, 'sum')));\nt.test('fine', async () => {});`,
  );
  t.match(outcome, { passed: 1, failed: 1, failures: { length: 1 } });
  t.strictSame(outcome.failures[0]?.path, ['outer', 'inner', 'sum']);
  t.match(outcome.failures[0]?.details, /-3\n\+2[^]*a\.test\.mjs:2/);
});

t.test('an exception in a test is told with its message', async (t) => {
  const outcome = await runBody(t, `t.test('throws', async () => { throw new Error('boom'); });`);
  t.match(outcome, { passed: 0, failed: 1, failures: { length: 1 } });
  t.match(outcome.failures[0]?.path.join(' › '), 'throws › boom');
});

t.test('a skip of any depth is told with its reason', async (t) => {
  const outcome = await runBody(
    t,
    `t.test('outer', async (t) => t.test('inner', { skip: 'needs nft' }, async () => {}));`,
  );
  t.match(outcome, { passed: 1, failed: 0 });
  t.strictSame(outcome.skips, [{ path: ['outer', 'inner'], reason: 'needs nft' }]);
});

t.test('a file that skips everything is a skip', async (t) => {
  const outcome = await runBody(t, `t.plan(0, 'needs root');`);
  t.match(outcome, { passed: 0, failed: 0 });
  t.strictSame(outcome.skips, [{ path: [], reason: 'needs root' }]);
});

t.test('a test that the pattern leaves out counts nowhere', async (t) => {
  const env = { ...process.env, TAP_GREP: 'wanted' };
  const outcome = await runBody(t, `t.test('wanted', async () => {}); t.test('other', async (t) => t.fail());`, {
    env,
  });
  t.match(outcome, { passed: 1, failed: 0, skips: [] });
});

t.test('a file that dies or ends early fails', async (t) => {
  for (const body of [
    'process.exit(3);',
    `t.plan(2); t.ok(1);`,
    `process.kill(process.pid, 'SIGKILL');`,
    `throw new Error('at load');`,
  ]) {
    const outcome = await runBody(t, body);
    t.ok(outcome.failed > 0, body);
  }
});

t.test('a file that tests nothing is a skip, so that it cannot pass unseen', async (t) => {
  t.match(await runBody(t, ''), { passed: 0, failed: 0, skips: [{ path: [], reason: 'no tests found' }] });
});

t.test('what a file writes to standard error is kept', async (t) => {
  t.match((await runBody(t, `console.error('a hint'); t.ok(1);`)).stderr, 'a hint');
});

t.test('a file that hangs is ended after its time', async (t) => {
  const outcome = await runBody(t, `for (;;);`, { timeoutSeconds: 1, graceMs: 0 });
  t.match(outcome, { failed: 1, failures: [{ details: 'still running after 1 s' }] });
});

t.test('a process that a file leaves behind fails it and is ended', async (t) => {
  const body = `import { spawn } from 'node:child_process';
    const child = spawn('sleep', ['300'], { stdio: 'inherit' });
    child.unref(); console.error(child.pid); t.ok(1);`;
  const outcome = await runBody(t, body);
  t.match(outcome, { passed: 1, failed: 1, failures: [{ details: /left processes running: \d+ sleep 300/ }] });
  t.notOk(isAlive(Number(outcome.stderr)));
});

t.test('an interrupt ends a file and the processes it started', async (t) => {
  const controller = new AbortController();
  const pidFile = join(t.testdirName, 'pid');
  const body = `import { spawn } from 'node:child_process'; import { writeFileSync } from 'node:fs';
    const child = spawn('sleep', ['300']); writeFileSync('pid', String(child.pid)); t.test('waits', () => new Promise(() => {}));`;
  const running = runBody(t, body, { signal: controller.signal });
  const poll = setInterval(() => existsSync(pidFile) && controller.abort(), 20);
  const outcome = await running;
  clearInterval(poll);
  t.match(outcome.failures.at(-1)?.details, 'interrupted');
  t.notOk(isAlive(Number(readFileSync(pidFile, 'utf8'))));
});

function isAlive(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
