import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { BenchError } from '../bench-error.js';

const WRITTEN_WITHIN_MS = 20_000;
const LOOK_MS = 50;

// read before the benchmark changes it to a directory that it removes
const KEPT = tmpdir();

/** Takes CPU profiles of programs that were started with its environment. */
export class Profiler {
  /** Environment of programs that can be profiled. */
  readonly environment: Readonly<Record<string, string>>;

  private constructor(readonly directory: string) {
    const preload = new URL('./profile-preload.js', import.meta.url).href;
    this.environment = { NODE_OPTIONS: `--import=${preload}`, BENCH_PROFILES: directory };
  }

  /** Creates the directory, by default a temporary one; profiles are left there. */
  static create(directory = mkdtempSync(join(KEPT, 'vantage-profiles-'))): Profiler {
    mkdirSync(directory, { recursive: true });
    return new Profiler(directory);
  }

  /** Starts a profile of each process; the function that is returned ends them, and resolves when all are written. */
  start(measured: string, pids: readonly number[]): () => Promise<void> {
    const current = join(this.directory, 'current');
    writeFileSync(current, measured);
    signalAll(pids);
    return async () => {
      signalAll(pids);
      const deadline = performance.now() + WRITTEN_WITHIN_MS;
      while (!pids.every((pid) => this.#isWritten(measured, pid))) {
        if (performance.now() > deadline) throw new BenchError(`not all profiles of ${measured} were written`);
        await pause(LOOK_MS);
      }
      rmSync(current);
    };
  }

  #isWritten(measured: string, pid: number): boolean {
    return readdirSync(this.directory).some(
      (name) => name.startsWith(`${measured}-`) && name.endsWith(`-${pid}.cpuprofile`),
    );
  }
}

function signalAll(pids: readonly number[]): void {
  for (const pid of pids) process.kill(pid, 'SIGUSR2');
}
