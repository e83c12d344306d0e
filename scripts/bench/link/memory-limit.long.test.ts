import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { missing } from '@vantage/shared/_support/missing.js';
import t from 'tap';
import { hasEnded, MemoryAgent, stopAgent } from './memory-agent.js';
import { MemoryLimit } from './memory-limit.js';

const LIMIT_BYTES = 128 * 1024 * 1024;
const skip = missing('root');

t.test(
  'a full spool of 64 MiB is drained within a memory limit of 128 MB, both processes together',
  { skip },
  async (t) => {
    const agent = await MemoryAgent.enroll();
    t.teardown(() => agent.remove());
    const rows = await agent.fillSpool();
    const limit = MemoryLimit.of(LIMIT_BYTES, `vantage-drain-${process.pid}`);
    t.teardown(() => limit.remove());
    const child = await agent.start(limit);
    t.teardown(() => stopAgent(child));
    while (agent.peer.results < rows && !hasEnded(child)) await pause(200);
    t.equal(agent.peer.results, rows, 'every result came once');
    t.equal(limit.killed, 0, 'the kernel had to kill none of its processes');
  },
);

t.test('the limit is the kernel’s: a process that wants more is killed', { skip }, (t) => {
  const limit = MemoryLimit.of(LIMIT_BYTES, `vantage-greedy-${process.pid}`);
  t.teardown(() => limit.remove());
  const greedy = [process.execPath, '-e', `Buffer.alloc(${2 * LIMIT_BYTES}, 1); console.log('had it all')`];
  const [program = '', ...args] = limit.commandOf(greedy);
  const { signal, stdout } = spawnSync(program, args, { encoding: 'utf8' });
  t.match({ signal, stdout, killed: limit.killed }, { signal: 'SIGKILL', stdout: '', killed: 1 });
  t.end();
});
