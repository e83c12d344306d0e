import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkRequirements } from '../missing.js';
import { authorityFile, certificateRequirements, makeCertificates } from './certificates.js';
import { dns } from './dns/index.js';
import { hostile } from './hostile.js';
import { mail } from './mail.js';
import type { ServerDefinition, ServerOptions } from './server.js';
import { time } from './time.js';
import { web } from './web/index.js';

/** The servers on `far`. */
export const servers = { dns, web, mail, time, hostile } as const satisfies Readonly<Record<string, ServerDefinition>>;
/** One of them. */
export type ServerName = keyof typeof servers;
/** All of them, in order. */
export const serverNames = Object.keys(servers) as readonly ServerName[];

/** Starts servers on `far`, all at once. @throws MissingError for the first whose program is not there */
export async function startServers(
  names: readonly ServerName[],
  { namespace, directory: parent }: Pick<ServerOptions, 'namespace' | 'directory'>,
): Promise<void> {
  const wanted = serverNames.filter((name) => names.includes(name));
  if (wanted.length === 0) return;
  checkRequirements([...certificateRequirements, ...wanted.flatMap((name) => servers[name].requirements)]);
  const certificates = await makeCertificates(dirname(authorityFile(parent)));
  await Promise.all(
    wanted.map((name) => {
      const directory = join(parent, name);
      mkdirSync(directory);
      return servers[name].start({ namespace, directory, certificates });
    }),
  );
}
