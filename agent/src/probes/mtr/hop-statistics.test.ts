import fc from 'fast-check';
import t from 'tap';
import { timesOf } from './hop-statistics.js';

/** Statistics of mtr 0.95 for each reply (ui/net.c, net_process_ping and net_stdev), in its own steps. */
function asMtr(rttsMs: readonly number[]) {
  const host = { returned: 0, last: 0, best: 0, worst: 0, avg: 0, ssd: 0, javg: 0 };
  for (const rttMs of rttsMs) {
    const jitter = host.returned === 0 ? 0 : Math.abs(rttMs - host.last);
    host.last = rttMs;
    host.best = host.returned === 0 ? rttMs : Math.min(host.best, rttMs);
    host.worst = Math.max(host.worst, rttMs);
    host.returned += 1;
    const before = host.avg;
    host.avg += (rttMs - before) / host.returned;
    host.ssd += (rttMs - before) * (rttMs - host.avg);
    host.javg += (jitter - host.javg) / host.returned;
  }
  const stdev = host.returned > 1 ? Math.sqrt(host.ssd / (host.returned - 1)) : 0;
  return [host.best, host.avg, host.worst, stdev, host.last, host.javg];
}

t.test('each number is what mtr computes from the same replies', async (t) => {
  const times = fc.array(fc.double({ min: 0, max: 10_000, noNaN: true }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(times, (rttsMs) => {
      const { rtt, jitter_ms } = timesOf(rttsMs);
      const ours = [rtt.min_ms, rtt.avg_ms, rtt.max_ms, rtt.stddev_ms, rtt.last_ms, jitter_ms];
      return asMtr(rttsMs).every((value, i) => Math.abs(value - (ours[i] ?? Number.NaN)) < 0.001);
    }),
  );
  t.pass();
});

t.test('no reply has no times, and one has no deviation', async (t) => {
  t.same(timesOf([]), {
    rtt: { min_ms: null, avg_ms: null, max_ms: null, stddev_ms: null, last_ms: null },
    jitter_ms: null,
  });
  t.same(timesOf([2]), { rtt: { min_ms: 2, avg_ms: 2, max_ms: 2, stddev_ms: 0, last_ms: 2 }, jitter_ms: 0 });
});
