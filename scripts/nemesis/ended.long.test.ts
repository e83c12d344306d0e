import { readdirSync, readFileSync } from 'node:fs';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { processTree } from '../bench/processes.js';
import { startNemesis } from './_support/nemesis-process.js';

/** Ends a nemesis in the middle of its work and waits for all it had started. */
async function endBy(t: Test, signal: 'SIGINT' | 'SIGKILL'): Promise<{ code: number | null; leftFiles: string[] }> {
  const nemesis = startNemesis(t, {}, '--seed', '3', '--minutes', '5', '--replicas', '1', '--agents', '1');
  await until('faults', () => nemesis.said().includes('accepted'), 600_000);
  const started = processTree(nemesis.pid);
  t.ok(started.length > 10, `${started.length} processes`);
  process.kill(nemesis.pid, signal);
  const { code } = await nemesis.ended;
  await until('all of them to end', () => !started.some(isAlive));
  return { code, leftFiles: readdirSync(nemesis.temporary) };
}

t.test('a nemesis ended by SIGINT leaves nothing behind', async (t) => {
  t.strictSame(await endBy(t, 'SIGINT'), { code: 130, leftFiles: [] });
});

t.test('a nemesis ended by SIGKILL leaves no process behind', async (t) => {
  await endBy(t, 'SIGKILL');
  t.pass();
});

function isAlive(pid: number): boolean {
  try {
    // one that has ended is gone, whether anybody has waited for it or not (proc(5))
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
