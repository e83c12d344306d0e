import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../namespaces.js';
import { type Service, serviceAddresses } from '../../topology.js';
import { startDaemon } from '../daemon.js';
import type { ServerOptions } from '../server.js';
import type { Zone } from './zones.js';

/** A knot server of some zones, not yet running: its keys can be made and its zones written. */
export interface KnotServer {
  /** Creates a key for a zone. @returns the data of its DS record, SHA-256 */
  makeKey(origin: string): Promise<string>;
  /** Starts it; those zones are signed for which there is a key. */
  start(zones: readonly Zone[]): Promise<void>;
}

/** Prepares a server at the addresses of a service. `origins` are all its zones, `signed` those that get keys. */
export function prepareKnot(
  service: Service,
  zones: { readonly origins: readonly string[]; readonly signed: readonly string[] },
  { namespace, directory: parent }: ServerOptions,
): KnotServer {
  const directory = join(parent, service);
  mkdirSync(join(directory, 'keys'), { recursive: true });
  const file = join(directory, 'knot.conf');
  writeFileSync(file, configuration(service, zones, directory));
  const keys = (...command: string[]) => run('keymgr', ['-c', file, ...command]);
  return {
    makeKey: async (origin) => {
      await keys(origin, 'generate', 'algorithm=ECDSAP256SHA256', 'ksk=yes', 'zsk=yes');
      const line = (await keys(origin, 'ds')).split('\n').find((text) => / DS \d+ 13 2 /.test(text));
      if (line === undefined) throw new Error(`keymgr has no DS record for "${origin}"`);
      return line.slice(line.indexOf(' DS ') + 4).trim();
    },
    start: async (contents) => {
      for (const { origin, text } of contents) writeFileSync(join(directory, zoneFile(origin)), text);
      const { v4 } = serviceAddresses(service);
      const digs = contents.map(({ origin }) => ['dig', `@${v4}`, '+norec', '+time=1', '+tries=1', origin, 'SOA']);
      await startDaemon(
        { namespace, directory },
        {
          command: ['knotd', '-c', file],
          isReady: async () => {
            for (const dig of digs) {
              const answer = await run('ip', ['netns', 'exec', namespace, ...dig]);
              if (!/status: NOERROR/.test(answer) || !/ANSWER: 1/.test(answer)) return false;
            }
            return true;
          },
        },
      );
    },
  };
}

function zoneFile(origin: string): string {
  return origin === '.' ? 'root.zone' : `${origin}zone`;
}

function configuration(service: Service, zones: Parameters<typeof prepareKnot>[1], directory: string): string {
  const { v4, v6 } = serviceAddresses(service);
  const blocks = zones.origins.map(
    (origin) => `
  - domain: "${origin}"
    file: "${zoneFile(origin)}"
    dnssec-signing: ${zones.signed.includes(origin) ? 'on' : 'off'}`,
  );
  return `
server:
  rundir: "${directory}"
  listen: [ "${v4}@53", "${v6}@53" ]
  nsid: "${service}"
  udp-workers: 1
  tcp-workers: 1
  background-workers: 1
log:
  - target: stderr
    any: warning
database:
  storage: "${join(directory, 'keys')}"
policy:
  - id: lab
    manual: on
    single-type-signing: on
template:
  - id: default
    storage: "${directory}"
    zonefile-sync: -1
    zonefile-load: whole
    journal-content: none
    dnssec-policy: lab
zone:${blocks.join('')}
`;
}
