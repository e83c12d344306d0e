import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { namespacesOf, removeNamespace } from './namespaces.js';
import { authorityFile } from './servers/certificates.js';
import type { ServerName } from './servers/index.js';

/** Directory of the records. Not in /tmp: a later `lab down` must find leftovers with any TMPDIR. */
const ROOT = '/run/vantage-lab';

/** Facts about a lab for other processes, kept in its directory while it exists. */
export interface LabRecord {
  readonly name: string;
  /** The process that removes it. */
  readonly pid: number;
  /** Start of that process, in clock ticks since boot: another one may get the same number. */
  readonly startedTicks: string;
  readonly isEcmp: boolean;
  readonly servers: readonly ServerName[];
}

/** A lab's own directory: its record, the emulator's socket, one directory for each server. */
export function directoryOf(name: string): string {
  return join(ROOT, name);
}

/** Socket of a lab's emulator. */
export function socketOf(name: string): string {
  return join(directoryOf(name), 'emulator.sock');
}

/** Environment of what runs on a lab's machines: OpenSSL, curl and Node trust the lab's authority, where it has one. */
export function environmentOf(name: string): NodeJS.ProcessEnv {
  const file = authorityFile(directoryOf(name));
  if (!existsSync(file)) return process.env;
  return { ...process.env, SSL_CERT_FILE: file, CURL_CA_BUNDLE: file, NODE_EXTRA_CA_CERTS: file };
}

/** Claims a name. @throws Error when a living lab has it, or the name is no name */
export async function claim(record: Omit<LabRecord, 'pid' | 'startedTicks'>): Promise<void> {
  const { name } = record;
  if (!/^[a-z0-9][a-z0-9-]{0,30}$/.test(name))
    throw new Error(`"${name}" is not a valid name for a lab: use letters, digits and hyphens`);
  const present = findRecord(name);
  if (present !== null && isAlive(present))
    throw new Error(`a lab "${name}" is already running, as process ${present.pid}`);
  await removeLab(name);
  mkdirSync(directoryOf(name), { recursive: true });
  saveRecord(record);
}

/** Writes down what a lab of this process is made of. */
export function saveRecord(record: Omit<LabRecord, 'pid' | 'startedTicks'>): void {
  const own = { pid: process.pid, startedTicks: startTicks(process.pid) };
  writeFileSync(join(directoryOf(record.name), 'lab.json'), JSON.stringify({ ...record, ...own }));
}

/** Reads the record of a lab, or returns null. */
export function findRecord(name: string): LabRecord | null {
  const file = join(directoryOf(name), 'lab.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as LabRecord) : null;
}

/** The record of a lab that is up. @throws Error when there is none */
export function getRecord(name: string): LabRecord {
  const record = findRecord(name);
  if (record === null || !isAlive(record))
    throw new Error(`no lab "${name}" is running: start it with npm run lab -- up`);
  return record;
}

/** True if the process that created the lab still runs. */
export function isAlive({ pid, startedTicks }: LabRecord): boolean {
  return startTicks(pid) === startedTicks;
}

/** Removes all there is of a lab: processes, namespaces, files. */
export async function removeLab(name: string): Promise<void> {
  for (const namespace of namespacesOf(name)) await removeNamespace(namespace);
  rmSync(directoryOf(name), { recursive: true, force: true });
}

/** Removes labs whose makers were killed. @returns their names */
export async function removeOrphans(): Promise<string[]> {
  const names = existsSync(ROOT) ? readdirSync(ROOT) : [];
  const orphans = names.filter((name) => {
    const record = findRecord(name);
    return record !== null && !isAlive(record);
  });
  for (const name of orphans) {
    await removeLab(name).catch((error: unknown) => {
      // another process may be removing it too; leftovers of both are reported
      if (namespacesOf(name).length > 0) throw error;
    });
  }
  return orphans;
}

/** Field 22 of proc(5) stat; empty when there is no such process. */
function startTicks(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
