import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { JobsOut } from './jobs-out.js';
import { SilenceWatch } from './liveness.js';

const turn = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
const config = () => ({
  heartbeatMs: 15_000,
  busyHeartbeatMs: 1_000,
  ownAddresses: [],
  denied: [],
  canaries: [],
  controlUrls: [],
  leaseSeconds: 86_400,
});
const job = { taskId: 'one', probeType: 'ping', specJson: '{}', deadlineMs: 5_000, caller: '' };

function aWatch(roundTripMs = 0) {
  const clock = new FakeClock();
  const frames = { isWaiting: false, lastReceivedAt: 0 };
  const jobs = new JobsOut(clock, () => {});
  const silences: number[] = [];
  const watch = new SilenceWatch({
    clock,
    frames,
    jobs,
    config,
    roundTripMs: () => roundTripMs,
    onSilent: (silentMs) => silences.push(silentMs),
  });
  watch.look();
  const pass = async (ms: number) => {
    clock.advance(ms);
    await turn();
    return silences;
  };
  return { clock, frames, jobs, watch, pass };
}

t.test(
  'an idle node counts as silent after three of its heartbeats, a busy one after three of the faster ones',
  async (t) => {
    const idle = aWatch();
    t.strictSame(await idle.pass(44_999), []);
    t.strictSame(await idle.pass(1), [45_000]);
    const busy = aWatch();
    await busy.pass(20_000);
    t.ok(busy.jobs.give(job));
    busy.watch.look();
    t.strictSame(await busy.pass(2_999), [], 'counted from the job on');
    t.strictSame(await busy.pass(1), [3_000]);
  },
);

t.test('a job that is never answered keeps a node busy for 30 s beyond its deadline', async (t) => {
  const { jobs, watch, frames, clock, pass } = aWatch();
  jobs.give(job);
  watch.look();
  for (let second = 1; second <= 35; second += 1) {
    frames.lastReceivedAt = clock.monotonicMs();
    t.strictSame(await pass(1_000), []);
  }
  t.strictSame(await pass(40_000), [], 'as slow as an idle one from then on');
  t.equal(jobs.sent.owed, 0);
});

t.test('a node that ignores a job is silent as late as an idle one, also while it holds results', async (t) => {
  const { jobs, watch, frames, clock, pass } = aWatch();
  jobs.give(job);
  watch.look();
  await pass(1_000);
  frames.lastReceivedAt = clock.monotonicMs();
  jobs.heard({ running: 0, spoolRows: 1, jobsReceived: 1 });
  t.strictSame(await pass(44_999), []);
  t.strictSame(await pass(1), [45_000]);
});

t.test('a peer that is kept waiting is not silent', async (t) => {
  const { frames, pass } = aWatch();
  frames.isWaiting = true;
  t.strictSame(await pass(100_000), []);
});

t.test('frames that arrived while this process stood still are read before a peer counts as silent', async (t) => {
  const { frames, clock, pass } = aWatch();
  clock.advance(50_000);
  frames.lastReceivedAt = clock.monotonicMs();
  t.strictSame(await pass(0), []);
});

t.test('a busy distant node has two round trips of additional time', async (t) => {
  const far = aWatch(2_000);
  far.jobs.give(job);
  far.watch.look();
  t.strictSame(await far.pass(6_999), []);
  t.strictSame(await far.pass(1), [7_000]);
});
