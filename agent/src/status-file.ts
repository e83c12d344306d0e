import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@vantage/shared/clock.js';
import type { AgentStatus } from './agent-status.js';

/** How often the file is written without a change. */
const INTERVAL_MS = 5000;

/** Where the status of the agent with this state directory stands. */
export function statusPath(stateDir: string): string {
  return join(stateDir, 'status.json');
}

/** What the agent of this state directory last said; null when it said nothing that can be read. */
export async function readStatus(stateDir: string): Promise<AgentStatus | null> {
  try {
    // the file is written by StatusFile alone, whole or not at all
    return JSON.parse(await readFile(statusPath(stateDir), 'utf8')) as AgentStatus;
  } catch {
    return null;
  }
}

/** Keeps status.json up to date while the agent runs, by replacing it, so that a reader sees a whole one. */
export class StatusFile {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #read: () => AgentStatus;
  #writing: Promise<void> = Promise.resolve();
  #isQueued = false;
  #isStopped = false;
  #cancelTimer: () => void = () => undefined;

  constructor(options: { readonly stateDir: string; readonly clock: Clock; readonly read: () => AgentStatus }) {
    this.#path = statusPath(options.stateDir);
    this.#clock = options.clock;
    this.#read = options.read;
  }

  start(): void {
    this.changed();
    this.#cancelTimer = this.#clock.after(INTERVAL_MS, () => this.start(), { unref: true });
  }

  /** Writes the file soon; what changes before that is in it. */
  changed(): void {
    if (this.#isQueued || this.#isStopped) return;
    this.#isQueued = true;
    this.#writing = this.#writing.then(() => this.#write());
  }

  /** Removes the file: the agent no longer runs. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    await this.#writing;
    await rm(this.#path, { force: true });
  }

  /** A full disk must not stop the agent: the file is a convenience. */
  async #write(): Promise<void> {
    this.#isQueued = false;
    try {
      await writeFile(`${this.#path}.new`, `${JSON.stringify(this.#read(), null, 2)}\n`, { mode: 0o600 });
      await rename(`${this.#path}.new`, this.#path);
    } catch {
      // an old or absent file is told apart by its process id and time
    }
  }
}
