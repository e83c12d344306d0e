import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startEmbeddedPostgres } from 'vantage-control/db/embedded/index.js';
import { createLogger } from 'vantage-control/runtime/log.js';
import type { Road } from '../main-road/road.js';
import { usageOf, usageOfChildren, usageOfTree } from '../main-road/usage.js';
import { processTree } from '../processes.js';
import { createTable } from './table.js';

/** Where to start a road, and the environment of its programs. */
export interface RoadOptions {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Functions that end what was started, called in reverse order. */
  readonly stops: (() => unknown)[];
}

/** Starts the bare road: the same database server with the same settings, and programs of their own. */
export async function startBareRoad({ directory, environment, stops }: RoadOptions): Promise<Road> {
  const dataDir = join(directory, 'bare-database');
  const database = await startEmbeddedPostgres({ dataDir, log: createLogger('warn') });
  stops.push(() => database.stop());
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(createTable);
  await client.end();
  const env = { ...process.env, ...environment, DATABASE_URL: database.url };
  const start = (script: string, args: readonly string[]) => {
    const child = fork(fileURLToPath(new URL(script, import.meta.url)), [...args], { env });
    stops.push(() => end(child));
    return child;
  };
  const control = start('./control.js', []);
  const { port } = await firstMessage<{ port: number }>(control);
  const postmaster = Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
  const agents: number[] = [];
  return {
    name: 'bare road',
    url: `http://127.0.0.1:${port}`,
    usage: () => ({
      'control plane': usageOf([control.pid ?? 0]),
      PostgreSQL: usageOfTree(postmaster),
      agent: usageOf(agents),
      'measuring child': usageOfChildren(agents),
    }),
    programs: () => [control.pid ?? 0, ...agents.flatMap(processTree)],
    async haveAgents(count) {
      while (agents.length < count) {
        const spool = join(directory, `bare-agent-${agents.length}`);
        await mkdir(spool);
        const agent = start('./agent.js', [`ws://127.0.0.1:${port}`, spool]);
        await firstMessage(agent);
        agents.push(agent.pid ?? 0);
      }
    },
  };
}

async function firstMessage<T>(child: ChildProcess): Promise<T> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`a program of the bare road ended with ${code}`);
  });
  ended.catch(() => undefined);
  const [message] = await Promise.race([once(child, 'message'), ended]);
  return message as T;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.disconnect();
  await exited;
}
