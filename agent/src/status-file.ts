import { readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@vantage/shared/clock.js';
import type { AgentStatus, ReadAgentStatus } from './agent-status.js';

/** Interval at which the file is written without a change. */
const INTERVAL_MS = 5000;
const BLOCK_BYTES = 4096;

/** Path of the status file of the agent with this state directory. */
export function statusPath(stateDir: string): string {
  return join(stateDir, 'status.json');
}

/** Newest status that the agent of this state directory wrote; null without a readable one. */
export async function readStatus(stateDir: string): Promise<ReadAgentStatus | null> {
  const status = await parseStatus(stateDir);
  if (status !== 'torn') return status;
  // on a full disk it is written in place: a partial file is soon complete
  const again = await parseStatus(stateDir);
  return again === 'torn' ? null : again;
}

async function parseStatus(stateDir: string): Promise<ReadAgentStatus | null | 'torn'> {
  const text = await readFile(statusPath(stateDir), 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    // only StatusFile writes the file, in some version
    return JSON.parse(text) as ReadAgentStatus;
  } catch {
    return 'torn';
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

  /** A full disk must not stop the agent, nor keep it from saying so. */
  async #write(): Promise<void> {
    this.#isQueued = false;
    const text = `${JSON.stringify(this.#read(), null, 2)}\n`;
    // in whole blocks, so that the next status fits into the same place
    const content = text.padEnd(Math.ceil(text.length / BLOCK_BYTES) * BLOCK_BYTES);
    try {
      await writeFile(`${this.#path}.new`, content, { mode: 0o600 });
      await rename(`${this.#path}.new`, this.#path);
    } catch {
      await this.#writeInPlace(content);
    }
  }

  async #writeInPlace(content: string): Promise<void> {
    try {
      await rm(`${this.#path}.new`, { force: true });
      await writeFile(this.#path, content, { flag: 'r+' });
      await truncate(this.#path, Buffer.byteLength(content));
    } catch {
      // the time of the file and the holder of the directory show if it is out of date
    }
  }
}
