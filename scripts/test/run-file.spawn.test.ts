import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { failureText, progressLine, summary } from './report.js';
import { type RunOptions, runTestFile } from './run-file.js';
import type { FileOutcome } from './tap-reader.js';

/** Runs `body` as a test file of its own; `t` is tap in it. */
function runBody(t: Test, body: string, options: Partial<RunOptions> = {}): Promise<FileOutcome> {
  const root = t.testdir({ 'a.test.mjs': `import t from '${import.meta.resolve('tap')}';\n${body}` });
  const file = { compiled: 'a.test.mjs', source: 'a.test.ts', suite: 'daily', isAlone: false } as const;
  return runTestFile(file, {
    root,
    env: process.env,
    timeoutSeconds: 240,
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

t.test('a failed assertion is reported with its test, the difference and the place', async (t) => {
  const outcome = await runBody(
    t,
    `t.test('outer', async (t) => t.test('inner', async (t) => t.equal(2, 3, 'sum')));\nt.test('fine', async () => {});`,
  );
  t.match(outcome, { passed: 1, failed: 1, failures: { length: 1 } });
  t.strictSame(outcome.failures[0]?.path, ['outer', 'inner', 'sum']);
  t.match(outcome.failures[0]?.details, /-3\n\+2[^]*a\.test\.mjs:2/);
});

t.test('an exception in a test is reported with its message', async (t) => {
  const outcome = await runBody(t, `t.test('throws', async () => { throw new Error('boom'); });`);
  t.match(outcome, { passed: 0, failed: 1, failures: { length: 1 } });
  t.match(outcome.failures[0]?.path.join(' › '), 'throws › boom');
});

t.test('a skip of any depth is reported with its reason', async (t) => {
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
  for (const body of ['process.exit(3);', `t.plan(2); t.ok(1);`, `throw new Error('at load');`]) {
    const outcome = await runBody(t, body);
    t.ok(outcome.failed > 0, body);
  }
});

/** Values that a test may throw, or show with a failure, and what the report has to say of each. */
const thrownValues: readonly { readonly code: string; readonly shown: RegExp }[] = [
  { code: `(await import('node:child_process')).execFileSync('no-such-program')`, shown: /no-such-program ENOENT/ },
  {
    code: `(await import('node:child_process')).spawn('no-such-program'); await new Promise(() => {})`,
    shown: /ENOENT/,
  },
  { code: `const a = new Error('round'); a.cause = { a }; a.self = a; throw a`, shown: /round[^]*Circular/ },
  { code: `const a = { big: 10n }; a.a = a; t.fail('odd', { a })`, shown: /big: 10n/ },
  { code: `t.fail('odd', { f() {}, map: new Map([[1n, Symbol('inner')]]) })`, shown: /odd/ },
  { code: `throw { big: 1n }`, shown: /big: 1n/ },
  { code: `throw null`, shown: /error: null/ },
  { code: `throw undefined`, shown: /unhandled/ },
  { code: `throw Symbol('sign')`, shown: /Symbol\(sign\)/ },
  { code: `throw 'a word'`, shown: /a word/ },
  { code: `setImmediate(() => { throw 7n; }); await new Promise(() => {})`, shown: /7n/ },
];

t.test('anything that a test throws is reported as its failure, and the following tests run', async (t) => {
  const tests = thrownValues.map(({ code }, index) => `t.test('value ${index}', async (t) => { ${code} });`);
  const outcome = await runBody(t, [...tests, `t.test('last', async () => {});`].join('\n'));
  for (const [index, { code, shown }] of thrownValues.entries()) {
    const failures = outcome.failures.filter(({ path }) => path[0] === `value ${index}`);
    t.match(failureText({ ...outcome, failures }), shown, code);
  }
  t.match(summary([outcome], []), /\n1 passed, 11 failed, 0 skipped$/);
});

/** Broken files, each of which the run counts as a failure and survives. */
const brokenFiles: readonly { readonly name: string; readonly body: string; readonly shown: RegExp }[] = [
  { name: 'is killed', body: `t.ok(1); process.kill(process.pid, 'SIGKILL');`, shown: /killed by SIGKILL/ },
  { name: 'aborts', body: `process.abort();`, shown: /killed by SIGABRT/ },
  { name: 'is no program', body: `t.test(`, shown: /SyntaxError/ },
  {
    name: 'writes YAML that does not parse',
    body: `process.stdout.write('TAP version 14\\nnot ok 1 - a\\n  ---\\n  a: [\\n  b: &x *y !!js/x\\n  ...\\n1..1\\n');`,
    shown: /FAILED .* › a\n/,
  },
  {
    name: 'writes what is no TAP',
    body: `process.stdout.write(Buffer.from('\\0\\xff not ok ok ok\\n1..2..3\\nok 9 - \\xfe # SKIP\\n    ---\\n', 'latin1'));`,
    shown: /FAILED/,
  },
  {
    name: 'gives up',
    body: `process.stdout.write('TAP version 14\\nok 1 - a\\nBail out! no disk\\n');`,
    shown: /bailed out: no disk/,
  },
];

for (const { name, body, shown } of brokenFiles) {
  t.test(`a file that ${name} is a failure, and the run goes on`, async (t) => {
    const outcome = await runBody(t, body);
    t.match(`${failureText(outcome)}\n${progressLine(outcome)}`, shown);
    t.ok(outcome.failed > 0, summary([outcome], []));
  });
}

t.test('a file that cannot be started is a failure, and the run goes on', async (t) => {
  const cases: readonly Partial<RunOptions>[] = [
    { root: join(t.testdirName, 'nowhere') },
    { env: { TOO_LONG: 'x'.repeat(3e6) } },
    { env: { NUL: 'a\0b' } },
  ];
  for (const options of cases) {
    const outcome = await runBody(t, 't.ok(1);', options);
    t.match(outcome, { passed: 0, failed: 1, skips: [], failures: [{ details: /cannot be started: / }] });
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
