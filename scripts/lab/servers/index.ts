import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ExternalProgram } from '@vantage/shared/_support/external-programs.js';
import { demand } from '@vantage/shared/_support/missing.js';
import { authorityFile, makeCertificates } from './certificates.js';
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

/** Programs needed for some servers and their certificates. */
export function programsOf(names: readonly ServerName[]): ExternalProgram[] {
  return names.length === 0 ? [] : ['openssl', ...names.flatMap((name) => servers[name].programs)];
}

/** Starts servers on `far`, all at once. @throws MissingProgramsError naming Debian packages */
export async function startServers(
  names: readonly ServerName[],
  { namespace, directory: parent }: Pick<ServerOptions, 'namespace' | 'directory'>,
): Promise<void> {
  const wanted = serverNames.filter((name) => names.includes(name));
  if (wanted.length === 0) return;
  demand(...programsOf(wanted));
  const certificates = await makeCertificates(dirname(authorityFile(parent)));
  await Promise.all(
    wanted.map((name) => {
      const directory = join(parent, name);
      mkdirSync(directory);
      return servers[name].start({ namespace, directory, certificates });
    }),
  );
}
