import fc from 'fast-check';
import t from 'tap';
import { decideStep, type Situation, stageSize } from './stage-decision.js';

const start: Situation = {
  stages: [1, 10, 100],
  stage: 0,
  stageEndedAt: null,
  maxFailures: 3,
  pauseS: 60,
  forgiven: 0,
  counts: { waiting: 1_000, requested: 0, done: 0, failed: 0, skipped: 0 },
  available: 1_000,
  now: new Date('2026-11-20T08:00:00Z'),
};

const counts = (waiting: number, requested = 0, done = 0, failed = 0) => ({
  waiting,
  requested,
  done,
  failed,
  skipped: 0,
});

const cases: readonly (readonly [name: string, change: Partial<Situation>, expected: object])[] = [
  ['the first stage begins with as many nodes as may fail', {}, { kind: 'request', nodes: 3 }],
  ['a running upgrade takes its place', { counts: counts(998, 2) }, { kind: 'request', nodes: 1 }],
  ['a failed one takes it for good', { counts: counts(997, 1, 1, 1) }, { kind: 'request', nodes: 1 }],
  ['a stage has no more nodes than its share', { counts: counts(991, 0, 9) }, { kind: 'request', nodes: 1 }],
  ['nodes without a link are passed over', { available: 1 }, { kind: 'request', nodes: 1 }],
  ['a full stage waits for its last upgrade', { counts: counts(990, 1, 9) }, { kind: 'wait' }],
  ['then it ends', { counts: counts(990, 0, 10) }, { kind: 'end-stage' }],
  [
    'the pause is waited for',
    { counts: counts(990, 0, 10), stageEndedAt: new Date('2026-11-20T07:59:01Z') },
    { kind: 'wait' },
  ],
  [
    'the next stage follows it',
    { counts: counts(990, 0, 10), stageEndedAt: new Date('2026-11-20T07:59:00Z') },
    { kind: 'next-stage' },
  ],
  ['too many failures halt it, even while upgrades run', { counts: counts(990, 2, 5, 3) }, { kind: 'halt' }],
  ['forgiven failures do not count', { counts: counts(993, 0, 4, 3), forgiven: 3 }, { kind: 'request', nodes: 3 }],
  [
    'an early stage does not wait for nodes without a link',
    { counts: counts(995, 0, 5), available: 0 },
    { kind: 'end-stage' },
  ],
  ['unless none was upgraded', { available: 0 }, { kind: 'wait' }],
  ['the last stage waits for them', { counts: counts(5, 0, 995), available: 0, stage: 2 }, { kind: 'wait' }],
  ['the last stage finishes it', { counts: counts(0, 0, 998, 2), available: 0, stage: 2 }, { kind: 'finish' }],
  [
    'so does a last stage of less than all',
    { counts: counts(900, 0, 100), stage: 0, stages: [10] },
    { kind: 'finish' },
  ],
  ['without nodes it is finished', { counts: counts(0), available: 0, stage: 2 }, { kind: 'finish' }],
];

for (const [name, change, expected] of cases)
  t.test(`${name}`, async (t) => t.same(decideStep({ ...start, ...change }), expected));

t.test('a share is rounded up, and is never more than all', async (t) => {
  t.same(
    [stageSize(1_000, 1), stageSize(3, 1), stageSize(3, 34), stageSize(7, 100), stageSize(0, 50)],
    [10, 1, 2, 7, 0],
  );
});

t.test(
  'however upgrades end and nodes come and go, no more fail than allowed, none is upgraded twice, and it ends',
  async () => {
    const world = fc.record({
      nodes: fc.integer({ min: 1, max: 60 }),
      maxFailures: fc.integer({ min: 1, max: 8 }),
      stages: fc
        .uniqueArray(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 4 })
        .map((all) => all.sort((a, b) => a - b)),
      failing: fc.integer({ min: 0, max: 100 }),
      chances: fc.infiniteStream(fc.integer({ min: 0, max: 99 })),
    });
    fc.assert(
      fc.property(world, ({ nodes, maxFailures, stages, failing, chances }) => {
        const chance = () => chances.next().value as number;
        let [waiting, requested, done, failed, stage, pauses] = [nodes, 0, 0, 0, 0, 0];
        let stageEndedAt: Date | null = null;
        for (let turn = 0; turn < 5_000; turn++) {
          // some nodes have no link at the moment, but never all of them for ever
          const available = turn % 3 === 0 ? waiting : Math.floor((waiting * chance()) / 100);
          const now = new Date(turn * 1_000);
          const present = { stages, stage, stageEndedAt, maxFailures, pauseS: 2, forgiven: 0, available, now };
          const step = decideStep({ ...present, counts: { waiting, requested, done, failed, skipped: 0 } });
          const attempted = requested + done + failed;
          if (step.kind === 'halt') return failed === maxFailures;
          if (step.kind === 'finish')
            return requested === 0 && attempted >= stageSize(nodes, stages.at(-1) ?? 0) && pauses === stages.length - 1;
          if (step.kind === 'request') {
            if (step.nodes < 1 || step.nodes > available) return false;
            waiting -= step.nodes;
            requested += step.nodes;
            if (requested + done + failed > stageSize(nodes, stages[stage] ?? 0)) return false;
          }
          if (step.kind === 'end-stage') stageEndedAt = now;
          if (step.kind === 'next-stage') {
            if (stageEndedAt === null || now.getTime() - stageEndedAt.getTime() < 2_000) return false;
            [stage, stageEndedAt, pauses] = [stage + 1, null, pauses + 1];
          }
          const ending = Math.min(requested, chance() % 4);
          for (let ended = 0; ended < ending; ended++) {
            requested--;
            if (chance() < failing) failed++;
            else done++;
          }
          if (failed > maxFailures) return false;
        }
        return false;
      }),
      { numRuns: 300 },
    );
  },
);
