import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { namespacesOf, removeNamespace } from './namespaces.js';
import { authorityFile } from './servers/certificates.js';
import type { ServerName } from './servers/index.js';

/** Not in /tmp: a later `lab down` must find what is left, whoever's TMPDIR it was. */
const ROOT = '/run/vantage-lab';

/** What other processes may know of a lab, kept in its directory while it is there. */
export interface LabRecord {
  readonly name: string;
  /** The process that removes it. */
  readonly pid: number;
  /** When that process started, in clock ticks since boot: another one may get the same number. */
  readonly startedTicks: string;
  readonly isEcmp: boolean;
  readonly servers: readonly ServerName[];
}

/** A lab's own directory: its record, the emulator's socket, one directory for each server. */
export function directoryOf(name: string): string {
  return join(ROOT, name);
}

/** Where the emulator of a lab listens. */
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
    throw new Error(`"${name}" is no name for a lab: letters, digits, hyphens`);
  const present = findRecord(name);
  if (present !== null && isAlive(present)) throw new Error(`a lab "${name}" is up already, by process ${present.pid}`);
  await removeLab(name);
  mkdirSync(directoryOf(name), { recursive: true });
  saveRecord(record);
}

/** Writes down what a lab of this process is made of. */
export function saveRecord(record: Omit<LabRecord, 'pid' | 'startedTicks'>): void {
  const own = { pid: process.pid, startedTicks: startTicks(process.pid) };
  writeFileSync(join(directoryOf(record.name), 'lab.json'), JSON.stringify({ ...record, ...own }));
}

/** What is known of a lab, or null. */
export function findRecord(name: string): LabRecord | null {
  const file = join(directoryOf(name), 'lab.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as LabRecord) : null;
}

/** The record of a lab that is up. @throws Error when there is none */
export function getRecord(name: string): LabRecord {
  const record = findRecord(name);
  if (record === null || !isAlive(record)) throw new Error(`no lab "${name}" is up: npm run lab -- up`);
  return record;
}

/** Whether the process that made it still runs. */
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
      // another process may be at the same; what neither could remove is told
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
