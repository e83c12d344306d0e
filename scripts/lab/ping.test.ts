import t from 'tap';
import { missingForLab } from './_support/missing-for-lab.js';
import type { LinkCounters } from './emulator.js';
import { startLab } from './lab.js';
import { startProber } from './prober.js';
import type { Direction } from './topology.js';

const skip = await missingForLab();
const count = 25;

if (skip !== false) t.test('ping counts what the links did', { skip }, async () => {});
else {
  const lab = await startLab({ seed: 7 });
  const prober = await startProber(lab);
  t.teardown(async () => {
    await prober.stop();
    await lab.stop();
  });
  // whatever a fresh prober does by itself is over before links are counted
  await prober.probe('ping', '25.80.4.2', { count: 1 });
  const counters = async (link: number, direction: Direction): Promise<LinkCounters> =>
    (await lab.link(link, direction)).counters;

  for (const target of ['25.80.4.2', '2d00:80:4::2']) {
    t.test(`loss, duplicates and reordering are counted exactly: ${target}`, async (t) => {
      // in this order on the way, so that nothing is counted of what another link dropped
      await lab.setLink(1, 'forth', { lossRatio: 0.2 });
      await lab.setLink(3, 'forth', { reorderRatio: 0.3 });
      await lab.setLink(2, 'back', { duplicateRatio: 0.3 });
      await lab.seed(11);
      const before = [await counters(1, 'forth'), await counters(3, 'forth'), await counters(2, 'back')] as const;
      const result = await prober.probe('ping', target, { count, interval_ms: 200 });
      const after = [await counters(1, 'forth'), await counters(3, 'forth'), await counters(2, 'back')] as const;
      const [lost, reordered, duplicated] = [
        after[0].lost - before[0].lost,
        after[1].reordered - before[1].reordered,
        after[2].duplicated - before[2].duplicated,
      ];
      t.match(result, {
        success: true,
        packets_sent: count,
        packets_received: count - lost,
        loss_pct: (lost / count) * 100,
        packets_duplicate: duplicated,
        packets_out_of_order: reordered,
        packets_late: 0,
      });
      t.ok(lost > 0 && reordered > 0 && duplicated > 0, `${lost} lost, ${reordered} reordered, ${duplicated} doubled`);
      t.equal(result.replies.filter(({ duplicate }) => duplicate).length, duplicated);
      t.ok(result.replies.every(({ ttl, rtt_ms }) => ttl === (rtt_ms === null ? null : 61)));
    });
  }

  t.test('what comes after its time is shown as late and counts as lost', async (t) => {
    for (const link of [1, 2, 3]) await lab.setLink(link, 'both', { lossRatio: 0, reorderRatio: 0, duplicateRatio: 0 });
    await lab.setLink(2, 'forth', { delayMs: 150 });
    const params = { count: 3, interval_ms: 200, timeout_ms: 100 };
    const result = await prober.probe('ping', '25.80.4.2', params);
    t.match(result, {
      success: false,
      error: { code: 'no_reply', message: 'no reply from 25.80.4.2 in time, 2 late' },
      packets_sent: 3,
      packets_received: 0,
      loss_pct: 100,
      packets_late: 2,
      rtt: { min_ms: null },
      replies: [{ late: true }, { late: true }, { late: false, rtt_ms: null }],
    });
  });
}
