import t from 'tap';
import type { AgentUnit } from './agent-unit.js';
import { allOnline, type World } from './world.js';

t.test('a node is online when its agent has said so, too: the control plane knows it first', async (t) => {
  const agent = { nodeId: 'n_1', isLinked: false };
  const agents: readonly Pick<AgentUnit, 'nodeId' | 'isLinked'>[] = [agent];
  let asked = 0;
  const ask: World['ask'] = async () => {
    asked += 1;
    if (asked === 3) agent.isLinked = true;
    return { status: 200, code: null, details: null, retryAfterSeconds: null, data: { items: [{ id: 'n_1' }] } };
  };
  await allOnline({ agents, ask }, 20_000);
  t.equal(asked, 3);
});
