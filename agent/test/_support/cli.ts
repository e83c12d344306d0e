import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';

/** The program as people start it. */
export const AGENT_BIN = fileURLToPath(new URL('../../../bin/vantage-agent.js', import.meta.url));

/** Exit code and output of a finished command. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Default: the one of this checkout. */
  readonly program?: string;
}

/** A running `vantage-agent`, killed when the test ends if it still runs. */
export interface RunningCommand {
  readonly process: ChildProcessWithoutNullStreams;
  readonly output: { stdout: string; stderr: string };
  /** Resolves when it ended. */
  readonly ended: Promise<Outcome>;
}

/** Starts `vantage-agent` with no variable of ours but those given. */
export function startCommand(t: Test, args: readonly string[], options: CommandOptions = {}): RunningCommand {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('VANTAGE_'));
  const child = spawn(process.execPath, [options.program ?? AGENT_BIN, ...args], {
    env: { ...Object.fromEntries(inherited), ...options.env },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  if (options.stdin !== undefined) child.stdin.end(options.stdin);
  const ended = once(child, 'close').then(([code]): Outcome => ({ code: code as number | null, ...output }));
  t.teardown(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { process: child, output, ended };
}

/** Runs `vantage-agent` to its end. */
export function runCommand(t: Test, args: readonly string[], options: CommandOptions = {}): Promise<Outcome> {
  return startCommand(t, args, { stdin: '', ...options }).ended;
}
