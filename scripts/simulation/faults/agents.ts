import type { SimulatedAgent } from '../simulated-agent.js';
import type { Fault } from './fault.js';

const HOUR_MS = 3_600_000;
const TEN_YEARS_MS = 10 * 365 * 24 * HOUR_MS;

/** A fault of one agent. */
function ofAgent(
  name: string,
  lastsMs: Fault['lastsMs'],
  begin: (agent: SimulatedAgent, random: Parameters<Fault['begin']>[1]) => (() => void) | null,
): Fault {
  return { name, lastsMs, begin: (site, random) => begin(random.pick(site.agents), random) };
}

const isDown = (agent: SimulatedAgent) => agent.running === null;

const corruptSpool: Fault['begin'] = (site, random) => {
  const { disk, nodeId } = random.pick(site.agents);
  disk.corrupt(() => site.recorder.add('spool-lost', { nodeId, isNoticed: true }, 'finds its spool corrupt'));
  return () => undefined;
};

export const agentFaults: readonly Fault[] = [
  ofAgent('agent killed', [100, 60_000], (agent, random) => {
    if (isDown(agent)) return null;
    agent.kill(random.chance(0.3));
    return () => agent.start();
  }),
  ofAgent('agent stopped', [3_000, 30_000], (agent) => {
    if (isDown(agent)) return null;
    agent.stop();
    return () => agent.start();
  }),
  ofAgent('agent stands still', [500, 60_000], (agent) => {
    const { process } = agent;
    if (process === null) return null;
    process.freeze();
    return () => process.thaw();
  }),
  ofAgent('wall clock set', [1_000, 60_000], (agent, random) => {
    agent.setWallError(random.pick([HOUR_MS, -HOUR_MS, TEN_YEARS_MS, 1_500, -1_500]));
    return () => agent.setWallError(0);
  }),
  ofAgent('slow disk', [1_000, 30_000], ({ disk }, random) => {
    disk.latencyMs = random.magnitude(50, 3_000);
    return () => disk.heal();
  }),
  ofAgent('disk refuses', [500, 40_000], ({ disk }, random) => {
    disk.problem = random.pick(['SQLITE_IOERR_WRITE', 'SQLITE_FULL', 'SQLITE_READONLY', 'SQLITE_IOERR_FSYNC']);
    disk.scheduleProblem = random.chance(0.5) ? disk.problem : null;
    return () => disk.heal();
  }),
  { name: 'spool corrupt', lastsMs: [1, 2], begin: corruptSpool },
  ofAgent('spool restored from a copy', [2_000, 30_000], (agent) => {
    if (isDown(agent)) return null;
    const copy = agent.copyState();
    return () => {
      agent.kill(false);
      agent.restoreSpool(copy);
      agent.start();
    };
  }),
  ofAgent('state restored from a copy', [2_000, 30_000], (agent) => {
    if (isDown(agent)) return null;
    const copy = agent.copyState();
    return () => {
      agent.kill(false);
      agent.restoreState(copy);
      agent.start();
    };
  }),
];
