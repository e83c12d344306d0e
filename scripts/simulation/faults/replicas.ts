import type { Fault } from './fault.js';

const killed: Fault = {
  name: 'replica killed',
  lastsMs: [500, 40_000],
  begin: (site, random) => {
    const replica = random.pick(site.replicas);
    if (replica.process === null) return null;
    if (random.chance(0.3)) site.network.vanish(replica.process);
    replica.kill();
    return () => replica.start();
  },
};

const stopped: Fault = {
  name: 'replica stopped',
  lastsMs: [2_000, 20_000],
  begin: (site, random) => {
    const replica = random.pick(site.replicas);
    if (replica.running === null) return null;
    replica.stop();
    return () => replica.start();
  },
};

const frozen: Fault = {
  name: 'replica stands still',
  lastsMs: [500, 30_000],
  begin: (site, random) => {
    const { process } = random.pick(site.replicas);
    if (process === null) return null;
    process.freeze();
    return () => process.thaw();
  },
};

const deafBus: Fault = {
  name: 'bus loses messages',
  lastsMs: [1_000, 40_000],
  begin: (site, random) => {
    site.bus.lossRatio = random.pick([0.3, 1]);
    return () => site.bus.heal();
  },
};

export const replicaFaults: readonly Fault[] = [killed, stopped, frozen, deafBus];
