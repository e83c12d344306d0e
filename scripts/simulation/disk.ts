import { type CallName, ThreadError } from '@vantage/shared/thread.js';
import Database from 'better-sqlite3';
import type { SchedulePlace } from 'vantage-agent/schedule/schedule-file.js';
import type { StartScheduleThread } from 'vantage-agent/schedule/schedule-thread.js';
import { emptySchedule, type ScheduleBatch, type StoredSchedule } from 'vantage-agent/schedule/stored-schedule.js';
import {
  createSpool,
  type OpenDatabase,
  type OpenOptions,
  sqliteCode,
  useDatabase,
} from 'vantage-agent/spool/database.js';
import type { LastCommit } from 'vantage-agent/spool/last-commit.js';
import { SpoolFile, type SpoolPlace } from 'vantage-agent/spool/spool-file.js';
import type {
  CommitRequest,
  FileThread,
  ReadRequest,
  SpoolMessages,
  StartFileThread,
} from 'vantage-agent/spool/spool-thread.js';
import type { SeededRandom } from '../seeded-random.js';
import type { SimulatedProcess } from './process.js';

/** Spool and schedule in a copy of a state directory. */
export interface DiskCopy {
  readonly bytes: Buffer;
  readonly note: LastCommit | null;
  readonly schedule: StoredSchedule;
}

//   call ──half the latency──> done on the disk ──the other half──> answered
// A process killed in between has done it without learning of it.

/** The disk of one machine: SQLite in memory, which outlives processes as a file does. */
export class SimulatedDisk {
  /** Time from a request to its reply, in milliseconds. */
  latencyMs = 0.5;
  /** SQLite's code for whatever is asked; null if it works. */
  problem: string | null = null;
  /** The same of where the schedule is kept: a spool may have a file system of its own. */
  scheduleProblem: string | null = null;
  #onFoundCorrupt: (() => void) | null = null;
  readonly random: SeededRandom;
  #database = new Database(':memory:');
  #note: LastCommit | null = null;
  #schedule: StoredSchedule = emptySchedule;

  constructor(random: SeededRandom) {
    this.random = random;
  }

  heal(): void {
    this.latencyMs = 0.5;
    this.problem = null;
    this.scheduleProblem = null;
    this.#onFoundCorrupt = null;
  }

  /** The next request finds the file corrupt, and calls back. */
  corrupt(onFound: () => void): void {
    this.#onFoundCorrupt = onFound;
  }

  findsCorrupt(): boolean {
    const onFound = this.#onFoundCorrupt;
    this.#onFoundCorrupt = null;
    onFound?.();
    return onFound !== null;
  }

  copy(): DiskCopy {
    return { bytes: this.#database.serialize(), note: this.#note, schedule: this.#schedule };
  }

  restore({ bytes, note }: DiskCopy): void {
    this.#database = new Database(bytes);
    this.#note = note;
  }

  restoreSchedule({ schedule }: DiskCopy): void {
    this.#schedule = schedule;
  }

  /** Storage for a process's schedule; `onKept` is called with the contents of the disk. */
  schedulePlace(process: SimulatedProcess, onKept: (stored: StoredSchedule) => void): SchedulePlace {
    const startThread: StartScheduleThread = async () => {
      // a disk that refuses writes can be read, like a real one
      await new Promise<void>((resolve) => process.after(this.latencyMs, resolve));
      return {
        thread: {
          call: (_save, batch) =>
            this.#done(process, () => {
              this.#schedule = saved(this.#schedule, batch);
              onKept(this.#schedule);
            }),
          close: async () => undefined,
          terminate: async () => undefined,
        },
        opened: { stored: this.#schedule, setAside: null },
      };
    };
    return { exists: () => this.#schedule !== emptySchedule, startThread };
  }

  /** Done on the disk, then answered. */
  #done(process: SimulatedProcess, act: () => void = () => undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const takesMs = this.latencyMs * this.random.between(0.5, 1.5);
      process.after(takesMs / 2, () => {
        const { scheduleProblem: problem } = this;
        if (problem === null) act();
        const answer = () => (problem === null ? resolve() : reject(new ThreadError('FAILED', problem)));
        process.after(takesMs / 2, answer);
      });
    });
  }

  /** The thread of a process's spool. */
  threadFor(process: SimulatedProcess): StartFileThread {
    return (options) =>
      new Promise((resolve) => {
        process.after(this.latencyMs, () => {
          const file = new SpoolFile(options, this.#place());
          const opened = { head: file.head, snapshot: file.snapshot(), setAside: null, damage: file.damage };
          resolve({ thread: new SimulatedThread(process, file, this), opened });
        });
      });
  }

  #place(): SpoolPlace {
    return {
      ballast: { takeOn: () => true, release: () => undefined },
      note: {
        read: () => this.#note,
        write: ({ file, commits, epoch, lanes }: LastCommit) => {
          this.#note = { file, commits, epoch, lanes };
        },
        close: () => undefined,
      },
      open: (options) => this.#open(options),
    };
  }

  #open({ wallMs, suspect, note }: OpenOptions): OpenDatabase {
    const found =
      suspect === null ? useDatabase(this.#database, { path: 'spool.db', wallMs, note }) : { lost: suspect };
    if ('database' in found) return found;
    this.#database = new Database(':memory:');
    return createSpool(this.#database, wallMs, found.lost);
  }
}

/** Model of the SQL of ScheduleDatabase. */
function saved(
  before: StoredSchedule,
  { isEverything, rows, progress, dropped, lease }: ScheduleBatch,
): StoredSchedule {
  const byMonitor = new Map(isEverything ? [] : before.rows.map((row) => [row.monitorId, row]));
  for (const monitorId of dropped) byMonitor.delete(monitorId);
  for (const row of rows) byMonitor.set(row.monitorId, row);
  for (const change of progress) {
    const row = byMonitor.get(change.monitorId);
    if (row !== undefined) byMonitor.set(change.monitorId, { ...row, ...change });
  }
  return { rows: [...byMonitor.values()], lease: lease ?? before.lease };
}

type SpoolCall = CallName<SpoolMessages>;

class SimulatedThread implements FileThread {
  readonly #process: SimulatedProcess;
  readonly #file: SpoolFile;
  readonly #disk: SimulatedDisk;
  #isEnded = false;
  /** Requests are answered in order. */
  #busyUntilMs = 0;

  constructor(process: SimulatedProcess, file: SpoolFile, disk: SimulatedDisk) {
    this.#process = process;
    this.#file = file;
    this.#disk = disk;
  }

  call<N extends SpoolCall>(call: N, request: SpoolMessages[N]['request']): Promise<SpoolMessages[N]['reply']> {
    return new Promise((resolve, reject) => {
      const { nowMs } = this.#process.world;
      const takesMs = this.#disk.latencyMs * this.#disk.random.between(0.5, 1.5);
      this.#busyUntilMs = Math.max(nowMs, this.#busyUntilMs) + takesMs;
      this.#process.after(this.#busyUntilMs - nowMs - takesMs / 2, () => {
        const answer = this.#execute(call, request);
        this.#process.after(takesMs / 2, () => {
          if (answer instanceof ThreadError) reject(answer);
          else resolve(answer as SpoolMessages[N]['reply']);
        });
      });
    });
  }

  async close(): Promise<void> {
    this.#isEnded = true;
  }

  async terminate(): Promise<void> {
    this.#isEnded = true;
  }

  #execute(
    call: SpoolCall,
    request: SpoolMessages[SpoolCall]['request'],
  ): SpoolMessages[SpoolCall]['reply'] | ThreadError {
    const disk = this.#disk;
    if (this.#isEnded) return new ThreadError('', 'the spool thread has ended');
    if (disk.findsCorrupt()) {
      return new ThreadError('SQLITE_CORRUPT', 'database disk image is malformed');
    }
    if (disk.problem !== null) return new ThreadError(disk.problem, 'the disk takes nothing');
    try {
      if (call === 'commit') return this.#file.commit(request as CommitRequest);
      return this.#file.read(request as ReadRequest);
    } catch (error) {
      return new ThreadError(sqliteCode(error) || 'FAILED', String(error));
    }
  }
}
