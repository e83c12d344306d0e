import { claims, type FaultKind } from './fault.js';

/** An admin bans a node and lifts the ban; the agent, which ends by it, is started again. */
export const banNode: FaultKind = {
  weight: 2,
  lastsMs: { least: 1_000, most: 15_000 },
  aim: ({ agents }, random) => {
    const index = random.integer(0, agents - 1);
    return {
      says: `agent-${index + 1}`,
      claims: [claims.agent(index), claims.agentLine(index), claims.node(index)],
      inflict: async ({ agents, ask, recorder }) => {
        const agent = agents[index];
        if (agent === undefined) throw new RangeError(`there is no agent ${index}`);
        const { nodeId } = agent;
        agent.isBanned = true;
        const body = { reason: 'nemesis' };
        const answer = await ask({ method: 'POST', path: `/v1/admin/nodes/${nodeId}/ban`, body });
        // after a lost response it is unknown if and since when it applies
        if (answer?.status === 200 || answer?.code === 'NODE_ALREADY_BANNED') recorder.record('banned', { nodeId });
        return async () => {
          recorder.record('unbanned', { nodeId });
          await ask({ method: 'POST', path: `/v1/admin/nodes/${nodeId}/unban` }, 120_000);
          await agent.unit.kill();
          agent.isBanned = false;
          agent.unit.start();
        };
      },
    };
  },
};
