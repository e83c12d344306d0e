import { spawnSync } from 'node:child_process';
import t from 'tap';
import { usageOf, usageOfChildren, usageOfTree, usagePer } from './processes.js';

t.test('CPU of a child counts as that of children, and not as that of its parent', async (t) => {
  const read = () => ({
    own: usageOf([process.pid]),
    children: usageOfChildren([process.pid]),
    tree: usageOfTree(process.pid),
  });
  const before = read();
  const busy = 'for (const end = process.cpuUsage().user + 300_000; process.cpuUsage().user < end; );';
  spawnSync(process.execPath, ['-e', busy]);
  const after = read();
  const between = (name: keyof typeof before) => usagePer(1, before[name], after[name]);
  t.ok(between('children').cpuUs >= 290_000, 'a child that has ended counts');
  t.ok(between('own').cpuUs < 150_000);
  t.ok(between('tree').cpuUs >= 290_000);
  t.ok(between('own').switches > 0);
});
