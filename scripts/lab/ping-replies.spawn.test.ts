import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { untilRight } from '@vantage/shared/_support/attempts.js';
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

  // net-ping gives every session of a process the same identifier and the same sequence numbers, and looks at nothing else
  t.test('a missing host next to a living one: net-ping takes it for alive, the agent does not', async (t) => {
    const [alive, missing] = [target[0], '25.80.11.1'];
    const script = fileURLToPath(new URL('./_support/net-ping-says.js', import.meta.url));
    const netPing = async (...addresses: string[]) =>
      JSON.parse(await lab.exec('agent', process.execPath, script, ...addresses));
    const agent = await Promise.all(
      [alive, missing].map((address) => prober.probe('ping', address, { count: 1, timeout_ms: 10_000 })),
    );
    t.same(
      agent.map(({ success }) => success),
      [true, false],
    );
    // a second is all that net-ping waits, also where the machine stands still for longer
    const claims = (expected: Record<string, boolean>) =>
      untilRight(
        () => netPing(...Object.keys(expected)),
        (claimed) => isDeepStrictEqual(claimed, expected),
      );
    const cases = [
      [{ [alive]: true }, 'of a living host they say the same'],
      [{ [missing]: false }, 'and of a missing one alone'],
      [{ [alive]: true, [missing]: true }, 'next to each other'],
    ] as const;
    for (const [expected, what] of cases) t.same(await claims(expected), expected, what);
  });
}
