import { setTimeout as pause } from 'node:timers/promises';
import { sized, tableText } from '../harness.js';
import { LoadClient } from '../load.js';
import { memoryOf, memoryOfAll, processTree } from '../processes.js';
import { bodyOf, type Targets } from './measure.js';
import type { VantageRoad } from './vantage-road.js';

const IDLE_MS = sized(5_000, 500);

/** Cost of the programs, before they have any load. */
export interface Programs {
  readonly serverReadyMs: number;
  readonly firstJobMs: number;
  readonly memory: Readonly<Record<'agent' | 'server' | 'database', ReturnType<typeof memoryOf>>>;
}

/** Measures the start of the first agent, and the memory of all programs at rest. */
export async function measurePrograms(vantage: VantageRoad, targets: Targets): Promise<Programs> {
  await vantage.haveAgents(1);
  const client = new LoadClient(vantage.url, 1);
  await client.probe('http', bodyOf({ type: 'http', target: 'target' }, targets));
  const firstJobMs = performance.now() - vantage.agentStartedAt();
  await client.close();
  await pause(IDLE_MS);
  return {
    serverReadyMs: vantage.serverReadyMs,
    firstJobMs,
    memory: {
      agent: memoryOfAll(vantage.agentPids.flatMap(processTree)),
      server: memoryOfAll([vantage.serverPid]),
      database: memoryOf(vantage.postmasterPid),
    },
  };
}

/** Table for people. */
export function programsText({ memory, firstJobMs, serverReadyMs }: Programs): string {
  const mb = ({ rssMb, pssMb }: ReturnType<typeof memoryOf>) => `${rssMb.toFixed(0)} MB (PSS ${pssMb.toFixed(0)} MB)`;
  return tableText(
    ['figure', 'value', 'goal'],
    [
      ['agent, idle, all its processes, RSS', mb(memory.agent), '100 MB'],
      ['agent, start to first job done', `${firstJobMs.toFixed(0)} ms`, '1000 ms'],
      ['control plane, idle, its one process, RSS', `${memory.server.rssMb.toFixed(0)} MB`, ''],
      ['embedded PostgreSQL, RSS', mb(memory.database), ''],
      ['control plane, start to ready, database started too', `${serverReadyMs.toFixed(0)} ms`, ''],
    ],
  );
}
