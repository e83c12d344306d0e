import t, { type Test } from 'tap';
import type { FileOutcome } from './tap-reader.js';
import { TestHost } from './test-host.js';

const tap = `import t from '${import.meta.resolve('tap')}';\n`;

/** Runs test files with these bodies in one process, until it takes no more. @returns what they came to, and its end */
async function runBodies(
  t: Test,
  bodies: readonly string[],
  { env = {}, timeoutSeconds = 240 }: { env?: NodeJS.ProcessEnv; timeoutSeconds?: number } = {},
): Promise<{ outcomes: FileOutcome[]; end: FileOutcome | null }> {
  const root = t.testdir(Object.fromEntries(bodies.map((body, index) => [`${index}.test.mjs`, tap + body])));
  const host = new TestHost({ root, env: { ...process.env, ...env }, endingMs: 1000 });
  const outcomes: FileOutcome[] = [];
  for (const index of bodies.keys()) {
    if (!host.isFit) break;
    const file = { compiled: `${index}.test.mjs`, source: `${index}.test.ts`, suite: 'daily', isAlone: false } as const;
    const limits = { timeoutSeconds, graceMs: 0, signal: new AbortController().signal };
    outcomes.push(await host.run(file, limits));
  }
  return { outcomes, end: await host.end() };
}

t.test('files that share a process come to what each says', async (t) => {
  const { outcomes, end } = await runBodies(t, [
    `t.test('one', async (t) => t.test('inner', async (t) => t.ok(1))); t.equal(1, 1);`,
    `t.test('two', { skip: 'needs nft' }, async () => {});`,
    '',
    `console.error('a hint'); t.test('outer', async (t) => t.equal(2, 3, 'sum')); t.test('fine', async () => {});`,
  ]);
  const [one, two, none, failing] = outcomes;
  t.match(one, { passed: 2, failed: 0, skips: [], failures: [], stderr: '' });
  t.match(two, { passed: 0, failed: 0, skips: [{ path: ['two'], reason: 'needs nft' }] });
  t.match(none, { passed: 0, failed: 0, skips: [{ path: [], reason: 'tests nothing' }] });
  t.match(failing, {
    passed: 1,
    failed: 1,
    stderr: 'a hint',
    failures: [{ path: ['outer', 'sum'], details: /-3\n\+2/ }],
  });
  t.equal(end, null);
});

t.test('a file that runs tests in a process of its own comes to what they say', async (t) => {
  const testCall = (line: string) => `t.spawn('printf', ['${line} 1 - told\\n1..1\\n'], { name: 'child' });`;
  const { outcomes } = await runBodies(t, [testCall('ok'), testCall('not ok')]);
  t.match(outcomes, [
    { passed: 1, failed: 0, skips: [] },
    { passed: 0, failed: 1, failures: [{ path: ['child', /told/] }] },
  ]);
});

t.test('hooks and environment of a file end with it', async (t) => {
  const { outcomes } = await runBodies(
    t,
    [
      `t.teardown(() => console.error('torn down'));
     t.beforeEach(() => console.error('before'));
     process.env.OF_A_FILE = 'set'; process.env.HOME = 'changed';
     t.test('one', async (t) => t.equal(process.env.OF_A_FILE, 'set'));`,
      `t.test('two', async (t) => t.strictSame([process.env.OF_A_FILE, process.env.HOME], [undefined, 'home']));`,
    ],
    { env: { HOME: 'home' } },
  );
  t.match(outcomes, [{ stderr: 'before\ntorn down\n' }, { stderr: '', passed: 1, failed: 0 }]);
});

t.test('a name pattern is one for the tests of a file', async (t) => {
  const body = `t.test('wanted', async () => {}); t.test('other', async (t) => t.fail());`;
  const { outcomes } = await runBodies(t, [body], { env: { TAP_GREP: 'wanted' } });
  t.match(outcomes, [{ passed: 1, failed: 0, skips: [] }]);
});

t.test('a file that dies or fails is the last of its process', async (t) => {
  for (const body of [
    'process.exit(3);',
    `process.kill(process.pid, 'SIGKILL');`,
    `throw new Error('at load');`,
    `t.test('one', async (t) => t.fail('no'));`,
  ]) {
    const { outcomes, end } = await runBodies(t, [body, `t.ok(1);`]);
    t.equal(outcomes.length, 1, body);
    t.ok((outcomes[0]?.failed ?? 0) > 0, body);
    t.equal(end, null, body);
  }
});

t.test('an exception that no test catches is reported', async (t) => {
  const body = `t.test('one', () => { setTimeout(() => { throw new Error('boom'); }); return new Promise(() => {}); });`;
  const { outcomes } = await runBodies(t, [body]);
  t.match(JSON.stringify(outcomes[0]), /boom/);
});

t.test('a file that hangs is ended after its time', async (t) => {
  const { outcomes } = await runBodies(t, ['for (;;);'], { timeoutSeconds: 1 });
  t.match(outcomes, [{ failed: 1, failures: [{ details: 'still running after 1 s' }] }]);
});

t.test('a process that a file leaves behind fails it', async (t) => {
  const body = `import { spawn } from 'node:child_process'; spawn('sleep', ['300']).unref(); t.ok(1);`;
  const { outcomes } = await runBodies(t, [body]);
  t.match(outcomes, [{ passed: 1, failed: 1, failures: [{ details: /left processes running: \d+ sleep 300/ }] }]);
});

t.test('a server that a file leaves open fails the last file', async (t) => {
  const server = `import { createServer } from 'node:net'; createServer().listen(0); t.ok(1);`;
  const { outcomes, end } = await runBodies(t, [server, `t.ok(1);`]);
  t.match(outcomes, [{ failed: 0 }, { failed: 0 }]);
  t.match(end, { failed: 1, failures: [{ details: /left open.* 0\.test\.ts, 1\.test\.ts$/ }] });
});
