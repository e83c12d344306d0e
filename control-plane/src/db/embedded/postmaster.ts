import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import { delay, systemClock } from '@vantage/shared/clock.js';
import { EmbeddedPostgresError } from './errors.js';
import { reasonOf } from './failure-reason.js';
import type { RunAs } from './run-as.js';

/** Time that PostgreSQL gets for a fast stop, and then for an immediate one, before it is killed. */
const fastStopMs = 10_000;
const immediateStopMs = 5_000;
const startMs = 60_000;
const pollMs = 10;

/** A running PostgreSQL server. */
export interface Postmaster {
  /** Resolves with the reason once the server process has ended. */
  readonly ended: Promise<string>;
  /** Ends sessions and stops; resolves when no process of it is left. May be called twice. */
  stop(): Promise<void>;
}

export interface PostmasterOptions {
  readonly directory: string;
  /** Directory of the Unix socket; there is no other way to connect. */
  readonly socketDirectory: string;
  readonly settings: Readonly<Record<string, string>>;
  /** Gets every line the server writes. */
  onLine(line: string): void;
  readonly signal: AbortSignal;
}

/** Starts the server and waits until it takes connections. @throws EmbeddedPostgresError */
export async function startPostmaster(runAs: RunAs, options: PostmasterOptions): Promise<Postmaster> {
  const settings = { ...options.settings, unix_socket_directories: options.socketDirectory, listen_addresses: '' };
  const {
    file,
    args,
    options: as,
  } = runAs.command(runAs.binaries.postgres, [
    '-D',
    options.directory,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]);
  // its own process group: signals of a terminal do not reach it
  const child = spawn(file, args, { ...as, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const output = watchOutput(child, options.onLine);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    // its own children keep its output open and end with it
    child.once('close', (code, killedBy) =>
      resolve(killedBy === null ? reasonOf(output(), code) : `ended by ${killedBy}`),
    );
  });
  const postmaster = { ended, stop: () => stopChild(child, ended, options.directory) };
  try {
    await untilReady(child, ended, options);
    return postmaster;
  } catch (error) {
    await postmaster.stop();
    throw error;
  }
}

/** The last lines written before the server took connections or ended: the reason of a failed start is among them. */
function watchOutput(child: ChildProcess, onLine: (line: string) => void): () => string {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream?.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts) {
        lines.push(line);
        if (lines.length > 50) lines.shift();
        onLine(line);
      }
    });
  }
  return () => lines.join('\n');
}

/** PostgreSQL writes its state into line 8 of postmaster.pid; pg_ctl waits for the same word. */
async function untilReady(child: ChildProcess, ended: Promise<string>, options: PostmasterOptions): Promise<void> {
  let failure: string | null = null;
  void ended.then((reason) => {
    failure = reason;
  });
  const deadline = systemClock.monotonicMs() + startMs;
  for (;;) {
    if (failure !== null) throw new EmbeddedPostgresError(`embedded PostgreSQL did not start: ${failure}`);
    options.signal.throwIfAborted();
    const lines = (await readPidFile(options.directory)) ?? [];
    if (Number(lines[0]) === child.pid && lines[7]?.trim() === 'ready') return;
    if (systemClock.monotonicMs() > deadline) {
      throw new EmbeddedPostgresError(`embedded PostgreSQL did not become ready within ${startMs / 1000} s`);
    }
    await delay(systemClock, pollMs);
  }
}

async function stopChild(child: ChildProcess, ended: Promise<string>, directory: string): Promise<void> {
  for (const [signal, waitMs] of stopSteps) {
    child.kill(signal);
    if (await settlesWithin(ended, waitMs)) break;
  }
  await endProcessesIn(directory);
  await ended;
}

const stopSteps = [
  ['SIGINT', fastStopMs],
  ['SIGQUIT', immediateStopMs],
  ['SIGKILL', immediateStopMs],
] as const;

async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const timeout = new AbortController();
  try {
    return await Promise.race([promise.then(() => true), delay(systemClock, ms, timeout.signal).then(() => false)]);
  } finally {
    timeout.abort();
  }
}

/**
 * Stops a PostgreSQL server that still uses `directory` (its guardian was killed) and clears the way for a new one. The
 * caller holds the data directory's lock, so nothing that works there has an owner.
 */
export async function stopOrphans(directory: string): Promise<void> {
  await endProcessesIn(directory);
  // without this a process that got the old server's id after a reboot would prevent the new server from starting
  await rm(path.join(directory, 'postmaster.pid'), { force: true });
}

async function endProcessesIn(directory: string): Promise<void> {
  for (const [signal, waitMs] of stopSteps) {
    const pids = await processesIn(directory);
    const postmasterPid = Number((await readPidFile(directory))?.[0]);
    // children without a postmaster notice it and end by themselves
    const targets = signal === 'SIGKILL' ? pids : pids.filter((pid) => pid === postmasterPid);
    for (const pid of targets) sendSignal(pid, signal);
    if (await untilNoneIn(directory, waitMs)) return;
  }
  throw new EmbeddedPostgresError(`a PostgreSQL server that uses "${directory}" does not stop; stop it manually`);
}

async function untilNoneIn(directory: string, waitMs: number): Promise<boolean> {
  const deadline = systemClock.monotonicMs() + waitMs;
  while ((await processesIn(directory)).length > 0) {
    if (systemClock.monotonicMs() > deadline) return false;
    await delay(systemClock, pollMs);
  }
  return true;
}

/**
 * Ids of the PostgreSQL processes that work on `directory`. Each of them changes into its data directory, which distinguishes
 * it from another process with the id of an old one.
 */
export async function processesIn(directory: string): Promise<number[]> {
  const target = await realpath(directory).catch(() => null);
  const names = target === null ? [] : await readdir('/proc').catch(() => []);
  const found: number[] = [];
  for (const name of names) {
    if (!/^\d+$/.test(name) || (await linkOf(`/proc/${name}/cwd`)) !== target) continue;
    // not a shell of a user in that directory
    if (/\/postgres( \(deleted\))?$/.test((await linkOf(`/proc/${name}/exe`)) ?? '')) found.push(Number(name));
  }
  return found;
}

async function linkOf(file: string): Promise<string | null> {
  return readlink(file).catch(() => null);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ended in the meantime
  }
}

async function readPidFile(directory: string): Promise<string[] | null> {
  const text = await readFile(path.join(directory, 'postmaster.pid'), 'utf8').catch(() => null);
  return text === null ? null : text.split('\n');
}
