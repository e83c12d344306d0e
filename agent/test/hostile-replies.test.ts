import t from 'tap';
import { chainAddresses, makeChain, missingForNamespaces, startProber } from './_support/namespaces.js';

const responder = new URL('./_support/hostile-responder.js', import.meta.url);
const skip = await missingForNamespaces();

if (skip !== false) t.test('hostile replies do not fool ping', { skip }, async () => {});
else {
  const chain = await makeChain();
  const prober = await startProber(chain);
  t.teardown(async () => {
    await prober.stop();
    await chain.remove();
  });

  t.test('wrong identifier, sequence, payload, checksum, source or quote: the host is not alive', async (t) => {
    const liar = await chain.start('b', responder, 'lies');
    t.teardown(() => liar.stop());
    const requests = [chainAddresses.v4.b, chainAddresses.v6.b].flatMap((target) =>
      [0, 4, 16, 56].map((size) => ({ target, params: { count: 2, interval_ms: 200, timeout_ms: 1000, size } })),
    );
    for (const [i, result] of (await prober.probe('ping', requests)).entries()) {
      const { target, params } = requests[i] ?? {};
      const expected = {
        success: false,
        error: { code: 'no_reply' },
        packets_sent: 2,
        packets_received: 0,
        loss_pct: 100,
      };
      t.match(result, expected, `${target} with ${params?.size} bytes`);
    }
  });

  t.test('three replies to one packet are one and two duplicates', async (t) => {
    const echo = await chain.start('b', responder, 'echoes');
    t.teardown(() => echo.stop());
    const params = { count: 2, interval_ms: 1000 };
    const requests = [chainAddresses.v4.b, chainAddresses.v6.b].map((target) => ({ target, params }));
    for (const result of await prober.probe('ping', requests)) {
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
}
