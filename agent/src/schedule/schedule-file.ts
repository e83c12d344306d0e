import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@vantage/shared/clock.js';
import type { Logger } from 'pino';
import type { KeptLease } from './lease.js';
import { type KeepingThread, ScheduleFileError, ScheduleThread, type StartKeepingThread } from './schedule-thread.js';
import { emptySchedule, type ScheduleBatch, type StoredRow, type StoredSchedule } from './stored-schedule.js';

const FILE_NAME = 'schedule.db';
const SAVE_MS = 1000;
/** After a save that failed; growing while that lasts. */
const RETRY_MS = { first: 5000, most: 60_000 };
/** A disk that does not answer holds up the end of the agent for so long. */
const CLOSE_TIMEOUT_MS = 5000;

/** Where the file is, and what owns it; a file of the state directory and a thread of this process by default. */
export interface SchedulePlace {
  /** Whether a process before left one. */
  exists(): boolean;
  readonly startThread: StartKeepingThread;
}

/** What is to be kept of a monitor now; null: it is no longer watched. */
type ReadRow = (monitorId: string) => StoredRow | null;

//   change --1 s--> saving --saved--> rest           a failure ends the thread: the next save begins another one, which
//                     '----failed--> 5 s .. 60 s       writes everything

/**
 * What the next process needs to go on, in `schedule.db`: written by a thread of its own, at most once a second, only what
 * changed. Nothing that happens to the file stops the schedule. There is no thread before there is something to keep.
 */
export class ScheduleFile {
  readonly #path: string;
  readonly #place: SchedulePlace;
  readonly #clock: Clock;
  readonly #log: Logger;
  #thread: KeepingThread | null = null;
  #readRow: ReadRow = () => null;
  /** Every monitor that the file should have, or may have: for a save of everything. */
  readonly #kept = new Set<string>();
  readonly #added = new Set<string>();
  readonly #moved = new Set<string>();
  #lease: KeptLease | null = null;
  #newestLease: KeptLease | null = null;
  #needsEverything = false;
  #isSuspect = false;
  #problem: string | null = null;
  #retryMs = RETRY_MS.first;
  #cancelTimer: (() => void) | null = null;
  #saving: Promise<void> | null = null;
  #isClosed = false;

  constructor(options: {
    readonly stateDir: string;
    readonly place?: SchedulePlace;
    readonly clock: Clock;
    readonly log: Logger;
  }) {
    this.#path = join(options.stateDir, FILE_NAME);
    this.#place = options.place ?? { exists: () => existsSync(this.#path), startThread: ScheduleThread.start };
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /** What the process before left; nothing where that cannot be read. To be called once, before anything else. */
  async load(): Promise<StoredSchedule> {
    if (!this.#place.exists()) return emptySchedule;
    try {
      const stored = await this.#openThread();
      for (const { monitorId } of stored.rows) this.#kept.add(monitorId);
      this.#newestLease = stored.lease;
      return stored;
    } catch (error) {
      this.#failed(error);
      return emptySchedule;
    }
  }

  /** From here on what is kept is asked of `readRow`, when it is written. */
  begin(readRow: ReadRow): void {
    this.#readRow = readRow;
  }

  /** A monitor is watched anew, under another assignment, or no longer. */
  assignmentChanged(monitorId: string): void {
    this.#kept.add(monitorId);
    this.#added.add(monitorId);
    this.#saveIn(SAVE_MS);
  }

  /** Its progress or state is another one. */
  progressChanged(monitorId: string): void {
    this.#moved.add(monitorId);
    this.#saveIn(SAVE_MS);
  }

  keepLease(lease: KeptLease): void {
    this.#lease = lease;
    this.#newestLease = lease;
    // nothing is made for its sake alone
    if (this.#thread !== null || this.#kept.size > 0) this.#saveIn(SAVE_MS);
  }

  /** Writes what there is and ends the thread. May be called twice. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const hasWork = this.#cancelTimer !== null;
    this.#cancelTimer?.();
    await this.#inTime(this.#finish(hasWork));
  }

  async #finish(hasWork: boolean): Promise<void> {
    await this.#saving;
    if (hasWork) await this.#save();
    await this.#thread?.close();
  }

  async #inTime(work: Promise<void>): Promise<void> {
    let cancel = () => {};
    const timeout = new Promise<'late'>((resolve) => {
      cancel = this.#clock.after(CLOSE_TIMEOUT_MS, () => resolve('late'));
    });
    if ((await Promise.race([work, timeout])) === 'late') await this.#thread?.terminate();
    cancel();
  }

  #saveIn(ms: number): void {
    if (this.#isClosed) return;
    this.#cancelTimer ??= this.#clock.after(ms, () => this.#saveNow(), { unref: true });
  }

  #saveNow(): void {
    this.#cancelTimer = null;
    // the disk is slow: what comes meanwhile is the next save's
    if (this.#saving !== null) return this.#saveIn(SAVE_MS);
    this.#saving = this.#save().finally(() => {
      this.#saving = null;
    });
  }

  async #save(): Promise<void> {
    try {
      if (this.#thread === null) {
        await this.#openThread();
        this.#needsEverything = true;
      }
      const batch = this.#takeBatch();
      await this.#thread?.save(batch);
      if (this.#problem !== null) this.#log.info('the schedule is kept again');
      this.#problem = null;
      this.#retryMs = RETRY_MS.first;
    } catch (error) {
      this.#failed(error);
    }
  }

  async #openThread(): Promise<StoredSchedule> {
    const { thread, opened } = await this.#place.startThread({
      path: this.#path,
      isSuspect: this.#isSuspect,
    });
    this.#thread = thread;
    this.#isSuspect = false;
    if (opened.setAside !== null)
      this.#log.warn({ setAside: opened.setAside }, 'the kept schedule was damaged: it begins anew');
    return opened.stored;
  }

  #takeBatch(): ScheduleBatch {
    const isEverything = this.#needsEverything;
    const added = [...(isEverything ? this.#kept : this.#added)];
    const moved = isEverything ? [] : [...this.#moved].filter((monitorId) => !this.#added.has(monitorId));
    const lease = isEverything ? this.#newestLease : this.#lease;
    this.#needsEverything = false;
    this.#added.clear();
    this.#moved.clear();
    this.#lease = null;
    const rowsOf = (ids: readonly string[]) => ids.flatMap((monitorId) => this.#readRow(monitorId) ?? []);
    const dropped = added.filter((monitorId) => this.#readRow(monitorId) === null);
    for (const monitorId of dropped) this.#kept.delete(monitorId);
    const progress = rowsOf(moved).map(({ monitorId, done, running, stateJson }) => ({
      monitorId,
      done,
      running,
      stateJson,
    }));
    return { isEverything, rows: rowsOf(added), progress, dropped, lease };
  }

  #failed(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (this.#problem === null)
      this.#log.error({ problem: message }, 'the schedule cannot be kept: after a restart it begins empty');
    this.#problem = message;
    this.#isSuspect = error instanceof ScheduleFileError && error.isCorruption;
    void this.#thread?.terminate();
    this.#thread = null;
    this.#needsEverything = true;
    this.#saveIn(this.#retryMs);
    this.#retryMs = Math.min(RETRY_MS.most, 2 * this.#retryMs);
  }
}
