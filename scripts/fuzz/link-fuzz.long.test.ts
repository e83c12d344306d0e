import t from 'tap';
import { AgentSide } from './agent-side.js';
import { ControlPlaneSide } from './control-plane-side.js';
import { fuzz } from './fuzz.js';

const INPUTS = 4_000;

for (const start of [() => ControlPlaneSide.start(), () => AgentSide.start()]) {
  t.test('four thousand malformed frames on each side close only their links, and memory does not grow', async (t) => {
    const side = await start();
    t.teardown(() => side.stop());
    const seed = Number(process.env['VANTAGE_TEST_SEED'] ?? Date.now() % 2 ** 31);
    const report = await fuzz({ side, seed, first: 0, inputs: INPUTS, onProgress: () => {} });
    t.comment(`${side.name}: seed ${seed}, ${JSON.stringify(report)}`);
    t.match(
      report,
      { inputs: INPUTS, finding: null },
      `again: npm run fuzz -- link --side ${side.name} --seed ${seed}`,
    );
  });
}
