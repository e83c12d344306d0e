import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { checkTrio, startTrio } from './_support/replica-trio.js';

t.test(
  'when every replica is killed in turn under load, no result is lost or doubled and no probe is given up',
  async (t) => {
    const trio = await startTrio(t);
    const loads = trio.startLoads();
    const acceptedBy = (index: number) => loads[index]?.accepted.length ?? 0;
    for (const index of [0, 1, 2]) {
      const before = loads.map((load) => load.accepted.length);
      await until('all of them to work', () => loads.every((load, at) => load.accepted.length > (before[at] ?? 0)));
      await trio.servers[index]?.program.kill();
      const other = (index + 1) % 3;
      const then = acceptedBy(other);
      await until('the others to continue', () => acceptedBy(other) > then + 3);
      await trio.restart(index);
    }
    await Promise.all(loads.map((load) => load.stop()));
    t.comment(
      `${loads.flatMap((load) => load.accepted).length} tasks, ${loads.flatMap((load) => load.failures).length} requests failed`,
    );
    t.equal(await checkTrio(t, trio, loads), 0, 'and no probe given up');
  },
);
