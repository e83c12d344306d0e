import { type ChildProcess, spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { endGroup, groupMembers } from './process-group.js';
import { type FileOutcome, TapReader } from './tap-reader.js';
import type { TestFile } from './test-files.js';

/** How to run one file. */
export interface RunOptions {
  /** Working directory of every test; the files' paths are relative to it. */
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** After so long tap ends the file with a report of what it waited for; `graceMs` later its processes are killed. */
  readonly timeoutSeconds: number;
  /** Default: ten seconds. */
  readonly graceMs?: number;
  /** Ends the file and all its processes. */
  readonly signal: AbortSignal;
}

const defaultGraceMs = 10_000;
const drainMs = 500;
const stderrLimit = 200_000;

/**
 * Runs one compiled test file in a process group of its own and reads the TAP it writes. A file fails, too, when it
 * exits non-zero, dies, outlives its time, tests nothing, or leaves processes running.
 */
export async function runTestFile(file: TestFile, options: RunOptions): Promise<FileOutcome> {
  const startedAt = performance.now();
  const reader = new TapReader();
  const child = spawn(process.execPath, [file.compiled], {
    cwd: options.root,
    env: { ...options.env, TAP_TIMEOUT: String(options.timeoutSeconds) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  child.stdout.on('data', (chunk: Buffer) => reader.write(chunk));
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-stderrLimit);
  });
  const ending = await waitForEnd(child, options);
  reader.end();
  for (const complaint of [ending, await leftOver(child.pid)]) if (complaint !== null) reader.fail(complaint);
  return { file, durationMs: performance.now() - startedAt, stderr, ...reader.outcome() };
}

/** Waits for the process to exit. @returns what is wrong with how it did, null when it exited by itself, in time */
function waitForEnd(
  child: ChildProcess,
  { timeoutSeconds, graceMs = defaultGraceMs, signal }: RunOptions,
): Promise<string | null> {
  return new Promise((resolve) => {
    let complaint: string | null = null;
    const kill = (reason: string) => {
      complaint = reason;
      if (child.pid !== undefined) void endGroup(child.pid);
    };
    const onAbort = () => kill('interrupted');
    const timer = setTimeout(() => kill(`still running after ${timeoutSeconds} s`), timeoutSeconds * 1000 + graceMs);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const finish = (reason: string | null) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(complaint ?? reason);
    };
    child.on('error', (error) => finish(error.message));
    child.on('close', (code, killer) => finish(exitComplaint(code, killer)));
    // A process left behind may hold the streams open: then they never close.
    child.on('exit', (code, killer) => setTimeout(() => finish(exitComplaint(code, killer)), drainMs).unref());
  });
}

function exitComplaint(code: number | null, signal: string | null): string | null {
  if (signal !== null) return `killed by ${signal}`;
  return code === 0 ? null : `exited with code ${code}`;
}

/** Ends what a test left running, for nothing may outlive its test. @returns what it was */
async function leftOver(group: number | undefined): Promise<string | null> {
  if (group === undefined) return null;
  const members = await groupMembers(group, { settleMs: 1000 });
  if (members.length === 0) return null;
  await endGroup(group);
  return `left processes running: ${members.map(({ pid, command }) => `${pid} ${command}`).join(', ')}`;
}
