import { definitionOf, type ProbeType, probeTypeNames, probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { TARGET_BURST } from './target-budget.js';

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
