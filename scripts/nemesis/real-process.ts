import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { processTree } from '../bench/processes.js';

/** End of a process. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** True if no one here had requested it. */
  readonly isUnasked: boolean;
}

export interface RealProcessOptions {
  /** Name for people, and of its log file. */
  readonly name: string;
  readonly script: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Gets all it says, added to what is there. */
  readonly logFile: string;
  readonly onLine?: (line: string) => void;
}

/** Time that SIGTERM may take before the process is killed, as in systemd/vantage-control.service. */
const STOP_MS = 60_000;

/** A program of the product that is killed, stopped and continued. It never outlives this process, not even stopped. */
export class RealProcess {
  readonly name: string;
  /** Resolves when it is gone and all it said is in the log. */
  readonly ended: Promise<Ending>;
  readonly #child: ChildProcess;
  readonly #log: WriteStream;
  readonly #listeners = new Set<(line: string) => void>();
  #isAsked = false;
  #hasEnded = false;

  constructor({ name, script, args, environment, logFile, onLine }: RealProcessOptions) {
    this.name = name;
    this.#log = createWriteStream(logFile, { flags: 'a' });
    // the kernel kills it with us: setpriv(1), prctl(2) PR_SET_PDEATHSIG
    this.#child = spawn('setpriv', ['--pdeathsig', 'KILL', process.execPath, script, ...args], {
      env: { ...foreignEnvironment(), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (onLine) this.#listeners.add(onLine);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.#take(line));
    }
    this.ended = new Promise((resolve) => {
      this.#child.once('error', (error) => this.#take(error.message));
      this.#child.once('close', (code, signal) => {
        this.#hasEnded = true;
        this.#log.end(() => resolve({ code, signal, isUnasked: !this.#isAsked }));
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get isRunning(): boolean {
    return !this.#hasEnded;
  }

  /** The first line from now on for which `read` has an answer; null when the process ends before. */
  waitForLine<T>(read: (line: string) => T | null): Promise<T | null> {
    return new Promise((resolve) => {
      const listener = (line: string) => {
        const value = read(line);
        if (value === null) return;
        this.#listeners.delete(listener);
        resolve(value);
      };
      this.#listeners.add(listener);
      void this.ended.then(() => resolve(null));
    });
  }

  /** kill -9, waited for. */
  async kill(): Promise<void> {
    this.#isAsked = true;
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  /** SIGTERM as a service manager sends it; kill -9 when that is not heard. */
  async terminate(): Promise<Ending> {
    this.#isAsked = true;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => {
      this.#take(`did not end within ${STOP_MS / 1_000} s of SIGTERM`);
      this.#child.kill('SIGKILL');
    }, STOP_MS);
    const ending = await this.ended;
    clearTimeout(timer);
    return ending;
  }

  /** kill -STOP of it and all it has started. */
  pause(): void {
    this.#signalTree('SIGSTOP');
  }

  /** kill -CONT. */
  resume(): void {
    this.#signalTree('SIGCONT');
  }

  #signalTree(signal: NodeJS.Signals): void {
    if (this.#hasEnded) return;
    for (const pid of processTree(this.pid)) {
      try {
        process.kill(pid, signal);
      } catch {
        // ended in the meantime
      }
    }
  }

  #take(line: string): void {
    this.#log.write(`${line}\n`);
    for (const listener of this.#listeners) listener(line);
  }
}

/** Settings of the person's own installation stay out. */
function foreignEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VANTAGE|TAP)_/.test(name)));
}
