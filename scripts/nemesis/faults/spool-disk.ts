import { claims, type FaultKind } from './fault.js';

/** Fills an agent's disk to the last byte: its spool releases its ballast and continues. */
export const spoolDiskFull: FaultKind = {
  weight: 2,
  lastsMs: { least: 2_000, most: 20_000 },
  aim: ({ agents }, random) => {
    const index = random.integer(0, agents - 1);
    return {
      says: `agent-${index + 1}`,
      claims: [claims.disk(index)],
      inflict: async ({ agents }) => {
        const disk = agents[index]?.spoolDisk;
        if (!disk) throw new Error('its spool has no disk of its own: only root can make one');
        disk.fill();
        return async () => disk.empty();
      },
    };
  },
};
