import { banNode, unbanNode } from '../database/link-model.js';
import type { Site } from '../site.js';
import type { Fault } from './fault.js';

/** Lifts a ban as an administrator does, who then starts the agent again. */
export function liftBan(site: Site, nodeId: string): void {
  const { database, recorder } = site;
  if (unbanNode(database.tables, nodeId, database.nowMs)) recorder.add('unbanned', { nodeId }, 'is no longer banned');
}

const banned: Fault = {
  name: 'node banned',
  lastsMs: [500, 40_000],
  begin: (site, random) => {
    const agent = random.pick(site.agents);
    const { database, recorder } = site;
    const { nodeId } = agent;
    if (!banNode(database.tables, nodeId, database.nowMs)) return null;
    recorder.add('banned', { nodeId }, 'is banned');
    const { running } = random.pick(site.replicas);
    // like the API, unless its replica dies just then: the other replicas find out by themselves
    if (random.chance(0.5)) running?.directory.announce([nodeId]).catch(() => undefined);
    return () => {
      liftBan(site, nodeId);
      agent.start();
    };
  },
};

export const banFaults: readonly Fault[] = [banned];
