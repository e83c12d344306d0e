import { claims, type FaultKind } from './fault.js';

/** An admin drains a node, and gives it work again. */
export const nodeDrained: FaultKind = {
  weight: 2,
  lastsMs: { least: 1_000, most: 15_000 },
  aim: ({ agents }, random) => {
    const index = random.integer(0, agents - 1);
    return {
      says: `agent-${index + 1}`,
      claims: [claims.node(index)],
      inflict: async ({ agents, ask }) => {
        const path = `/v1/admin/nodes/${agents[index]?.nodeId}`;
        await ask({ method: 'POST', path: `${path}/drain` });
        return async () => void (await ask({ method: 'POST', path: `${path}/undrain` }, 120_000));
      },
    };
  },
};

/** Requests another key of a node, whatever happens to its agent meanwhile. */
export const keyRotated: FaultKind = {
  weight: 3,
  lastsMs: { least: 100, most: 3_000 },
  aim: ({ agents }, random) => {
    const index = random.integer(0, agents - 1);
    return {
      says: `agent-${index + 1}`,
      claims: [claims.node(index)],
      inflict: async ({ agents, ask }) => {
        await ask({ method: 'POST', path: `/v1/account/nodes/${agents[index]?.nodeId}/rotate-key` });
        return async () => {};
      },
    };
  },
};
