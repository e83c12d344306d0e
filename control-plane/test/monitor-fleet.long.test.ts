import fc from 'fast-check';
import t from 'tap';
import {
  checksOf,
  DAY_MS,
  type Episode,
  type Fate,
  type FleetCheck,
  live,
  liveNaively,
  type Span,
} from './_support/monitor-fleet.js';
import { seededRandom } from './_support/seeded-random.js';

const MINUTE_MS = 60_000;
const NODES = ['n_1', 'n_2', 'n_3', 'n_4', 'n_5'];
const noNoise = () => false;

function fateOf(index: number, random: () => number): Fate {
  // at least ten minutes long and twenty apart, so that each is one event
  const outages: Span[] = [];
  for (let atMs = 20 * MINUTE_MS * (1 + random()); atMs < DAY_MS - 40 * MINUTE_MS; ) {
    const forMs = (10 + 20 * random()) * MINUTE_MS;
    if (random() < 0.1) outages.push({ fromMs: atMs, toMs: atMs + forMs });
    atMs += forMs + 20 * MINUTE_MS;
  }
  return {
    monitorId: `m_${index}`,
    nodeIds: NODES,
    intervalMs: MINUTE_MS,
    outages,
    lost: new Map([[NODES[index % 5] as string, [{ fromMs: 0.4 * DAY_MS, toMs: 0.5 * DAY_MS }]]]),
    // one check in a thousand fails by itself, on any node
    isNoise: (nodeId, slotMs) =>
      ((slotMs / 977 + index * 31 + nodeId.length * 7 + Number(nodeId.slice(2)) * 13) | 0) % 1000 === 0,
  };
}

t.test('a thousand monitors on five nodes for a day: each outage is one event, and there are no others', async (t) => {
  const random = seededRandom(1);
  let outages = 0;
  for (let index = 0; index < 1_000; index += 1) {
    const fate = fateOf(index, random);
    const episodes = live(fate);
    outages += fate.outages.length;
    const problems = fate.outages.flatMap((outage, at) => problemOf(outage, episodes[at]));
    if (episodes.length !== fate.outages.length || problems.length > 0)
      t.fail(`m_${index}: ${JSON.stringify({ outages: fate.outages, episodes, problems })}`);
  }
  t.ok(outages > 2_000, `${outages} outages`);
});

/** Errors of an event that reports an outage: it must begin and end within two intervals and the slots' spread. */
function problemOf(outage: Span, episode: Episode | undefined): string[] {
  if (episode === undefined || episode.endedAtMs === null) return ['no event'];
  const [late, over] = [episode.startedAtMs - outage.fromMs, episode.endedAtMs - outage.toMs];
  return [
    ...(late >= MINUTE_MS && late <= 3 * MINUTE_MS ? [] : [`begins ${late} ms after`]),
    ...(over >= 0 && over <= 2 * MINUTE_MS ? [] : [`ends ${over} ms after`]),
  ];
}

const spans = fc.array(
  fc
    .record({ fromMs: fc.nat(DAY_MS), lengthMs: fc.integer({ min: 1, max: 3 * 3_600_000 }) })
    .map(({ fromMs, lengthMs }) => ({
      fromMs,
      toMs: fromMs + lengthMs,
    })),
  { maxLength: 4 },
);
const fates: fc.Arbitrary<Fate> = fc
  .record({
    nodes: fc.integer({ min: 1, max: 5 }),
    intervalMs: fc.constantFrom(300_000, 900_000, 1_800_000),
    outages: spans,
    lostByNode: fc.array(spans, { minLength: 5, maxLength: 5 }),
    noise: fc.uniqueArray(fc.nat(5_000), { maxLength: 300 }),
  })
  .map(({ nodes, intervalMs, outages, lostByNode, noise }) => {
    const isNoisy = new Set(noise);
    return {
      monitorId: 'm_1',
      nodeIds: NODES.slice(0, nodes),
      intervalMs,
      outages,
      lost: new Map(NODES.map((nodeId, index) => [nodeId, lostByNode[index] ?? []])),
      isNoise: (nodeId: string, slotMs: number) =>
        isNoisy.has(Math.floor(slotMs / intervalMs) * 7 + Number(nodeId.slice(2))),
    };
  });

t.test('the fast and the slow method report the same events for every history', async (t) => {
  let compared = 0;
  fc.assert(
    fc.property(
      fates.filter(({ nodeIds }) => nodeIds.length >= 2),
      (fate) => {
        const [quick, slow] = [live(fate), liveNaively(fate)];
        // before, the two count different nodes without a check
        const sinceMs = allHaveVotedAt(fate);
        const shown = (episodes: readonly Episode[]) =>
          episodes.map(({ type, startedAtMs, endedAtMs }) =>
            startedAtMs > sinceMs ? [type, startedAtMs, endedAtMs] : endedAtMs === null,
          );
        compared += slow.filter(({ startedAtMs }) => startedAtMs > sinceMs).length;
        return JSON.stringify(shown(quick)) === JSON.stringify(shown(slow));
      },
    ),
    { numRuns: 200 },
  );
  t.ok(compared > 100, `${compared} events were compared whole`);
});

/** Instant at which the last node has made its first check; Infinity: one of them makes none. */
function allHaveVotedAt(fate: Fate): number {
  const first = new Map<string, number>();
  for (const { nodeId, slotMs } of checksOf(fate)) if (!first.has(nodeId)) first.set(nodeId, slotMs);
  return first.size < fate.nodeIds.length ? Number.POSITIVE_INFINITY : Math.max(...first.values());
}

t.test('two hundred monitors whose node loses its uplink have no event', async (t) => {
  for (let index = 0; index < 200; index += 1) {
    const lost = new Map([['n_1', [{ fromMs: 1_000, toMs: DAY_MS }]]]);
    const fate: Fate = {
      monitorId: `m_${index}`,
      nodeIds: NODES.slice(0, 3),
      intervalMs: MINUTE_MS,
      outages: [],
      lost,
      isNoise: noNoise,
    };
    t.same(live(fate), []);
  }
});

t.test('repeated checks, at any later time and in any number, change no event', async () => {
  const random = seededRandom(2);
  fc.assert(
    fc.property(fates, fc.double({ min: 0, max: 0.3, noNaN: true }), (fate, share) => {
      const seen: FleetCheck[] = [];
      const arriving = [...checksOf(fate)].flatMap((check) => {
        seen.push(check);
        const again = random() < share ? [seen[Math.floor(random() * seen.length)] as FleetCheck] : [];
        return [check, ...again];
      });
      return JSON.stringify(live(fate, arriving)) === JSON.stringify(live(fate));
    }),
    { numRuns: 100 },
  );
});
