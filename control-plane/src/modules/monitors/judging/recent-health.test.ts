import { changeShare } from '@vantage/shared/monitor-state/flapping.js';
import t from 'tap';
import { recentHealth, withEffects } from './recent-health.js';

const down = (startedAtMs: number, endedAtMs: number | null) => ({ type: 'down', startedAtMs, endedAtMs }) as const;

t.test('each of the last intervals ends in the state of its event', async (t) => {
  const events = [
    down(0, 1_000),
    down(1_500, 1_600),
    { type: 'degraded', startedAtMs: 1_650, endedAtMs: null } as const,
  ];
  const health = recentHealth(events, 100, 2_000);
  t.same(health.map((outcome) => outcome[0]).join(''), 'ffffffffffoooooffdddd'.replace('ffdddd', 'fodddd'));
});

t.test('outages of an interval each are all seen, wherever in it they begin', async (t) => {
  for (const offset of [0, 1, 37, 99]) {
    const events = Array.from({ length: 7 }, (_, index) => down(index * 300 + offset, index * 300 + 100 + offset));
    const share = changeShare(recentHealth(events, 100, 2_000));
    t.ok(share > 0.6 && share < 0.72, `${share}`);
  }
});

t.test('a change that is about to be written counts', async (t) => {
  const opened = withEffects([down(0, 100)], [{ kind: 'open', type: 'degraded', startedAtMs: 200, affectedNodes: [] }]);
  t.same(opened, [down(0, 100), { type: 'degraded', startedAtMs: 200, endedAtMs: null }]);
  const changed = withEffects([down(0, null)], [{ kind: 'change', type: 'degraded', atMs: 50, affectedNodes: [] }]);
  t.same(changed, [down(0, 50), { type: 'degraded', startedAtMs: 50, endedAtMs: null }]);
  t.same(withEffects([down(0, null)], [{ kind: 'close', endedAtMs: 50 }]), [down(0, 50)]);
});
