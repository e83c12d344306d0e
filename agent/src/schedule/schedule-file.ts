import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@vantage/shared/clock.js';
import { type OpenThread, ThreadError } from '@vantage/shared/thread.js';
import type { Logger } from 'pino';
import { isDamage } from '../spool/errors.js';
import type { KeptLease } from './lease.js';
import { type ScheduleMessages, type StartScheduleThread, startScheduleThread } from './schedule-thread.js';
import { emptySchedule, type ScheduleBatch, type StoredRow, type StoredSchedule } from './stored-schedule.js';

const FILE_NAME = 'schedule.db';
const SAVE_MS = 1000;
/** Delays after a failed save; they grow while saves fail. */
const RETRY_MS = { first: 5000, most: 60_000 };
/** Greatest delay of the agent's end by a disk that does not respond, in milliseconds. */
const CLOSE_TIMEOUT_MS = 5000;

/** Path of the file, and its owner; a file of the state directory and a thread of this process by default. */
export interface SchedulePlace {
  /** True if a previous process left a file. */
  exists(): boolean;
  readonly startThread: StartScheduleThread;
}

/** Returns the row to be kept for a monitor now; null if it is no longer watched. */
type ReadRow = (monitorId: string) => StoredRow | null;

//   change --1 s--> saving --saved--> rest           a failure ends the thread: the next save begins another one, which
//                     '----failed--> 5 s .. 60 s       writes everything

/**
 * State that the next process needs to continue, in `schedule.db`: written by a thread of its own, at most once a
 * second, changes only. Nothing that happens to the file stops the schedule. The thread starts once there is
 * something to keep.
 */
export class ScheduleFile {
  readonly #path: string;
  readonly #place: SchedulePlace;
  readonly #clock: Clock;
  readonly #log: Logger;
  #thread: OpenThread<ScheduleMessages> | null = null;
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
    this.#place = options.place ?? { exists: () => existsSync(this.#path), startThread: startScheduleThread };
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /**
   * Loads the schedule that the previous process left; empty where it cannot be read. To be called once, before
   * anything else.
   */
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

  /** Starts saving: from now on rows are requested from `readRow` when they are written. */
  begin(readRow: ReadRow): void {
    this.#readRow = readRow;
  }

  /** A monitor was assigned, assigned again, or is no longer assigned. */
  assignmentChanged(monitorId: string): void {
    this.#kept.add(monitorId);
    this.#added.add(monitorId);
    this.#saveIn(SAVE_MS);
  }

  /** Records that the progress or state of a monitor changed. */
  progressChanged(monitorId: string): void {
    this.#moved.add(monitorId);
    this.#saveIn(SAVE_MS);
  }

  keepLease(lease: KeptLease): void {
    this.#lease = lease;
    this.#newestLease = lease;
    // progress alone does not create the file
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
    // the disk is slow: changes in the meantime are part of the next save
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
      await this.#thread?.call('save', batch);
      if (this.#problem !== null) this.#log.info('schedule can be stored again');
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
      this.#log.warn({ setAside: opened.setAside }, 'stored schedule was damaged, starting with an empty one');
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
    const progress = rowsOf(moved).map(({ monitorId, firstMs, done, running, stateJson }) => ({
      monitorId,
      firstMs,
      done,
      running,
      stateJson,
    }));
    return { isEverything, rows: rowsOf(added), progress, dropped, lease };
  }

  #failed(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (this.#problem === null)
      this.#log.error({ problem: message }, 'cannot store the schedule, retrying: after a restart it is empty');
    this.#problem = message;
    this.#isSuspect = error instanceof ThreadError && isDamage(error.code);
    void this.#thread?.terminate();
    this.#thread = null;
    this.#needsEverything = true;
    this.#saveIn(this.#retryMs);
    this.#retryMs = Math.min(RETRY_MS.most, 2 * this.#retryMs);
  }
}
