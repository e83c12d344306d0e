import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Clock } from '@vantage/shared/clock.js';

/** An upgrade downloads and unpacks; what takes longer hangs. */
const TIME_LIMIT_MS = 10 * 60_000;
/** Length of the reported end of a command's output, where the reason is found. */
const MESSAGE_BYTES = 4096;
/** The environment it gets, whole: nothing of the agent's own is its business. */
const ENVIRONMENT = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' };

interface UpgradeCommand {
  /** Absolute. */
  readonly path: string;
  /** The command's one argument. */
  readonly version: string;
  /** A new file for its output. Not a pipe, which would end a command that outlives this process. */
  readonly outputPath: string;
  readonly clock: Clock;
}

/** A command that runs. */
export interface RunningCommand {
  /** Resolves with the reason of a failure, in one sentence, or null on success. */
  readonly ended: Promise<string | null>;
  /** Lets the command continue without this process: it may be what restarts this agent. */
  abandon(): void;
}

/**
 * Runs a command without a shell, in a process group of its own, for ten minutes at most; then the whole group is
 * killed. Never rejects.
 */
export function runUpgradeCommand({ path, version, outputPath, clock }: UpgradeCommand): RunningCommand {
  const output = openOutput(outputPath);
  const child = spawn(path, [version], {
    cwd: '/',
    env: ENVIRONMENT,
    stdio: ['ignore', output ?? 'ignore', output ?? 'ignore'],
    detached: true,
    shell: false,
  });
  let isLate = false;
  const cancelLimit = clock.after(
    TIME_LIMIT_MS,
    () => {
      isLate = true;
      killGroup(child.pid);
    },
    { unref: true },
  );
  const ended = new Promise<string | null>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      resolve(`cannot run "${path}": ${error.code ?? error.message}`),
    );
    child.once('exit', (code, signal) => {
      if (isLate) return resolve(`the command took longer than ${TIME_LIMIT_MS / 60_000} min and was killed`);
      if (code === 0) return resolve(null);
      const how = code === null ? `was ended by ${signal}` : `ended with ${code}`;
      const line = output === null ? '' : lastLine(output);
      resolve(`the command ${how}${line === '' ? '' : `: ${line}`}`);
    });
  }).finally(() => {
    cancelLimit();
    if (output !== null) closeSync(output);
  });
  const abandon = () => {
    cancelLimit();
    child.unref();
  };
  return { ended, abandon };
}

/** Opens the output file; null if this disk takes no file at present, and the output is lost. */
function openOutput(path: string): number | null {
  try {
    return openSync(path, 'w+', 0o600);
  } catch {
    return null;
  }
}

function lastLine(file: number): string {
  const { size } = fstatSync(file);
  const bytes = Buffer.alloc(Math.min(size, MESSAGE_BYTES));
  const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
  return bytes.toString('utf8', 0, read).trim().split('\n').at(-1)?.trim() ?? '';
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // it has ended in the meantime
  }
}
