import t from 'tap';
import { failureText, judgeRun, progressLine, summary } from './report.js';
import type { FileOutcome } from './tap-reader.js';

const outcome = (change: Partial<FileOutcome>): FileOutcome => ({
  file: { source: 'agent/src/a.test.ts', compiled: 'agent/dist/src/a.test.js', suite: 'daily', isAlone: false },
  durationMs: 1234,
  cpuMs: 567,
  stderr: '',
  passed: 2,
  failed: 0,
  skips: [],
  failures: [],
  ...change,
});
const gate = { isComplete: true };
const skips = [{ path: ['outer', 'inner'], reason: 'needs nftables: apt-get install -y nftables' }];
const failures = [{ path: ['outer', 'sum'], details: '-3\n+2' }];

t.test('a run ends with the plain counts', async (t) => {
  const text = summary([outcome({}), outcome({ failed: 1, failures }), outcome({ skips })], []);
  t.equal(text.split('\n').at(-1), '6 passed, 1 failed, 1 skipped');
});

t.test('a run ends with each skip and its reason, and the first lines of each failure', async (t) => {
  const details = ['-3', '+2', ...Array.from({ length: 11 }, (_, index) => `line ${index}`)].join('\n');
  const long = [{ path: ['outer', 'sum'], details }];
  const text = summary([outcome({ skips }), outcome({ failed: 1, failures: long })], []);
  t.match(text, 'skipped agent/src/a.test.ts › outer › inner: needs nftables: apt-get install -y nftables');
  t.match(text, 'FAILED agent/src/a.test.ts › outer › sum\n  -3\n  +2\n  line 0\n');
  t.match(text, '  line 9\n  …\n');
  t.notMatch(text, 'line 10');
});

t.test('the failures stand at the end, below the notes, where a cut output still has them', async (t) => {
  const text = summary([outcome({ failed: 1, failures })], ['a note']);
  t.match(
    text,
    /^a note\nFAILED agent\/src\/a\.test\.ts › outer › sum\n {2}-3\n {2}\+2\n2 passed, 1 failed, 0 skipped$/,
  );
});

t.test('a failure is reported with its details and the output of the file', async (t) => {
  const text = failureText(outcome({ failed: 1, failures, stderr: 'a hint\n' }));
  t.match(text, 'FAILED agent/src/a.test.ts › outer › sum\n  -3\n  +2');
  t.match(text, 'standard error of agent/src/a.test.ts:\n  a hint');
});

t.test('a failure fails the run; a skip does where nothing may be skipped', async (t) => {
  t.equal(judgeRun([outcome({})], gate).exitCode, 0);
  t.equal(judgeRun([outcome({ failed: 1, failures })], { isComplete: false }).exitCode, 1);
  t.equal(judgeRun([outcome({ skips })], { isComplete: false }).exitCode, 0);
  t.match(judgeRun([outcome({ skips })], gate), { exitCode: 1, notes: [/skipped test is a failure/] });
});

t.test('what is skipped for one reason is one line', async (t) => {
  const other = [{ path: ['alone'], reason: 'needs root' }];
  const text = summary([outcome({ skips }), outcome({ skips: [...skips, ...other] })], []);
  t.strictSame(text.split('\n').slice(0, 2), [
    'skipped 2 tests: needs nftables: apt-get install -y nftables',
    'skipped agent/src/a.test.ts › alone: needs root',
  ]);
});

t.test('a file that passed when it ran once more fails no run, and is named with its failure', async (t) => {
  const flaky = [outcome({ failed: 1, failures })];
  t.match(judgeRun([outcome({})], { ...gate, flaky }), {
    exitCode: 0,
    notes: ['flaky: agent/src/a.test.ts › outer › sum\n  -3\n  +2'],
  });
});

t.test('progress shows each file with its counts and time', async (t) => {
  t.match(progressLine(outcome({})), /^ok +agent\/src\/a\.test\.ts +2 passed +1\.2 s, 0\.6 s of CPU$/);
  t.match(
    progressLine(outcome({ failed: 1, skips })),
    /^FAILED .* 2 passed, 1 failed, 1 skipped +1\.2 s, 0\.6 s of CPU$/,
  );
});
