import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Host } from './topology.js';

const PREFIX = 'vlab-';
const KILL_AFTER_MS = 3000;

/** The network namespace of a machine: `vlab-NAME-HOST`. */
export function namespaceOf(lab: string, host: Host): string {
  return `${PREFIX}${lab}-${host}`;
}

/** Runs a program to its end. @returns its standard output; @throws Error with what it said when it fails */
export function run(
  command: string,
  args: readonly string[],
  { input = '', env = process.env }: { readonly input?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(command, args, { maxBuffer: 64 * 2 ** 20, env }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`"${[command, ...args].join(' ')}" failed: ${failureText(error, stdout, stderr)}`));
    });
    // a program that ends without reading is judged by its exit code
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

function failureText(error: Error & { code?: unknown; signal?: unknown }, stdout: string, stderr: string): string {
  const said = stderr.trim() || stdout.trim();
  const how = error.signal ? `ended by ${String(error.signal)}` : `exit code ${String(error.code)}`;
  return said === '' ? how : `${how}: ${said}`;
}

/** Creates a namespace; `resolvers` become its /etc/resolv.conf. */
export async function addNamespace(name: string, resolvers: readonly string[]): Promise<void> {
  mkdirSync(`/etc/netns/${name}`, { recursive: true });
  writeFileSync(`/etc/netns/${name}/resolv.conf`, resolvers.map((address) => `nameserver ${address}\n`).join(''));
  await run('ip', ['netns', 'add', name]);
}

/** Removes a namespace and every process in it; one that is not there, or that another process removes, is no error. */
export async function removeNamespace(name: string): Promise<void> {
  try {
    if (existsSync(pathOf(name))) await endProcesses(name);
    if (existsSync(pathOf(name))) await run('ip', ['netns', 'del', name]);
  } catch (error) {
    if (existsSync(pathOf(name))) throw error;
  }
  rmSync(`/etc/netns/${name}`, { recursive: true, force: true });
}

function pathOf(name: string): string {
  return `/run/netns/${name}`;
}

/** Names of a lab's namespaces that exist, those included that have only a resolv.conf left. */
export function namespacesOf(lab: string): string[] {
  const names = ['/run/netns', '/etc/netns'].flatMap((directory) =>
    existsSync(directory) ? readdirSync(directory) : [],
  );
  const pattern = new RegExp(`^${PREFIX}${lab}-(?:agent|far|r\\d\\w?)$`);
  return [...new Set(names)].filter((name) => pattern.test(name));
}

/** Starts a program inside a namespace; it gets SIGKILL when this process has ended. */
export function spawnIn(namespace: string, command: readonly string[], options: SpawnOptions = {}): ChildProcess {
  return spawn('setpriv', ['--pdeathsig', 'KILL', 'ip', 'netns', 'exec', namespace, ...command], options);
}

async function endProcesses(namespace: string): Promise<void> {
  const deadline = performance.now() + KILL_AFTER_MS;
  let signal: NodeJS.Signals = 'SIGTERM';
  for (;;) {
    const pids = (await run('ip', ['netns', 'pids', namespace])).split('\n').filter((line) => line !== '');
    if (pids.length === 0) return;
    if (performance.now() > deadline) signal = 'SIGKILL';
    for (const pid of pids) kill(Number(pid), signal);
    await pause(20);
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has just ended
  }
}
