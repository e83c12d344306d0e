import { startLab } from '../lab.js';
import { mapText, readMap } from '../map.js';
import { type ServerName, serverNames } from '../servers/index.js';

export interface UpOptions {
  readonly name: string;
  readonly only?: string;
  readonly ecmp?: true;
  readonly delay?: number;
  readonly seed?: number;
  readonly json?: true;
}

/** Creates a lab and keeps it until a signal ends this process, which removes it. */
export async function up({ name, only, ecmp, delay, seed, json }: UpOptions): Promise<void> {
  const servers = chooseServers(only);
  process.stderr.write(`creating the lab "${name}"${servers.length === 0 ? '' : ` with ${servers.join(', ')}`}…\n`);
  const lab = await startLab({ name, servers, ecmp: ecmp === true, ...(seed === undefined ? {} : { seed }) });
  if (delay !== undefined) await lab.setLink(2, 'both', { delayMs: delay / 2 });
  const map = readMap(name);
  process.stdout.write(json ? `${JSON.stringify(map, null, 2)}\n` : mapText(map));
  process.stderr.write('\nCtrl-C stops the lab and removes everything it created.\n');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => process.stderr.write('removing the lab…\n'));
  }
  // the lab's own handler of a signal removes it, then ends this process
  await new Promise(() => setInterval(() => {}, 2 ** 30));
}

function chooseServers(only: string | undefined): readonly ServerName[] {
  if (only === undefined) return serverNames;
  if (only === 'none') return [];
  return only.split(',').map((text) => {
    const found = serverNames.find((known) => known === text.trim());
    if (found === undefined) throw new Error(`unknown server "${text.trim()}": one of ${serverNames.join(', ')}`);
    return found;
  });
}
