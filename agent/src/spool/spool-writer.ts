import { afterInput, type Clock } from '@vantage/shared/clock.js';
import type { Lane } from '@vantage/shared/protocol/lanes.js';
import type { ThreadError } from '@vantage/shared/thread.js';
import type { Logger } from 'pino';
import type { DroppedRange } from './dropped-ranges.js';
import { isDamage, SpoolClosedError } from './errors.js';
import { type PendingRow, PendingRows } from './pending-rows.js';
import {
  type CommitRequest,
  type FileThread,
  needsNewThread,
  type OpenReply,
  type ReadReply,
  type ReadRequest,
  type SpoolSnapshot,
  type SpoolThreadOptions,
  type StartFileThread,
} from './spool-thread.js';

// Writes rows into the file. A commit has all rows of one turn of the event loop. One runs at a time, and rows that arrive
// meanwhile form the next; while a full one waits, the thread has two, and is never idle. The second fails with the first.
//
//   idle --save()--> committing --done, nothing new--> idle
//   idle --savedWithNext()--> idle, for 100 ms --> committing
//                    committing --refused (disk)-----> waiting 1 s, 2 s, … 30 s --> committing
//                    committing --thread dead, file corrupt--> a new thread, then committing again
//   close() ends any waiting; a commit that is refused after that was the last

/** Fields of a commit in addition to its rows. */
export type CommitContext = Pick<CommitRequest, 'epoch' | 'lanes' | 'time'>;

/** Positions of a lane that were dropped from memory. */
export type LostRange = DroppedRange & { readonly lane: Lane };

export interface SpoolWriterOptions {
  readonly thread: FileThread;
  readonly startThread: StartFileThread;
  readonly opened: OpenReply;
  /** Options for opening the file again; a suspect file is always moved aside. */
  readonly threadOptions: (isSuspect: boolean) => SpoolThreadOptions;
  readonly maxPendingBytes: number;
  readonly log: Logger;
  readonly clock: Clock;
  /** Epoch and marks at the moment a commit is put together. */
  readonly marks: () => CommitContext;
  /** Called when the file had to be replaced by an empty one, before anything is written to it. */
  readonly onReplaced: (opened: OpenReply) => void;
}

interface Waiter {
  resolve(): void;
  reject(error: Error): void;
}

/** A commit that the thread has been asked for. */
interface RunningCommit {
  readonly number: number;
  readonly epoch: string;
  readonly lost: readonly LostRange[];
  readonly waiters: readonly Waiter[];
  readonly reply: Promise<SpoolSnapshot>;
}

const MOST_RUNNING = 2;

/** Longest time for which an acknowledgement waits for rows to travel with, in milliseconds. */
export const NEXT_COMMIT_MS = 100;
const RETRY_FIRST_MS = 1_000;
const RETRY_MOST_MS = 30_000;

export class SpoolWriter {
  readonly pending: PendingRows;
  readonly #options: SpoolWriterOptions;
  readonly #waiters: Waiter[] = [];
  #thread: FileThread;
  #snapshot: SpoolSnapshot;
  #savedEpoch: string;
  #lost: LostRange[] = [];
  #running: RunningCommit[] = [];
  #commits = 0;
  #problem: string | null = null;
  #failures = 0;
  #isDirty = false;
  #isClosing = false;
  /** Waiters whose rows are in the file, and who have not been notified yet. */
  #done: Pick<Waiter, 'resolve'>[] = [];
  #committing: Promise<void> | null = null;
  #restarting: Promise<void> | null = null;
  #endPause: () => void = () => {};
  #cancelNext: (() => void) | null = null;

  constructor(options: SpoolWriterOptions) {
    this.#options = options;
    this.#thread = options.thread;
    this.#snapshot = options.opened.snapshot;
    this.#savedEpoch = options.opened.head.epoch;
    this.pending = new PendingRows(options.maxPendingBytes);
  }

  /** The file as of the last commit or read. */
  get snapshot(): SpoolSnapshot {
    return this.#snapshot;
  }

  /** Reason why the file takes nothing at present, or null. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Dropped from memory, and not yet recorded in the file. */
  get lost(): readonly LostRange[] {
    return [...this.#running.flatMap(({ lost }) => lost), ...this.#lost];
  }

  push(row: PendingRow): void {
    for (const { lane, position } of this.pending.push(row)) this.#noteLost(lane, position);
    this.save();
  }

  /** Starts a commit at the end of this turn of the event loop, or when the one that is running has ended. */
  save(): void {
    this.#isDirty = true;
    this.#committing ??= afterInput(this.#options.clock).then(() => this.#commitUntilClean());
  }

  /** Resolves when everything as it stands now is in the file. @throws SpoolClosedError */
  saved(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosing) return reject(new SpoolClosedError());
      this.#waiters.push({ resolve, reject });
      this.save();
    });
  }

  /** As `saved`, but leaves it to the next commit, and starts none of its own within 100 ms. @throws SpoolClosedError */
  savedWithNext(): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosing) return reject(new SpoolClosedError());
      this.#waiters.push({ resolve, reject });
      this.#cancelNext ??= this.#options.clock.after(NEXT_COMMIT_MS, () => this.save());
    });
  }

  /** Reads rows; null when the file was replaced meanwhile. @throws ThreadError when the disk cannot be read */
  async read(request: ReadRequest): Promise<ReadReply | null> {
    const thread = this.#thread;
    try {
      return await this.#readFrom(thread, request);
    } catch (error) {
      if (!needsNewThread(error) || this.#isClosing) throw error;
      const epoch = this.#savedEpoch;
      await this.#restart(thread, error);
      return this.#savedEpoch === epoch ? await this.#readFrom(this.#thread, request) : null;
    }
  }

  /** Commits what there is, and ends the thread. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#endPause();
    if (this.pending.count > 0 || this.#waiters.length > 0) this.save();
    await this.#committing;
    const lostRows = this.pending.rejectAll();
    if (lostRows > 0) this.#options.log.error({ lostRows, problem: this.#problem }, 'spool closed with unwritten rows');
    for (const waiter of this.#waiters.splice(0)) waiter.reject(new SpoolClosedError());
    await this.#thread.close();
  }

  async #readFrom(thread: FileThread, request: ReadRequest): Promise<ReadReply> {
    const reply = await thread.call('read', request);
    this.#snapshot = reply.snapshot;
    return reply;
  }

  async #commitUntilClean(): Promise<void> {
    while (this.#isDirty || this.#running.length > 0) {
      const thread = this.#thread;
      const isLastTry = this.#isClosing;
      try {
        await this.#commitGroups(thread);
      } catch (error) {
        await this.#takeBack();
        await this.#recover(thread, error);
        if (isLastTry) break;
      }
    }
    this.#reportDone();
    this.#committing = null;
  }

  /** Requests the commits that are due, and waits until the oldest of them is in the file. */
  async #commitGroups(thread: FileThread): Promise<void> {
    if (this.#running.length === 0) this.#ask(thread);
    while (this.#running.length < MOST_RUNNING && this.pending.hasFullGroup) this.#ask(thread);
    // the thread gets its next commit before the callers of the last one are notified
    this.#reportDone();
    const [oldest] = this.#running;
    if (oldest === undefined) return;
    this.#snapshot = await oldest.reply;
    this.#running.shift();
    this.#savedEpoch = oldest.epoch;
    this.#done = [...this.pending.finishGroup().map(({ committed }) => committed), ...oldest.waiters];
    this.#noteSuccess();
    if (this.pending.uncommitted > 0) this.#isDirty = true;
  }

  #ask(thread: FileThread): void {
    this.#isDirty = false;
    this.#cancelNext?.();
    this.#cancelNext = null;
    this.#commits += 1;
    const [number, after] = [this.#commits, this.#running.at(-1)?.number ?? null];
    const rows = this.pending.takeGroup();
    const waiters = this.#waiters.splice(0);
    const lost = this.#lost.splice(0);
    const marks = this.#options.marks();
    const reply = thread.call('commit', { ...marks, number, after, rows, lost }, [rows.payloads.buffer]);
    reply.catch(() => {});
    this.#running.push({ number, epoch: marks.epoch, lost, waiters, reply });
  }

  /** Takes all requested commits back after one of them failed, so that they are requested again. */
  async #takeBack(): Promise<void> {
    await Promise.allSettled(this.#running.map(({ reply }) => reply));
    const running = this.#running.splice(0);
    this.pending.returnGroups();
    this.#waiters.unshift(...running.flatMap(({ waiters }) => waiters));
    this.#lost.unshift(...running.flatMap(({ lost }) => lost));
  }

  #reportDone(): void {
    for (const { resolve } of this.#done.splice(0)) resolve();
  }

  #noteSuccess(): void {
    if (this.#problem !== null) this.#options.log.info({ problem: this.#problem }, 'spool can write again');
    this.#problem = null;
    this.#failures = 0;
  }

  /** Prepares the next try after a refused commit. */
  async #recover(thread: FileThread, error: unknown): Promise<void> {
    this.#isDirty = true;
    this.#failures += 1;
    this.#noteProblem(error);
    if (needsNewThread(error)) {
      try {
        await this.#restart(thread, error);
        if (this.#failures === 1) return;
      } catch (restartError) {
        this.#noteProblem(restartError);
      }
    }
    await this.#pause(Math.min(RETRY_MOST_MS, RETRY_FIRST_MS * 2 ** (this.#failures - 1)));
  }

  #noteProblem(error: unknown): void {
    const problem = error instanceof Error ? error.message : String(error);
    if (problem !== this.#problem) this.#options.log.error({ problem }, 'spool cannot write');
    this.#problem = problem;
  }

  #pause(ms: number): Promise<void> {
    if (this.#isClosing) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ms, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }

  /** A new thread in place of `failed`; shared by all who noticed. @throws SpoolOpenError */
  #restart(failed: FileThread, reason: ThreadError): Promise<void> {
    if (failed !== this.#thread) return Promise.resolve();
    this.#restarting ??= this.#replaceThread(reason).finally(() => {
      this.#restarting = null;
    });
    return this.#restarting;
  }

  async #replaceThread(reason: ThreadError): Promise<void> {
    this.#options.log.error({ reason: reason.message, code: reason.code }, 'spool thread failed, replacing it');
    await this.#thread.terminate();
    const { thread, opened } = await this.#options.startThread(this.#options.threadOptions(isDamage(reason.code)));
    this.#thread = thread;
    this.#snapshot = opened.snapshot;
    const isSameFile = opened.head.epoch === this.#savedEpoch || opened.head.epoch === this.#options.marks().epoch;
    if (isSameFile) return;
    this.#savedEpoch = opened.head.epoch;
    this.#lost = [];
    this.#options.onReplaced(opened);
  }

  #noteLost(lane: Lane, position: number): void {
    const previous = this.#lost.at(-1);
    if (previous?.lane === lane && previous.last === position - 1) {
      this.#lost[this.#lost.length - 1] = { ...previous, last: position };
      return;
    }
    this.#lost.push({ lane, first: position, last: position, reason: 'spool_full' });
  }
}
