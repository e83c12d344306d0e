import { definitionOf, type ProbeType, probeTypeNames, probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import fc from 'fast-check';
import t from 'tap';
import { grant, refill, TARGET_BURST, TARGET_MAX_AT_ONCE, TARGET_RATE_PER_SECOND } from './target-budget.js';

t.test('a bucket fills with ten probes a second and never over its burst', async (t) => {
  t.equal(refill({ tokens: 0, ageSeconds: 0 }), 0);
  t.equal(refill({ tokens: 3, ageSeconds: 0.5 }), 8);
  t.equal(refill({ tokens: 0, ageSeconds: 1 }), TARGET_RATE_PER_SECOND);
  t.equal(refill({ tokens: 0, ageSeconds: 1e9 }), TARGET_BURST);
  t.equal(refill({ tokens: 5, ageSeconds: -3 }), 5, 'a clock that went back takes nothing away');
});

t.test('a target gets what is left of its tokens and of its 30 nodes at once, by its tightest key', async (t) => {
  const cases: readonly {
    name: string;
    wanted: number;
    weight?: number;
    keys: { tokens: number; inFlight: number }[];
    gets: number;
  }[] = [
    { name: 'all it wants', wanted: 5, keys: [{ tokens: 50, inFlight: 0 }], gets: 5 },
    { name: 'whole tokens only', wanted: 5, keys: [{ tokens: 2.9, inFlight: 0 }], gets: 2 },
    { name: 'heavy ones take more', wanted: 5, weight: 16, keys: [{ tokens: 50, inFlight: 0 }], gets: 3 },
    { name: 'nothing in part', wanted: 5, weight: 16, keys: [{ tokens: 15.9, inFlight: 0 }], gets: 0 },
    { name: 'at most 30 at once', wanted: 50, keys: [{ tokens: 50, inFlight: 0 }], gets: 30 },
    { name: 'what is in flight counts', wanted: 5, keys: [{ tokens: 50, inFlight: 28 }], gets: 2 },
    { name: 'more in flight than allowed', wanted: 5, keys: [{ tokens: 50, inFlight: 31 }], gets: 0 },
    { name: 'empty', wanted: 5, keys: [{ tokens: 0.99, inFlight: 0 }], gets: 0 },
    {
      name: 'the tightest key decides',
      wanted: 5,
      keys: [
        { tokens: 50, inFlight: 0 },
        { tokens: 3, inFlight: 0 },
        { tokens: 50, inFlight: 26 },
      ],
      gets: 3,
    },
  ];
  for (const { name, wanted, weight = 1, keys, gets } of cases)
    t.equal(grant({ nodes: wanted, weight }, keys), gets, name);
});

t.test('no sequence of requests gets more than the burst plus the rate over its time', async () => {
  const request = fc.record({
    waitSeconds: fc.double({ min: 0, max: 20, noNaN: true }),
    nodes: fc.integer({ min: 1, max: 50 }),
    weight: fc.integer({ min: 1, max: 50 }),
  });
  fc.assert(
    fc.property(fc.array(request, { maxLength: 50 }), (requests) => {
      let tokens = TARGET_BURST;
      let seconds = 0;
      let granted = 0;
      for (const { waitSeconds, nodes, weight } of requests) {
        tokens = refill({ tokens, ageSeconds: waitSeconds });
        const got = grant({ nodes, weight }, [{ tokens, inFlight: 0 }]);
        if (got < 0 || got > Math.min(nodes, TARGET_MAX_AT_ONCE)) return false;
        tokens -= got * weight;
        seconds += waitSeconds;
        granted += got * weight;
      }
      return granted <= TARGET_BURST + seconds * TARGET_RATE_PER_SECOND + 1e-6;
    }),
  );
});

t.test(
  'a probe weighs on its target by what it sends there, and a full bucket has room for three of every type',
  async (t) => {
    const weightOf = (type: ProbeType, params: object = {}) => {
      const spec = { target: probeTypes[type].exampleTarget, params };
      t.ok(compileSchema(probeTypes[type].Spec)(spec).ok, type);
      return definitionOf(type).targetWeight(spec);
    };
    const weights = Object.fromEntries(probeTypeNames.map((type) => [type, weightOf(type)]));
    const { ssl, speedtest, ...light } = weights;
    t.match({ ssl, speedtest }, { ssl: 4, speedtest: 16 });
    for (const [type, weight] of Object.entries(light)) t.equal(weight, 1, type);
    for (const weight of Object.values(weights)) t.ok(3 * weight <= TARGET_BURST);
    t.equal(weightOf('speedtest', { bytes: 100_000 }), 1);
    t.equal(weightOf('speedtest', { bytes: 8_000_000 }), 5);
  },
);
