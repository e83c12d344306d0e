import { parseCanary } from '@vantage/shared/self-test.js';
import t from 'tap';
import { judgeClockState, judgeFamily, judgeIcmp, judgeResolver } from './judge.js';

const canary = parseCanary('tcp://192.0.2.1:443');
if (canary === null) throw new Error('no canary');

t.test(
  'a family works when one canary answers, fails when none does, and is unknown without a word from any',
  async (t) => {
    const answers = (...codes: (string | null)[]) => codes.map((code) => ({ canary, code }));
    const cases = [
      { name: 'no route', hasRoute: false, answers: [], status: 'failed' },
      { name: 'no route, and not measured', hasRoute: false, answers: answers('overload'), status: 'failed' },
      { name: 'no route but to a canary', hasRoute: false, answers: answers('net_unreachable', null), status: 'ok' },
      { name: 'no canary', hasRoute: true, answers: [], status: 'unknown' },
      { name: 'one of two answers', hasRoute: true, answers: answers('tcp_timeout', null), status: 'ok' },
      { name: 'none answers', hasRoute: true, answers: answers('tcp_timeout', 'no_reply'), status: 'failed' },
      { name: 'no such address', hasRoute: true, answers: answers('dns_nodata'), status: 'unknown' },
      { name: 'not measured', hasRoute: true, answers: answers('overload', 'not_supported'), status: 'unknown' },
    ];
    for (const { name, hasRoute, answers: given, status } of cases)
      t.match(judgeFamily(6, hasRoute, given), { name: 'ipv6', status }, name);
  },
);

t.test('a resolver that says no is a resolver', async (t) => {
  t.match(judgeResolver('dns_nxdomain'), { status: 'ok' });
  t.match(judgeResolver('dns_timeout'), { status: 'failed', detail: 'dns_timeout' });
  t.match(judgeResolver('overload'), { status: 'unknown' });
});

t.test('a clock is judged by the control plane, and by the system until there was an exchange', async (t) => {
  const exchanged = (offsetMs: number) => ({ offsetMs, uncertaintyMs: 20 });
  const never = { offsetMs: 0, uncertaintyMs: -1 };
  t.match(judgeClockState(exchanged(300), null), { status: 'ok', detail: /300 ms behind the control plane/ });
  t.match(judgeClockState(exchanged(-5000), true), { status: 'failed', detail: /5000 ms ahead/ });
  t.match(judgeClockState(never, true), { status: 'ok' });
  t.match(judgeClockState(never, false), { status: 'failed', detail: /not synchronised/ });
  t.match(judgeClockState(never, null), { status: 'unknown' });
});

t.test('raw sockets work, or their limits are named', async (t) => {
  t.match(judgeIcmp(['icmp', 'icmp_echo']), { name: 'icmp', status: 'ok', detail: /^raw sockets$/ });
  t.match(judgeIcmp(['icmp_echo']), { status: 'failed', detail: /^echo only/ });
  t.match(judgeIcmp([]), { status: 'failed', detail: /^not permitted$/ });
});
