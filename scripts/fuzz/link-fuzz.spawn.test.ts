import t from 'tap';
import { AgentSide } from './agent-side.js';
import { ControlPlaneSide } from './control-plane-side.js';
import { fuzz } from './fuzz.js';
import { FuzzFailure } from './peer.js';

for (const start of [() => ControlPlaneSide.start(), () => AgentSide.start()]) {
  t.test('frames that no honest peer sends close their own link and no other', async (t) => {
    const side = await start();
    t.teardown(() => side.stop());
    const report = await fuzz({ side, seed: 7, first: 0, inputs: 100, onProgress: () => {} });
    t.match(report, { inputs: 100, finding: null }, side.name);
  });
}

t.test('the fuzzer finds a side that throws outside of any promise, hangs, or harms a bystander', async (t) => {
  const harmless = {
    name: 'agent' as const,
    seeds: [Buffer.from([0x2a, 0])],
    stages: ['open'],
    attackers: 1,
    attack: async () => {},
    checkBystander: async () => {},
    decode: () => {},
    stop: async () => {},
  };
  const run = (side: Partial<typeof harmless>) =>
    fuzz({ side: { ...harmless, ...side }, seed: 1, first: 0, inputs: 20, onProgress: () => {} });
  t.equal((await run({})).finding, null);
  let count = 0;
  const strayRejection = async () => {
    count += 1;
    if (count === 5) void Promise.reject(new Error('stray'));
    await new Promise((resolve) => setImmediate(resolve));
  };
  t.match((await run({ attack: strayRejection })).finding, { what: /unhandled: Error: stray/ });
  const hang = async () => {
    throw new FuzzFailure('neither a reply nor an end');
  };
  t.match((await run({ attack: hang })).finding, { what: /neither a reply nor an end/, index: 0 });
  t.match((await run({ checkBystander: hang })).finding, { what: /neither a reply nor an end/ });
  const kept: Buffer[] = [];
  const leak = async () => void kept.push(Buffer.alloc(4 * 1024 * 1024));
  t.match((await run({ attack: leak })).finding, { what: /memory grew by \d+ MB/ });
});
