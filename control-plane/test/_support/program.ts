import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Test } from 'tap';

/** Exit code and output of a program. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  readonly args: readonly string[];
  /** Environment in addition to the inherited one, from which all of the product's settings are removed. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Standard input. */
  readonly input?: string;
}

/**
 * A program of the product in a process of its own. It holds an IPC channel: if this process is killed, the program
 * ends by itself.
 */
export class Program {
  /** Resolves when the process has ended and all of its output was read. */
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #said = { stdout: '', stderr: '' };

  constructor(script: string, { args, environment = {}, input }: ProgramOptions) {
    this.#child = fork(script, [...args], {
      env: { ...foreignEnvironment(), ...environment },
      execArgv: [],
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', 'ipc'],
    });
    this.#child.stdin?.end(input);
    for (const stream of ['stdout', 'stderr'] as const) {
      this.#child[stream]?.setEncoding('utf8').on('data', (text: string) => {
        this.#said[stream] += text;
        if (process.env['VANTAGE_TEST_LOG'] !== undefined) process.stderr.write(text);
      });
    }
    this.#exited = once(this.#child, 'exit');
    this.ended = once(this.#child, 'close').then(([code, signal]) => ({ code, signal, ...this.#said }));
  }

  /** Starts a program that is killed with the test at the latest. */
  static start(t: Test, script: string, options: ProgramOptions): Program {
    const program = new Program(script, options);
    t.teardown(() => program.kill());
    return program;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Output on standard error so far. */
  get stderr(): string {
    return this.#said.stderr;
  }

  /** The first result of `read` for a line of standard output. @throws Error if the program ends before */
  async waitForLine<T>(read: (line: string) => T | null): Promise<T> {
    const found = new Promise<T>((resolve) => {
      const lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream });
      lines.on('line', (line) => {
        const value = read(line);
        if (value !== null) resolve(value);
      });
    });
    const died = this.ended.then(({ code, signal, stdout, stderr }) => {
      throw new Error(`the program ended with ${code ?? signal}: ${stderr || stdout.slice(-2_000)}`);
    });
    return Promise.race([found, died]);
  }

  /** Asks the program to end, as a service manager does. */
  terminate(): Promise<Ending> {
    this.#child.kill('SIGTERM');
    return this.ended;
  }

  /** kill -9; resolves when the process is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#exited;
  }
}

export function runProgram(script: string, options: ProgramOptions): Promise<Ending> {
  return new Program(script, { input: '', ...options }).ended;
}

/** This process's environment without the product's settings. */
function foreignEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VANTAGE|TAP)_/.test(name)));
}
