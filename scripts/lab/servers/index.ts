import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkRequirements } from '../missing.js';
import type { ServerDefinition, ServerOptions } from './server.js';
import { web } from './web.js';

/** The servers on `far`, in the order they are started. */
export const servers = { web } as const satisfies Readonly<Record<string, ServerDefinition>>;
/** One of them. */
export type ServerName = keyof typeof servers;
/** All of them, in order. */
export const serverNames = Object.keys(servers) as readonly ServerName[];

/** Starts servers on `far`. @throws MissingError for the first whose program is not there */
export async function startServers(names: readonly ServerName[], options: ServerOptions): Promise<void> {
  const wanted = serverNames.filter((name) => names.includes(name));
  for (const name of wanted) checkRequirements(servers[name].requirements);
  for (const name of wanted) {
    const directory = join(options.directory, name);
    mkdirSync(directory);
    await servers[name].start({ ...options, directory });
  }
}
