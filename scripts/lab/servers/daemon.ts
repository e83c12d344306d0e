import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { spawnIn } from '../namespaces.js';
import type { ServerOptions } from './server.js';

const OUTPUT_FILE = 'output.log';
const READY_WITHIN_MS = 120_000;

/** A program that stays in the foreground, and how one sees that it answers. */
export interface Daemon {
  readonly command: readonly string[];
  /** Polled until it is true; an exception counts as false. */
  isReady(): Promise<boolean>;
}

type DaemonPlace = Pick<ServerOptions, 'namespace' | 'directory'>;

/** Starts a daemon on `far`, its output in `output.log` of its directory. @throws Error with that when it ends early */
export async function startDaemon({ namespace, directory }: DaemonPlace, daemon: Daemon): Promise<void> {
  const log = join(directory, OUTPUT_FILE);
  // a file, not a pipe: postfix opens /dev/stdout again, which a socket pair does not allow
  const output = openSync(log, 'a');
  const child = spawnIn(namespace, daemon.command, { stdio: ['ignore', output, output] });
  closeSync(output);
  let hasEnded = false;
  child.once('error', () => {
    hasEnded = true;
  });
  child.once('exit', () => {
    hasEnded = true;
  });
  const deadline = performance.now() + READY_WITHIN_MS;
  while (!(await daemon.isReady().catch(() => false))) {
    if (hasEnded || performance.now() > deadline) {
      const what = hasEnded ? 'ended before it answered' : `did not answer within ${READY_WITHIN_MS} ms`;
      throw new Error(`"${daemon.command.join(' ')}" ${what}: ${readFileSync(log, 'utf8').trim()}`);
    }
    await pause(20);
  }
}

/** Starts a compiled program of the lab itself on `far`; it says "ready" when it answers. */
export async function startProgram(options: DaemonPlace, file: string, args: readonly string[]): Promise<void> {
  const name = basename(file, '.js');
  const directory = join(options.directory, name);
  mkdirSync(directory);
  const log = join(directory, OUTPUT_FILE);
  await startDaemon(
    { ...options, directory },
    { command: [process.execPath, file, ...args], isReady: async () => readFileSync(log, 'utf8').includes('ready\n') },
  );
}
