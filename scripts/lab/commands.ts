import { type SpawnOptions, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { type LinkSettings, linkStatus, setDirection } from './emulator.js';
import { startLab } from './lab.js';
import { mapText, readMap } from './map.js';
import { namespaceOf } from './namespaces.js';
import { environmentOf, findRecord, getRecord, isAlive, removeLab, removeOrphans, socketOf } from './records.js';
import { type ServerName, serverNames } from './servers/index.js';
import { statusText } from './status-text.js';
import { type Direction, hostsOf, linksOf } from './topology.js';

// What `npm run lab` does; index.ts reads its options.

/** Time that a lab has to remove itself, in milliseconds. */
const PATIENCE_MS = 15_000;

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
  map({ name, ...(json && { json }) });
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

/** Ends a lab through the process that made it, and removes what killed labs have left. */
export async function down(name: string): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('root is required to remove a lab');
  const record = findRecord(name);
  const removed = record !== null && isAlive(record) ? [await endLiving(name, record.pid)] : [];
  removed.push(...(await removeOrphans()));
  process.stdout.write(removed.length === 0 ? 'nothing to remove\n' : `removed ${removed.join(', ')}\n`);
}

async function endLiving(name: string, pid: number): Promise<string> {
  process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + PATIENCE_MS;
  while (findRecord(name) !== null && performance.now() < deadline) await pause(20);
  await removeLab(name);
  return name;
}

/** Prints what a lab that is up has. */
export function map({ name, json }: { readonly name: string; readonly json?: true }): void {
  const content = readMap(name);
  process.stdout.write(json ? `${JSON.stringify(content, null, 2)}\n` : mapText(content));
}

/** Prints what the links of a lab do and have counted, and which servers it has. */
export async function status({ name, json }: { readonly name: string; readonly json?: true }): Promise<void> {
  const { servers, pid } = getRecord(name);
  const links = await linkStatus(socketOf(name));
  if (json) process.stdout.write(`${JSON.stringify({ name, pid, servers, links }, null, 2)}\n`);
  else process.stdout.write(`${statusText(links)}\nservers on far: ${servers.join(', ') || 'none'}; process ${pid}\n`);
}

export interface LinkOptions {
  readonly name: string;
  readonly direction?: Direction;
  readonly delay?: number;
  readonly jitter?: number;
  readonly loss?: number;
  readonly duplicate?: number;
  readonly reorder?: number;
  readonly rate?: number;
  readonly queue?: number;
}

/** Changes a link of a lab that is up and prints how it is then. */
export async function link(number: number, options: LinkOptions): Promise<void> {
  const numbers = linksOf(getRecord(options.name).isEcmp).map((known) => known.number);
  if (!numbers.includes(number)) throw new Error(`no link ${number} in this lab: one of ${numbers.join(', ')}`);
  const socket = socketOf(options.name);
  const ways: readonly Direction[] = options.direction === undefined ? ['forth', 'back'] : [options.direction];
  for (const way of ways) await setDirection(socket, number, way, settingsOf(options));
  const changed = (await linkStatus(socket)).filter((status) => status.link === number);
  process.stdout.write(statusText(changed));
}

function settingsOf({ delay, jitter, loss, duplicate, reorder, rate, queue }: LinkOptions): Partial<LinkSettings> {
  const all = {
    delayMs: delay,
    jitterMs: jitter,
    lossRatio: loss,
    duplicateRatio: duplicate,
    reorderRatio: reorder,
    rateBitsPerSecond: rate,
    queueBytes: queue,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** A shell on a machine. @returns its exit code */
export function shell(lab: string, host: string): Promise<number> {
  const environment = { ...environmentOf(lab), PS1: `${lab} ${host} \\w \\$ ` };
  return runInside(lab, host, ['bash', '--norc', '--noprofile'], { env: environment });
}

/** A command on a machine, with this process's terminal. @returns its exit code */
export function execOn(lab: string, host: string, command: readonly string[]): Promise<number> {
  return runInside(lab, host, command, { env: environmentOf(lab) });
}

async function runInside(
  lab: string,
  host: string,
  command: readonly string[],
  options: SpawnOptions,
): Promise<number> {
  const present = hostsOf(getRecord(lab).isEcmp);
  const known = present.find((candidate) => candidate === host);
  if (known === undefined) throw new Error(`no machine "${host}" in this lab: one of ${present.join(', ')}`);
  const child = spawn('ip', ['netns', 'exec', namespaceOf(lab, known), ...command], { ...options, stdio: 'inherit' });
  // Ctrl-C in a terminal is for the command; this process ends with it
  process.on('SIGINT', () => {});
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
