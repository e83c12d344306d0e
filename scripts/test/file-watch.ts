import type { ChildProcess } from 'node:child_process';
import { endGroup } from './process-group.js';

/** Limits of one file's run. */
export interface FileLimits {
  /**
   * Time after which tap ends the file with a report of what it waited for; `graceMs` later its processes are killed.
   */
  readonly timeoutSeconds: number;
  /** Default: ten seconds. */
  readonly graceMs?: number;
  /** Ends the file and all its processes. */
  readonly signal: AbortSignal;
}

const defaultGraceMs = 10_000;
const stderrLimit = 200_000;

/** Ends the process group of `child` when its file outlives its limits. Must be closed. */
export class FileWatch {
  /** Reason for which the group was ended; null while it was not. */
  complaint: string | null = null;
  readonly #child: ChildProcess;
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort = () => this.#end('interrupted');

  constructor(child: ChildProcess, { timeoutSeconds, graceMs = defaultGraceMs, signal }: FileLimits) {
    this.#child = child;
    this.#signal = signal;
    this.#timer = setTimeout(
      () => this.#end(`still running after ${timeoutSeconds} s`),
      timeoutSeconds * 1000 + graceMs,
    );
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#onAbort);
  }

  #end(reason: string): void {
    this.complaint = reason;
    if (this.#child.pid !== undefined) void endGroup(this.#child.pid);
  }
}

/** The end of what a process writes to standard error. */
export class StderrTail {
  text = '';

  constructor(child: ChildProcess) {
    child.stderr?.on('data', (chunk: Buffer) => {
      this.text = (this.text + chunk.toString()).slice(-stderrLimit);
    });
  }
}

/** The complaint about the way in which a process ended; null when it exited with 0. */
export function exitComplaint(code: number | null, signal: string | null): string | null {
  if (signal !== null) return `killed by ${signal}`;
  return code === 0 ? null : `exited with code ${code}`;
}
