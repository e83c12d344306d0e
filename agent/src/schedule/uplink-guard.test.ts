import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import type { Canary } from '@vantage/shared/self-test.js';
import t from 'tap';
import { parseCanaries } from '../self-test/self-test.js';
import { UplinkGuard } from './uplink-guard.js';

function makeGuard(codes: Record<string, string | null>) {
  const clock = new FakeClock();
  const asked: string[] = [];
  const canary = async ({ text }: Canary) => {
    asked.push(text);
    return codes[text] ?? null;
  };
  const guard = new UplinkGuard({ probes: { canary }, clock });
  guard.setCanaries(parseCanaries(Object.keys(codes)));
  return { guard, clock, asked, codes };
}

t.test('the uplink is lost only when every canary that could be asked fails', async (t) => {
  const [a, b] = ['tcp://192.0.2.1:443', 'icmp://192.0.2.2'];
  for (const { codes, isLost, name } of [
    { name: 'no canaries', codes: {}, isLost: false },
    { name: 'all answer', codes: { [a]: null, [b]: null }, isLost: false },
    { name: 'one of two', codes: { [a]: 'tcp_timeout', [b]: null }, isLost: false },
    { name: 'all fail', codes: { [a]: 'tcp_timeout', [b]: 'no_reply' }, isLost: true },
    { name: 'one fails, the other could not be asked', codes: { [a]: 'tcp_timeout', [b]: 'overload' }, isLost: true },
    { name: 'none could be asked', codes: { [a]: 'overload', [b]: 'not_supported' }, isLost: false },
  ])
    t.equal(await makeGuard(codes).guard.isLost(), isLost, name);
});

t.test('concurrent callers share one run, and its verdict for five seconds', async (t) => {
  const { guard, clock, asked, codes } = makeGuard({ 'tcp://192.0.2.1:443': 'tcp_timeout' });
  t.same(await Promise.all(Array.from({ length: 100 }, () => guard.isLost())), new Array(100).fill(true));
  clock.advance(4999);
  t.equal(await guard.isLost(), true);
  t.equal(asked.length, 1);
  codes['tcp://192.0.2.1:443'] = null;
  clock.advance(1);
  t.equal(await guard.isLost(), false);
  t.equal(asked.length, 2);
});

t.test('other canaries are asked at once', async (t) => {
  const { guard } = makeGuard({ 'tcp://192.0.2.1:443': 'tcp_timeout' });
  t.equal(await guard.isLost(), true);
  guard.setCanaries([]);
  t.equal(await guard.isLost(), false);
});
