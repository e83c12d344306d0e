import type { Fault } from './fault.js';

export const databaseFaults: readonly Fault[] = [
  {
    name: 'slow database',
    lastsMs: [1_000, 30_000],
    begin: ({ database }, random) => {
      database.latencyMs = random.magnitude(20, 2_000);
      return () => {
        database.latencyMs = 0.5;
      };
    },
  },
  {
    name: 'locked database',
    lastsMs: [1, 2],
    begin: ({ database }, random) => {
      database.lock(random.magnitude(500, 20_000));
      return () => undefined;
    },
  },
  {
    name: 'database away',
    lastsMs: [300, 30_000],
    begin: ({ database }) => {
      database.stop();
      return () => database.start();
    },
  },
  {
    name: 'statements fail',
    lastsMs: [1_000, 20_000],
    begin: ({ database }) => {
      database.faults = { ...database.faults, failsBefore: 0.2 };
      return () => {
        database.faults = { ...database.faults, failsBefore: 0 };
      };
    },
  },
  {
    name: 'answers of commits are lost',
    lastsMs: [1_000, 20_000],
    begin: ({ database }) => {
      database.faults = { ...database.faults, losesAnswer: 0.2 };
      return () => {
        database.faults = { ...database.faults, losesAnswer: 0 };
      };
    },
  },
  {
    // a standby takes over that lacks the last second
    name: 'database failed over',
    lastsMs: [1_000, 5_000],
    begin: (site, random) => {
      const { database, world, recorder } = site;
      // a copy of what another failover is about to lose would bring it back
      if (database.isFailingOver) return null;
      database.isFailingOver = true;
      const copy = database.copy();
      const since = database.nowMs;
      const lossMs = random.between(0, 1_000);
      const cancel = world.after(lossMs, () => {
        database.stop();
        for (const [key, { nodeId, monitorId }] of database.tables.assignments)
          if (!copy.assignments.has(key)) recorder.watches.forgotten(nodeId, monitorId);
        database.restore(copy);
        database.isFailingOver = false;
        recorder.add('database-rolled-back', { since }, `the database has lost ${Math.round(lossMs)} ms`);
      });
      return () => {
        cancel();
        database.isFailingOver = false;
        database.start();
      };
    },
  },
];
