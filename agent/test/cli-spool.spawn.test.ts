import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { missing } from '@vantage/shared/_support/missing.js';
import t, { type Test } from 'tap';
import { appendResults, openSpool } from '../src/spool/_support/spool-fixture.js';
import { runCommand } from './_support/cli.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

/** A state directory whose closed spool has results 1..40 in lane task and 1..2 in lane check. */
async function aStateDir(t: Test): Promise<string> {
  const stateDir = temporaryDirectory(t);
  const spool = await openSpool(t, { folder: join(stateDir, 'spool') });
  await appendResults(spool, 'task', 40);
  await appendResults(spool, 'check', 2);
  await spool.close();
  return stateDir;
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

t.test('spool export prints undelivered results as readable lines, as JSON lines, or into a file', async (t) => {
  const stateDir = await aStateDir(t);
  const file = join(temporaryDirectory(t), 'results.jsonl');
  const run = (...args: string[]) => runCommand(t, ['spool', 'export', '--state-dir', stateDir, ...args]);
  const [plain, json, written, wrong] = await Promise.all([
    run(),
    run('--json', '--lane', 'check'),
    run('--json', '--output', file),
    run('--lane', 'nonsense'),
  ]);
  t.match(plain, { code: 0, stderr: '' });
  t.equal(lines(plain.stdout).length, 42);
  t.match(lines(plain.stdout)[0], /^task +1 +waiting +2026-01-01T00:00:00.000Z +ping +pt_1/);
  t.match(
    lines(json.stdout).map((line) => JSON.parse(line) as unknown),
    [1, 2].map((sequence) => ({ lane: 'check', sequence, state: 'waiting', result: { answered: sequence } })),
  );
  t.match(written, { code: 0, stdout: '' });
  t.equal(lines(readFileSync(file, 'utf8')).length, 42);
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.match(wrong, { code: 2, stderr: /no such lane "nonsense": use task or check/ });
  t.match(await run('--output', file), { code: 1, stderr: /cannot write ".*results.jsonl": .*EEXIST/ });
  t.same(readdirSync(join(stateDir, 'spool')).sort(), ['ballast', 'last-commit', 'spool.db'], 'nothing is left behind');
});

t.test('export and verify report damage of the spool and of a file that was set aside', async (t) => {
  const stateDir = await aStateDir(t);
  const path = join(stateDir, 'spool', 'spool.db');
  const bytes = readFileSync(path);
  // SQLite has copies of it in pages that are free again
  for (let at = bytes.indexOf('pt_7 '); at >= 0; at = bytes.indexOf('pt_7 ')) bytes[at] = 0x58;
  const aside = join(temporaryDirectory(t), 'aside.db');
  writeFileSync(aside, bytes);
  const run = (command: string, ...args: string[]) =>
    runCommand(t, ['spool', command, '--state-dir', stateDir, ...args]);
  const [intact, damaged, json, exported, missing] = await Promise.all([
    run('verify'),
    run('verify', '--file', aside),
    run('verify', '--json', '--file', aside),
    run('export', '--file', aside),
    run('verify', '--file', `${aside}.not`),
  ]);
  t.match(intact, { code: 0, stdout: /^verdict +intact$/m });
  t.match(damaged, { code: 1, stdout: /^ {2}FAULT +7 corrupt$/m });
  t.match(JSON.parse(json.stdout), {
    file: aside,
    is_intact: false,
    lanes: { task: { rows: 39, faults: [{ first: 7, last: 7, fault: 'corrupt' }] } },
  });
  t.match(exported, { code: 1, stderr: /row 7 of lane "task" is damaged, skipped/ });
  t.equal(lines(exported.stdout).length, 41);
  t.match(missing, { code: 1, stdout: '', stderr: /no spool exists at ".*aside.db.not"\n$/ });
});

/** Removes the right to write in a folder, from root too. */
function makeReadOnly(t: Test, folder: string): void {
  chmodSync(folder, 0o500);
  t.teardown(() => chmodSync(folder, 0o700));
  if (process.getuid?.() !== 0) return;
  execFileSync('mount', ['--bind', folder, folder]);
  t.teardown(() => execFileSync('umount', [folder]));
  execFileSync('mount', ['-o', 'remount,bind,ro', folder]);
}

// root writes in every folder but those of a file system that is mounted read-only
const skip = process.getuid?.() === 0 && missing('permission to mount');

t.test('a spool can be read on a read-only disk', { skip }, async (t) => {
  const stateDir = await aStateDir(t);
  const folder = join(stateDir, 'spool');
  makeReadOnly(t, folder);
  t.throws(() => writeFileSync(join(folder, 'x'), ''), 'nothing can be written');
  t.match(await runCommand(t, ['spool', 'verify', '--state-dir', stateDir]), { code: 0 });
});

t.test('status shows undelivered results when no agent runs', async (t) => {
  const stateDir = await aStateDir(t);
  const { code, stdout } = await runCommand(t, ['status', '--json', '--state-dir', stateDir]);
  t.equal(code, 5);
  t.match(JSON.parse(stdout), {
    is_running: false,
    agent: null,
    stored_spool: { rows: 42, lanes: { task: { rows: 40 } } },
  });
});
