import t from 'tap';
import { replyLines } from './reply-lines.js';

t.test('each packet has a line with its outcome', async (t) => {
  const plain = { ttl: 55, rtt_ms: 20.1, duplicate: false, late: false, icmp_error: null };
  const error = { ip: '192.0.2.1', name: 'host_unreachable', type: 3, code: 1 };
  t.same(
    replyLines([
      { ...plain, seq: 0 },
      { ...plain, seq: 0, duplicate: true },
      { ...plain, seq: 1, ttl: null, late: true },
      { ...plain, seq: 2, ttl: null, rtt_ms: null },
      { ...plain, seq: 3, ttl: null, rtt_ms: null, icmp_error: error },
    ]),
    [
      'seq=0 ttl=55 time=20.1 ms',
      'seq=0 ttl=55 time=20.1 ms (DUP!)',
      'seq=1 time=20.1 ms (late)',
      'seq=2 no reply',
      'seq=3 192.0.2.1: host_unreachable (type 3, code 1)',
    ],
  );
});
