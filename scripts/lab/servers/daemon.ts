import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { spawnIn } from '../namespaces.js';
import type { ServerOptions } from './server.js';

const READY_WITHIN_MS = 20_000;

/** A program that stays in the foreground, and how one sees that it answers. */
export interface Daemon {
  readonly command: readonly string[];
  /** Called until it is true; what it throws counts as no. */
  isReady(): Promise<boolean>;
}

/** Starts a daemon on `far`, its output in `output.log` of its directory. @throws Error with that when it ends early */
export async function startDaemon({ namespace, directory }: ServerOptions, daemon: Daemon): Promise<void> {
  const log = join(directory, 'output.log');
  const child = spawnIn(namespace, daemon.command, { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = createWriteStream(log, { flags: 'a' });
  child.stdout?.pipe(output, { end: false });
  child.stderr?.pipe(output, { end: false });
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
