import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { startHostileResponder } from './_support/hostile-responder.js';
import { missingForLab } from './_support/missing-for-lab.js';
import { startLab } from './lab.js';
import { startProber } from './prober.js';

const skip = await missingForLab();
const target = ['25.80.4.2', '2d00:80:4::2'] as const;
const other = ['25.80.4.99', '2d00:80:4::99'] as const;

if (skip !== false) t.test('hostile replies do not fool ping', { skip }, async () => {});
else {
  const lab = await startLab();
  const prober = await startProber(lab);
  t.teardown(() => lab.stop());
  const heard = async () => (await lab.link(1, 'back')).counters.delivered;

  t.test('wrong identifier, sequence, payload, checksum, source or quote: the host is not alive', async (t) => {
    await startHostileResponder(t, lab, { mode: 'lies', target, other });
    const before = await heard();
    const cases = target.flatMap((address) => [0, 4, 16, 56].map((size) => ({ address, size })));
    await Promise.all(
      cases.map(async ({ address, size }) => {
        const params = { count: 2, interval_ms: 200, timeout_ms: 1000, size };
        const result = await prober.probe('ping', address, params);
        const counts = { packets_sent: 2, packets_received: 0, loss_pct: 100 };
        t.match(result, { success: false, error: { code: 'no_reply' }, ...counts }, `${address} with ${size} bytes`);
      }),
    );
    const lies = 2 * 2 * (5 + 5 + 8 + 8);
    await until('every lie was told', async () => (await heard()) - before >= lies);
    t.equal((await heard()) - before, lies, 'and no more');
  });

  t.test('three replies to one packet are one and two duplicates', async (t) => {
    await startHostileResponder(t, lab, { mode: 'echoes', target, other });
    const params = { count: 2, interval_ms: 1000, timeout_ms: 10_000 };
    for (const result of await Promise.all(target.map((address) => prober.probe('ping', address, params)))) {
      t.match(result, { success: true, packets_sent: 2, packets_received: 2, loss_pct: 0 });
      t.same(
        result.replies.map(({ seq, duplicate }) => [seq, duplicate]),
        [
          [0, false],
          [0, true],
          [0, true],
          [1, false],
        ],
      );
    }
  });

  t.test('a missing host next to a living one is not taken for alive', async (t) => {
    const addresses = [target[0], '25.80.11.1'];
    const params = { count: 1, timeout_ms: 10_000 };
    const results = await Promise.all(addresses.map((address) => prober.probe('ping', address, params)));
    t.same(
      results.map(({ success }) => success),
      [true, false],
    );
  });
}
