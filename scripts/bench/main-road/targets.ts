import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { RoadPart } from './parts.js';

/** The targets of all probes, each in a process of its own. */
export interface Targets {
  readonly ports: Readonly<Record<RoadPart['target'], number>>;
  readonly pids: readonly number[];
  stop(): void;
}

/** Starts the targets with this environment besides that of this process. */
export async function startTargets(environment: Readonly<Record<string, string>>): Promise<Targets> {
  const script = fileURLToPath(new URL('../servers.js', import.meta.url));
  const env = { ...process.env, ...environment };
  const children: ChildProcess[] = ['target', 'https'].map((name) => fork(script, [name], { env }));
  const [http = 0, https = 0] = await Promise.all(
    children.map(async (child) => ((await once(child, 'message')) as [{ port: number }])[0].port),
  );
  return {
    ports: { http, https },
    pids: children.map(({ pid }) => pid ?? 0),
    stop: () => children.forEach((child) => child.connected && child.disconnect()),
  };
}

/** Body of a request for a probe of this type. */
export function bodyOf({ type, target }: Pick<RoadPart, 'type' | 'target'>, { ports }: Targets): object {
  if (type === 'http') return { target: `${target}://127.0.0.1:${ports[target]}/` };
  return { target: '127.0.0.1', params: type === 'ping' ? { count: 1 } : { port: ports.http } };
}
