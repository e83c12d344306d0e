import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../namespaces.js';
import type { linkAddresses } from '../../topology.js';
import { startDaemon } from '../daemon.js';
import type { ServerOptions } from '../server.js';
import type { Zone } from './zone.js';

/** A knot server of some zones, not yet running: its keys can be made and its zones written. */
export interface KnotServer {
  /** Creates a key for a zone. @returns the data of its DS record, SHA-256 */
  makeKey(origin: string): Promise<string>;
  /** Starts it; those zones are signed for which there is a key. */
  start(zones: readonly Zone[]): Promise<void>;
}

/** Name of a server, and the addresses at which it listens. */
export interface KnotPlace {
  readonly name: string;
  readonly addresses: readonly [ReturnType<typeof linkAddresses>, ...ReturnType<typeof linkAddresses>[]];
}

/** Prepares a server. `origins` are all its zones, `signed` those that get keys. */
export function prepareKnot(
  place: KnotPlace,
  zones: { readonly origins: readonly string[]; readonly signed: readonly string[] },
  { namespace, directory: parent }: ServerOptions,
): KnotServer {
  const directory = join(parent, place.name);
  mkdirSync(join(directory, 'keys'), { recursive: true });
  const file = join(directory, 'knot.conf');
  writeFileSync(file, configuration(place, zones, directory));
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
      const [{ v4 }] = place.addresses;
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

function configuration(
  { name, addresses }: KnotPlace,
  zones: Parameters<typeof prepareKnot>[1],
  directory: string,
): string {
  const listen = addresses.flatMap(({ v4, v6 }) => [`"${v4}@53"`, `"${v6}@53"`]);
  const blocks = zones.origins.map(
    (origin) => `
  - domain: "${origin}"
    file: "${zoneFile(origin)}"
    dnssec-signing: ${zones.signed.includes(origin) ? 'on' : 'off'}`,
  );
  return `
server:
  rundir: "${directory}"
  listen: [ ${listen.join(', ')} ]
  nsid: "${name}"
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
