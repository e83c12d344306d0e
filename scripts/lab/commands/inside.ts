import { type SpawnOptions, spawn } from 'node:child_process';
import { namespaceOf } from '../namespaces.js';
import { environmentOf, getRecord } from '../records.js';
import { hostsOf } from '../topology.js';

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
