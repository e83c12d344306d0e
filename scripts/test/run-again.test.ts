import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { runFailedAgain } from './run-again.js';
import { runTestFile } from './run-file.js';
import type { TestFile } from './test-files.js';

const never = new AbortController().signal;

t.test('a file that fails again has failed, and one that passes then is flaky', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'vantage-again-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const bodies = {
    always: "console.log('not ok 1 - sum');",
    once: "import { existsSync, writeFileSync } from 'node:fs';\nconst isSecond = existsSync('ran'); writeFileSync('ran', '');\nconsole.log(`${isSecond ? '' : 'not '}ok 1 - sum`);",
    never: "console.log('ok 1 - sum');",
  };
  const files: TestFile[] = [];
  for (const [name, body] of Object.entries(bodies)) {
    const file: TestFile = { compiled: `${name}.test.mjs`, source: `${name}.test.ts`, suite: 'daily', isAlone: true };
    await writeFile(join(root, file.compiled), `${body}\nconsole.log('1..1');`);
    files.push(file);
  }
  const ran: string[] = [];
  const run = (file: TestFile) => {
    ran.push(file.source);
    return runTestFile(file, { root, env: process.env, timeoutSeconds: 60, signal: never });
  };
  const first = [];
  for (const file of files) first.push(await run(file));
  // the process of a file may be a failure of its own
  const { outcomes, flaky } = await runFailedAgain([...first, ...first.slice(0, 1)], run);
  t.strictSame(ran.slice(3), ['always.test.ts', 'once.test.ts']);
  t.match(
    outcomes.map(({ file, failed }) => [file.source, failed]),
    [
      ['never.test.ts', 0],
      ['always.test.ts', 1],
      ['once.test.ts', 0],
    ],
  );
  t.match(flaky, [{ file: { source: 'once.test.ts' }, failures: [{ path: ['sum'] }] }]);
});
