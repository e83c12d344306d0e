import { type ChildProcess, spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { inspect } from 'node:util';
import { exitComplaint, type FileLimits, FileWatch, StderrTail } from './file-watch.js';
import { CpuMeter, leftOver } from './process-group.js';
import { type FileOutcome, TapReader } from './tap-reader.js';
import type { TestFile } from './test-files.js';

/** Options for running one file. */
export interface RunOptions extends FileLimits {
  /** Working directory of every test; the files' paths are relative to it. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
}

const drainMs = 500;

/**
 * Runs one compiled test file in a process of its own, with a process group of its own, and reads the TAP it writes. A
 * file fails, too, when it cannot be started, exits non-zero, dies, outlives its time, tests nothing, or leaves processes
 * running. Never rejects: whatever becomes of one file, the run goes on.
 */
export async function runTestFile(file: TestFile, options: RunOptions): Promise<FileOutcome> {
  const startedAt = performance.now();
  const reader = new TapReader();
  let meter: CpuMeter | null = null;
  let stderr: StderrTail | null = null;
  try {
    const child = startFile(file, options);
    // no streams when the process could not be created for lack of descriptors
    child.stdout?.on('data', (chunk: Buffer) => reader.write(chunk));
    stderr = new StderrTail(child);
    meter = new CpuMeter(child.pid);
    const ending = await waitForEnd(child, options);
    meter.stop();
    reader.end();
    for (const complaint of [ending, await leftOver(child.pid)]) if (complaint !== null) reader.fail(complaint);
  } catch (error) {
    reader.fail(cannotStart(error));
  }
  const durationMs = performance.now() - startedAt;
  return { file, durationMs, cpuMs: meter?.cpuMs ?? 0, stderr: stderr?.text ?? '', ...reader.outcome() };
}

/** @throws Error for what can be seen without trying: an environment that is too long, a path with a NUL */
function startFile(file: TestFile, { root, env, timeoutSeconds }: RunOptions): ChildProcess {
  return spawn(process.execPath, [file.compiled], {
    cwd: root,
    env: { ...env, TAP_TIMEOUT: String(timeoutSeconds) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
}

/** The outcome of a file for which no process could be made. */
export function neverRan(file: TestFile, error: unknown): FileOutcome {
  const reader = new TapReader();
  reader.fail(cannotStart(error));
  return { file, durationMs: 0, cpuMs: 0, stderr: '', ...reader.outcome() };
}

function cannotStart(error: unknown): string {
  return `cannot be started: ${error instanceof Error ? error.message : inspect(error)}`;
}

/** Waits for the process to exit. @returns what is wrong with how it did, null when it exited by itself, in time */
function waitForEnd(child: ChildProcess, limits: FileLimits): Promise<string | null> {
  return new Promise((resolve) => {
    const watch = new FileWatch(child, limits);
    const finish = (reason: string | null) => {
      watch.close();
      resolve(watch.complaint ?? reason);
    };
    child.on('error', (error) => finish(cannotStart(error)));
    child.on('close', (code, killer) => finish(exitComplaint(code, killer)));
    // A process left behind may hold the streams open: then they never close.
    child.on('exit', (code, killer) => setTimeout(() => finish(exitComplaint(code, killer)), drainMs).unref());
  });
}
