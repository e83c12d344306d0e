import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import t, { type Test } from 'tap';
import { processTree } from '../bench/processes.js';
import { startNemesis } from './_support/nemesis-process.js';
import { until } from './_support/until.js';

const directories = () => readdirSync(tmpdir()).filter((name) => name.startsWith('vantage-nemesis-'));

/** Ends a nemesis in the middle of its work and waits for all it had started. @returns its exit code */
async function endBy(t: Test, signal: 'SIGINT' | 'SIGKILL'): Promise<number | null> {
  const nemesis = startNemesis(t, {}, '--seed', '3', '--minutes', '5');
  await until('faults', () => nemesis.said().includes('accepted'), 180_000);
  const started = processTree(nemesis.pid);
  t.ok(started.length > 10, `${started.length} processes`);
  process.kill(nemesis.pid, signal);
  const { code } = await nemesis.ended;
  await until('all of them to end', () => !started.some(isAlive), 60_000);
  return code;
}

t.test('a nemesis ended by SIGINT leaves nothing behind', { timeout: 300_000 }, async (t) => {
  const before = new Set(directories());
  t.equal(await endBy(t, 'SIGINT'), 130);
  t.strictSame(
    directories().filter((name) => !before.has(name)),
    [],
  );
});

t.test('a nemesis ended by SIGKILL leaves no process behind', { timeout: 300_000 }, async (t) => {
  await endBy(t, 'SIGKILL');
  t.pass();
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
