import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Test } from 'tap';

/** Exit code and output of a command. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  /** Environment in addition to PATH and HOME; nothing else of this process's environment is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; default: none. */
  readonly input?: string;
}

/** A program of the control plane's package. */
export type CommandProgram = 'vantage-control' | 'vantage';

/** Runs a command of the control plane's package until it ends; killed with the test at the latest. */
export async function runCommand(
  t: Test,
  program: CommandProgram,
  args: readonly string[],
  { env = {}, input }: CommandOptions = {},
): Promise<CommandResult> {
  const child = start(t, program, args, env);
  child.stdin?.end(input ?? '');
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([readAll(child.stdout), readAll(child.stderr), exited]);
  return { code, stdout, stderr };
}

/** A server in a process of its own. */
export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Starts `vantage-control serve` and waits until it is ready. @throws Error with its output if it ends before */
export async function startServer(t: Test, env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  const child = start(t, 'vantage-control', ['serve'], env);
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const lines: string[] = [];
  child.stderr?.on('data', (data) => lines.push(String(data)));
  const url = await new Promise<string>((resolve, reject) => {
    void exited.then((code) => reject(new Error(`serve ended with ${code}: ${lines.join('\n')}`)));
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      const { msg, url: address } = JSON.parse(line);
      if (msg === 'ready') resolve(address);
    });
  });
  return {
    url,
    pid: child.pid ?? 0,
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

function start(
  t: Test,
  program: CommandProgram,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): ChildProcess {
  const path = fileURLToPath(new URL(`../../../bin/${program}.js`, import.meta.url));
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [path, ...args], {
    env: { PATH, HOME, VANTAGE_CONFIG: '/dev/null', ...env },
    stdio: 'pipe',
  });
  const exited = new Promise((resolve) => child.once('close', resolve));
  t.teardown(async () => {
    // a server removes what it started; one that does not end in time is killed by the runner with its whole process
    // group
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    await exited;
  });
  return child;
}

function readAll(stream: NodeJS.ReadableStream | null): Promise<string> {
  return stream === null ? Promise.resolve('') : text(stream);
}
