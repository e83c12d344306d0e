import type { CheckReport } from '@vantage/shared/monitor-state/check-report.js';
import type { Test } from 'tap';
import type { Delivered } from '../../src/modules/monitors/checks/check-store.js';
import { LateMonitor } from './late-monitor.js';
import { seededRandom } from './seeded-random.js';

type Check = Delivered<CheckReport>;

/** Checks that random histories lead to the same events and uptime in order and in disorder. */
export async function endsUpTheSame(t: Test, rounds: number): Promise<void> {
  const first = await LateMonitor.create(t, 200);
  const random = seededRandom(7);
  for (let round = 0; round < rounds; round += 1) {
    const begins = [20, 50, 80].map((minute) => minute + Math.floor(20 * random()));
    const isDown = (minute: number) => begins.some((begin) => minute >= begin && minute < begin + 2 + (begin % 7));
    const isNoise = seededNoise(round);
    const outcome = (node: number, minute: number) =>
      minute < 120 && (isDown(minute) || isNoise(node, minute)) ? 'failed' : 'ok';
    const all = (one: LateMonitor) =>
      Array.from({ length: 3 * 180 }, (_, index) => {
        const [minute, node] = [Math.floor(index / 3), index % 3];
        return one.make(node, minute, outcome(node, minute));
      });
    const inOrder = await first.another();
    await inOrder.inTime(all(inOrder));
    const asJudged = await inOrder.events();
    await inOrder.correct();
    t.same(await inOrder.events(), asJudged, 'in order there is nothing to correct');
    const mixed = await first.another();
    for (const group of arrivals(all(mixed), random)) await mixed.arrive(group);
    await mixed.correct();
    const expected = await inOrder.events();
    t.ok(expected.length >= 2, `${expected.length} events`);
    t.same(await mixed.events(), expected, `round ${round}`);
    t.equal(await mixed.downMs(180), await inOrder.downMs(180));
    // a further correction changes nothing
    const before = await mixed.db('monitor_events').where({ monitor_id: mixed.monitor.id }).orderBy('id');
    await mixed.db('late_checks').insert({
      monitor_id: mixed.monitor.id,
      from_at: new Date(mixed.startMs),
      to_at: new Date(mixed.slotMs(2, 150)),
    });
    await mixed.correct();
    t.same(await mixed.db('monitor_events').where({ monitor_id: mixed.monitor.id }).orderBy('id'), before);
  }
}

/** Batches of checks, some of them late or very late; each at least once, in any order. */
function arrivals(checks: readonly Check[], random: () => number): Check[][] {
  const arriving = checks.map((check) => {
    const delayMs = random() < 0.7 ? random() * 30_000 : random() * 3_600_000;
    return { check, atMs: check.body.slot_ms + delayMs };
  });
  arriving.sort((a, b) => a.atMs - b.atMs);
  const groups: Check[][] = [];
  for (const { check } of arriving) {
    const last = groups.at(-1);
    const isTogether = last !== undefined && last.length < 30 && random() < 0.6;
    if (isTogether) last.push(check);
    else groups.push([check]);
  }
  return groups;
}

/** One check in fifteen fails by itself. */
function seededNoise(seed: number) {
  const random = seededRandom(100 + seed);
  const noise = new Set(Array.from({ length: 3 * 180 }, (_, index) => index).filter(() => random() < 1 / 15));
  return (node: number, minute: number) => noise.has(3 * minute + node);
}
