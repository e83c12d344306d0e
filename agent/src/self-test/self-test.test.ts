import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { ClockSync } from '../link/clock-sync.js';
import type { MeasureJob } from '../measuring/child-messages.js';
import { SelfTest } from './self-test.js';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A self-test whose probes are answered by `code`; no route over IPv6. */
function start(code: (job: MeasureJob) => string | null = () => null) {
  const clock = new FakeClock();
  const jobs: MeasureJob[] = [];
  const reports: number[] = [];
  const selfTest = new SelfTest({
    measuring: {
      capabilities: ['icmp'],
      ready: async () => ['icmp'],
      measure: async (job) => {
        jobs.push(job);
        const failure = code(job);
        const error = failure === null ? null : { code: failure, message: '' };
        return { id: job.id, resultJson: JSON.stringify({ error }), loopLagMs: 0 };
      },
    },
    clockSync: new ClockSync(clock),
    clock,
    random: () => 0.5,
    hasRoute: async (family) => family === 4,
    readKernelClock: async () => true,
    onReport: () => reports.push(clock.monotonicMs()),
  });
  selfTest.start();
  const advance = async (ms: number) => {
    clock.advance(ms);
    await settle();
  };
  return { clock, jobs, reports, selfTest, advance };
}

t.test('canaries are probed over each family, with a default route or without, by the ordinary runner', async (t) => {
  const isV6 = ({ specJson }: MeasureJob) => JSON.parse(specJson).params.ip_version === 'v6';
  const { jobs, selfTest, advance } = start((job) => {
    if (job.type === 'tcp') return 'tcp_refused';
    return isV6(job) ? 'net_unreachable' : null;
  });
  selfTest.setCanaries([
    'tcp://canary.example.com:443',
    'icmp://192.0.2.1',
    'icmp://2001:db8::1',
    'carrier-pigeon://x',
  ]);
  await advance(0);
  const probed = jobs.map(({ type, specJson }) => [
    type,
    JSON.parse(specJson).target,
    JSON.parse(specJson).params.ip_version,
  ]);
  t.same(probed.sort(), [
    ['dns', 'vantage.invalid', undefined],
    ['ping', '192.0.2.1', 'v4'],
    ['ping', '2001:db8::1', 'v6'],
    ['tcp', 'canary.example.com:443', 'v4'],
    ['tcp', 'canary.example.com:443', 'v6'],
  ]);
  t.ok(jobs.every(({ caller }) => caller === 'self-test'));
  const status = Object.fromEntries((selfTest.latest?.checks ?? []).map((check) => [check.name, check.status]));
  t.same(status, { ipv4: 'ok', ipv6: 'failed', resolver: 'ok', clock: 'ok', icmp: 'ok' });
});

t.test('a node tests itself when it knows its canaries, every ten minutes, and when they change', async (t) => {
  const { reports, selfTest, advance } = start();
  await advance(1000);
  selfTest.setCanaries(['icmp://192.0.2.1']);
  await advance(0);
  t.same(reports, [1000]);
  selfTest.setCanaries(['icmp://192.0.2.1']);
  await advance(599_999);
  t.equal(reports.length, 1);
  await advance(1);
  t.equal(reports.length, 2);
  selfTest.setCanaries([]);
  await advance(0);
  t.equal(reports.length, 3);
  selfTest.stop();
  await advance(3_600_000);
  t.equal(reports.length, 3);
});

t.test('a node that never links tests itself all the same', async (t) => {
  const { reports, advance } = start();
  await advance(30_000);
  t.equal(reports.length, 1);
});
