import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import {
  checksOf,
  DAY_MS,
  type Fate,
  type FleetCheck,
  live,
  QUORUM,
  type Span,
} from '../../../../test/_support/monitor-fleet.js';
import { type Episode, Replay, type ReplayFacts } from './replay.js';

const MINUTE_MS = 60_000;
const INTERVAL_MS = 5 * MINUTE_MS;
const NODES = ['n_1', 'n_2', 'n_3', 'n_4', 'n_5'];
const always = { fromMs: 0, toMs: Number.POSITIVE_INFINITY };

const spans = fc.array(
  fc
    .record({ fromMs: fc.nat(DAY_MS), lengthMs: fc.integer({ min: 1, max: 2 * 3_600_000 }) })
    .map(({ fromMs, lengthMs }): Span => ({ fromMs, toMs: fromMs + lengthMs })),
  { maxLength: 6 },
);
const fates: fc.Arbitrary<Fate> = fc
  .record({ nodes: fc.integer({ min: 2, max: 5 }), outages: spans, noise: fc.uniqueArray(fc.nat(2_000)) })
  .map(({ nodes, outages, noise }) => {
    const isNoisy = new Set(noise);
    return {
      monitorId: 'm_1',
      nodeIds: NODES.slice(0, nodes),
      intervalMs: INTERVAL_MS,
      outages,
      lost: new Map(),
      isNoise: (nodeId, slotMs) => isNoisy.has(Math.floor(slotMs / INTERVAL_MS) * 5 + Number(nodeId.slice(2))),
    };
  });

function factsOf(nodeIds: readonly string[], facts: Partial<ReplayFacts> = {}): ReplayFacts {
  return {
    rule: { consecutiveFail: 2, consecutiveOk: 1 },
    quorum: QUORUM,
    freshnessMs: 2 * INTERVAL_MS + 40_000,
    assigned: new Map(nodeIds.map((id) => [id, always])),
    maintenance: [],
    resolvedAtMs: [],
    notBeforeMs: 0,
    fromMs: 0,
    initial: { event: null, resolved: null },
    ...facts,
  };
}

/** Episodes of checks in the order of their slots. */
function replay(checks: Iterable<FleetCheck>, facts: ReplayFacts): readonly Episode[] {
  const one = new Replay(facts);
  for (const { nodeId, slotMs, outcome } of checks) one.take(slotMs, [{ atMs: slotMs, nodeId, outcome }]);
  return one.episodes;
}

const times = (episodes: readonly Pick<Episode, 'type' | 'startedAtMs' | 'endedAtMs'>[]) =>
  JSON.stringify(episodes.map(({ type, startedAtMs, endedAtMs }) => [type, startedAtMs, endedAtMs]));

t.test('a replay of checks yields the same events as judging each one on arrival', async () => {
  fc.assert(
    fc.property(fates, (fate) => times(replay(checksOf(fate), factsOf(fate.nodeIds))) === times(live(fate))),
    { numRuns: rounds(150) },
  );
});

t.test('a replay that begins anywhere goes on as the whole one does', async () => {
  fc.assert(
    fc.property(fates, fc.integer({ min: 2 * 3_600_000, max: DAY_MS }), (fate, fromMs) => {
      const whole = replay(checksOf(fate), factsOf(fate.nodeIds));
      // what was judged by then: an event begins and ends at checks of before
      const until = replay(
        [...checksOf(fate)].filter(({ slotMs }) => slotMs < fromMs),
        factsOf(fate.nodeIds),
      );
      const last = until.at(-1);
      const event =
        last?.endedAtMs === null ? { type: last.type, startedAtMs: last.startedAtMs, notifiedType: last.type } : null;
      const checks = [...checksOf(fate)].filter(({ slotMs }) => slotMs >= fromMs - 3_600_000);
      const rest = replay(checks, factsOf(fate.nodeIds, { fromMs, initial: { event, resolved: null } }));
      return times(rest) === times(whole.slice(event === null ? until.length : until.length - 1));
    }),
    { numRuns: rounds(150) },
  );
});

/** Checks of nodes a minute apart, five minutes each: "+" ok, "~" degraded, "-" failed, " " none. */
function sequence(...rows: string[]): FleetCheck[] {
  const outcomes = { '+': 'ok', '~': 'degraded', '-': 'failed' } as const;
  return rows
    .flatMap((row, node) =>
      [...row].flatMap((sign, slot): FleetCheck[] => {
        if (!(sign in outcomes)) return [];
        const outcome = outcomes[sign as keyof typeof outcomes];
        return [{ nodeId: NODES[node] as string, slotMs: slot * INTERVAL_MS + node * MINUTE_MS, outcome }];
      }),
    )
    .sort((a, b) => a.slotMs - b.slotMs);
}

const at = (slot: number, node = 0) => slot * INTERVAL_MS + node * MINUTE_MS;
const two = NODES.slice(0, 2);

t.test('a silent node no longer votes, and an open event stays open', async (t) => {
  const checks = sequence('++--        ++', '++--        ++');
  t.match(replay(checks, factsOf(two)), [{ type: 'down', startedAtMs: at(3, 1), endedAtMs: at(12) }]);
  const alone = sequence('++--++', '++    ');
  t.same(replay(alone, factsOf(two)), [], 'one of two decides nothing');
});

t.test('a node that lost the monitor no longer votes', async (t) => {
  const checks = sequence('++-----', '++-----', '+++++++');
  const all = NODES.slice(0, 3);
  const quorum = { share: 1 };
  t.same(replay(checks, factsOf(all, { quorum })), []);
  const assigned = new Map([...factsOf(all).assigned, ['n_3', { fromMs: 0, toMs: at(4) }]]);
  t.match(replay(checks, factsOf(all, { quorum, assigned })), [{ type: 'down', startedAtMs: at(3, 1) }]);
});

t.test('within a maintenance window no event opens, and an outage at its end begins there', async (t) => {
  const checks = sequence('++------++', '++------++');
  const maintenance = [{ fromMs: at(2), toMs: at(5) + 7 }];
  t.match(replay(checks, factsOf(two, { maintenance })), [{ type: 'down', startedAtMs: at(5) + 7, endedAtMs: at(8) }]);
});

t.test('a change between down and degraded within a maintenance window changes the event in place', async (t) => {
  const checks = sequence('++----~~++', '++----~~++');
  const maintenance = [{ fromMs: at(5), toMs: at(9) }];
  t.match(replay(checks, factsOf(two, { maintenance })), [
    {
      type: 'degraded',
      startedAtMs: at(3, 1),
      endedAtMs: at(8),
      earlier: [{ type: 'down', until: new Date(at(6)).toISOString() }],
    },
  ]);
});

t.test('an event that a user resolved lasts until the monitor is up, and no other opens before', async (t) => {
  const checks = sequence('++------++--++', '++------++--++');
  const episodes = replay(checks, factsOf(two, { resolvedAtMs: [at(5) + 7] }));
  t.match(episodes, [
    { startedAtMs: at(3, 1), endedAtMs: at(8) },
    { startedAtMs: at(11, 1), endedAtMs: at(12) },
  ]);
});

t.test('from degraded to down one event ends and the other begins', async (t) => {
  const checks = sequence('++~~--++', '++~~--++');
  t.match(replay(checks, factsOf(two)), [
    { type: 'degraded', startedAtMs: at(3, 1), endedAtMs: at(5, 1) },
    { type: 'down', startedAtMs: at(5, 1), endedAtMs: at(6), affectedNodes: two, eligible: 2 },
  ]);
});
