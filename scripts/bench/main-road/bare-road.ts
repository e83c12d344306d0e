import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from 'vantage-control/db/embedded/index.js';
import { createLogger } from 'vantage-control/runtime/log.js';
import type { Stops } from '../harness.js';
import { usageOf, usageOfChildren, usageOfTree } from '../processes.js';
import { postmasterPid, startChild } from '../programs.js';
import type { Road } from './road.js';

/** Starts the bare road: the same database server with the same settings, and the programs of bare-road/. */
export async function startBareRoad(directory: string, stops: Stops): Promise<Road> {
  const dataDir = join(directory, 'bare-database');
  const database = await startEmbeddedPostgres({ dataDir, log: createLogger('warn') });
  stops.push(() => database.stop());
  const start = <T>(program: string, ...args: string[]) => {
    const script = new URL(`../bare-road/${program}.js`, import.meta.url);
    return startChild<T>(script, args, { environment: { DATABASE_URL: database.url }, stops });
  };
  const control = await start<{ port: number }>('control');
  const address = `127.0.0.1:${control.message.port}`;
  const postmaster = postmasterPid(dataDir);
  const agents: number[] = [];
  return {
    name: 'bare road',
    url: `http://${address}`,
    usage: () => ({
      'control plane': usageOf([control.pid]),
      PostgreSQL: usageOfTree(postmaster),
      agent: usageOf(agents),
      'measuring child': usageOfChildren(agents),
    }),
    async haveAgents(count) {
      while (agents.length < count) {
        const spool = join(directory, `bare-agent-${agents.length}`);
        await mkdir(spool);
        agents.push((await start('agent', `ws://${address}`, spool)).pid);
      }
    },
  };
}
