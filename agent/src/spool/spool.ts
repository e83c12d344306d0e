import { randomBytes } from 'node:crypto';
import type { Clock } from '@vantage/shared/clock.js';
import { type Lane, lanes } from '@vantage/shared/protocol/lanes.js';
import { EPOCH_BYTES } from '@vantage/shared/protocol/limits.js';
import type { Logger } from 'pino';
import {
  addDropped,
  addDroppedRange,
  type DropCounts,
  type DroppedRange,
  droppedAbove,
  droppedCount,
  shiftRange,
  totalDropped,
} from './dropped-ranges.js';
import { MarkAheadError, SpoolClosedError } from './errors.js';
import { type LostRows, mapLanes } from './head.js';
import { inspectSpool, type SpoolInspection } from './inspect.js';
import {
  type FileThread,
  type OpenReply,
  type ReadRequest,
  type SpoolThreadOptions,
  type StartFileThread,
  startSpoolThread,
  unpackPayloads,
} from './spool-thread.js';
import { SpoolTime } from './spool-time.js';
import { type CommitContext, SpoolWriter } from './spool-writer.js';

// Results not yet acknowledged, in order. This object assigns numbers and keeps the rows that the file does not have
// yet; a separate thread (spool-worker.ts) owns the file.
//
//   append -> [ pending rows ] -> commit -> [ file: waiting ] -> acknowledge -> [ file: replay window ] -> deleted
//             memory, readable     <= 100 rows, two at most                      15 minutes
//
// For every lane, each number in acked+1 .. last is either a readable row or part of a dropped range.

export interface SpoolLaneState {
  /** Highest number assigned in this epoch, 0 before the first. */
  readonly last: number;
  /** Highest number known to be durable on the control plane. */
  readonly acked: number;
}

export interface SpoolRow {
  readonly sequence: number;
  /** An encoded result. */
  readonly payload: Uint8Array;
}

/** Rows that wait in one lane. */
export interface LaneStats {
  readonly rows: number;
  /** Payload bytes of these rows. */
  readonly bytes: number;
  /** Time at which the oldest of them was appended: wall clock, milliseconds since the epoch. */
  readonly oldestAt: number | null;
}

export interface SpoolStats {
  /** Rows not acknowledged, those whose commit is still running included. */
  readonly rows: number;
  /** Payload bytes of these rows. */
  readonly bytes: number;
  /** Time at which the oldest of them was appended: wall clock, milliseconds since the epoch. */
  readonly oldestAt: number | null;
  /** Rows dropped since the file was made. */
  readonly dropped: number;
  /** The same by reason. */
  readonly droppedFor: DropCounts;
  readonly lanes: Readonly<Record<Lane, LaneStats>>;
  /** Payload bytes in the file and in memory, the replay window included. */
  readonly heldBytes: number;
  /** Bounds: bytes held, and how long a row may wait. */
  readonly maxBytes: number;
  readonly maxAgeMs: number;
  /** Reason why the file takes nothing at present (disk full, read-only, input/output error), or null. */
  readonly problem: string | null;
  /** Path of the newest corrupt file that was moved aside, or null. */
  readonly setAside: string | null;
}

export interface SpoolOptions {
  /** A folder of our own; made, mode 0700, where it is missing. */
  readonly folder: string;
  /** Payload bytes kept on disk at most, the replay window included; 64 MiB by default. */
  readonly maxBytes?: number;
  /** Age at which a row is dropped; 72 h by default. */
  readonly maxAgeMs?: number;
  /** Payload bytes kept in memory while the disk takes nothing; 8 MiB by default. */
  readonly maxPendingBytes?: number;
  /** Starts the owner of the file; a thread of this process by default. */
  readonly startThread?: StartFileThread;
  readonly log: Logger;
  readonly clock: Clock;
}

const HOUR_MS = 3_600_000;
const MIB = 1024 * 1024;
/** Bounds of a spool that is opened without any: payload bytes, and the age of a row. */
export const SPOOL_BOUNDS = { maxBytes: 64 * MIB, maxAgeMs: 72 * HOUR_MS };

const REPLAY_MS = 15 * 60_000;
const SWEEP_MS = 60_000;

/** Positions: see head.ts. */
interface LaneNumbers {
  base: number;
  last: number;
  acked: number;
  /** Time at which `acked` last moved, spool time. */
  ackedMs: number;
}

/** The spool, which its owner closes. Numbers are sequences of the present epoch and one lane. */
export class Spool {
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #time: SpoolTime;
  readonly #writer: SpoolWriter;
  readonly #epochLost = new Set<(reason: string) => void>();
  readonly #numbers: Record<Lane, LaneNumbers>;
  readonly #bounds: Pick<SpoolStats, 'maxBytes' | 'maxAgeMs'>;
  #epoch: Buffer;
  /** Last numbers that an earlier process can have sent; null once a welcome has been processed. */
  #lastAtOpen: Record<Lane, number> | null;
  #setAside: string | null;
  #closing: Promise<void> | null = null;
  #cancelSweep: () => void = () => {};

  private constructor(options: SpoolOptions, thread: FileThread, opened: OpenReply) {
    const { head } = opened;
    this.#log = options.log;
    this.#clock = options.clock;
    this.#time = new SpoolTime(options.clock, head.time);
    this.#setAside = opened.setAside;
    const { maxBytes, maxAgeMs } = threadOptions(options, null);
    this.#bounds = { maxBytes, maxAgeMs };
    this.#epoch = Buffer.from(head.epoch, 'hex');
    this.#numbers = mapLanes((lane) => {
      const { base, last, acked } = head.lanes[lane];
      return { base, last, acked, ackedMs: this.#time.now() };
    });
    this.#lastAtOpen = mapLanes((lane) => head.lanes[lane].last);
    this.#writer = new SpoolWriter({
      thread,
      startThread: startThreadOf(options),
      opened,
      threadOptions: (isSuspect) => threadOptions(options, isSuspect ? this.#rowsInFile() : null),
      maxPendingBytes: options.maxPendingBytes ?? 8 * MIB,
      log: options.log,
      clock: options.clock,
      marks: () => this.#marks(),
      onReplaced: (replacement) => this.#startOver(replacement),
    });
    this.#sweepLater();
  }

  /**
   * Opens the spool in `folder`, or makes one. A corrupt file is put aside, and stats() says where.
   * @throws SpoolOpenError when there can be no file
   */
  static async open(options: SpoolOptions): Promise<Spool> {
    const { thread, opened } = await startThreadOf(options)(threadOptions(options, null));
    const spool = new Spool(options, thread, opened);
    spool.#reportDamage(opened);
    return spool;
  }

  /** Inspects the file in `folder` from outside of the process that owns it. @throws SpoolOpenError */
  static inspect(folder: string): SpoolInspection {
    return inspectSpool(folder);
  }

  /** 16 random bytes, made with the file; another object after every new epoch. */
  get epoch(): Uint8Array {
    return this.#epoch;
  }

  state(): Record<Lane, SpoolLaneState> {
    return mapLanes((lane) => {
      const { base, last, acked } = this.#numbers[lane];
      return { last: last - base, acked: acked - base };
    });
  }

  /**
   * Appends a result; the caller must not change `payload` afterwards. The number is assigned at once, without a gap,
   * in call order. `durable` resolves after the commit, however often that has to be tried; it rejects with
   * SpoolRowDroppedError when memory ran out before the disk took rows again, and with SpoolClosedError when the
   * spool was closed before. It may be ignored.
   * @throws SpoolClosedError
   */
  append(lane: Lane, payload: Uint8Array): { readonly sequence: number; readonly durable: Promise<void> } {
    if (this.#closing !== null) throw new SpoolClosedError();
    const numbers = this.#numbers[lane];
    const position = ++numbers.last;
    const durable = new Promise<void>((resolve, reject) => {
      this.#writer.push({ lane, position, createdMs: this.#time.now(), payload, committed: { resolve, reject } });
    });
    durable.catch(() => {});
    return { sequence: position - numbers.base, durable };
  }

  /**
   * Rows above `after`, in order and without a gap between them: at most `limit` rows and, beyond the first row,
   * `maxBytes` payload bytes. Where the first is above after + 1, the numbers between are in a dropped range. Empty when
   * the epoch changed meanwhile.
   *
   * Task rows whose commit is still running are included: people wait for them, and a task's second result changes
   * nothing. Check rows are not: sent too early, one that outlives a corrupt file in memory would be sent again, under a
   * number of the next epoch, and be there twice.
   * @throws ThreadError when the disk cannot be read; trying again later is right
   */
  async read(lane: Lane, after: number, limit: number, maxBytes: number): Promise<SpoolRow[]> {
    const epoch = this.#epoch;
    const { base } = this.#numbers[lane];
    const from = base + after;
    // memory is read first: a row can move from memory into the file while the file is read, never the other way
    const pending = lane === 'task' ? this.#writer.pending.above(lane, from) : [];
    const stored = await this.#readFile({ lane, after: from, limit, maxBytes });
    if (epoch !== this.#epoch) return [];
    const reached = stored.rows.at(-1)?.position ?? from;
    const following = stored.isCut ? [] : pending.filter((row) => row.position > reached);
    const run = takeRun([...stored.rows, ...following], limit, maxBytes);
    return run.map(({ position, payload }) => ({ sequence: position - base, payload }));
  }

  /**
   * Records that everything up to and including `mark` is durable on the control plane, as acknowledged on a link
   * that began with resume(). Older marks do nothing. Counts at once; the file has it with the next rows, within 100 ms
   * without any, and then this resolves. The rows are deleted 15 minutes later, or when their space is needed.
   * @throws MarkAheadError when `mark` was never assigned
   */
  async acknowledge(lane: Lane, mark: number): Promise<void> {
    const numbers = this.#numbers[lane];
    const position = numbers.base + mark;
    if (position > numbers.last) throw new MarkAheadError(lane, mark, numbers.last - numbers.base);
    if (position <= numbers.acked) return;
    this.#moveAcked(numbers, position);
    await this.#writer.savedWithNext();
  }

  /**
   * Brings the spool in line with the marks of a welcome, before anything is sent on that link:
   *   mark below what was acknowledged  the control plane lost rows: they wait again, out of the replay window;
   *                                     those no longer there become a dropped range
   *   mark above what can have been     the crash lost rows that were sent already, or the state directory was
   *   sent                              restored from a copy: a new epoch, which carries over what is not stored yet
   * Right after opening nothing but rows of the file can have been sent; rows appended since then are new whatever
   * their number. Only the two cases above wait for the disk.
   */
  async resume(marks: Readonly<Record<Lane, number>>): Promise<'resumed' | 'new-epoch'> {
    const known = this.#lastAtOpen;
    const isAhead = lanes.some((lane) => {
      const { base, last } = this.#numbers[lane];
      return base + marks[lane] > (known?.[lane] ?? last);
    });
    const ackedBefore = mapLanes((lane) => this.#numbers[lane].acked);
    for (const lane of lanes) {
      const numbers = this.#numbers[lane];
      const position = numbers.base + marks[lane];
      if (position <= (known?.[lane] ?? numbers.last)) this.#moveAcked(numbers, position);
      else if (known !== null) this.#moveAcked(numbers, known[lane]);
    }
    this.#lastAtOpen = null;
    if (isAhead) {
      await this.startNewEpoch('mark ahead');
      return 'new-epoch';
    }
    if (lanes.some((lane) => this.#numbers[lane].acked < ackedBefore[lane])) await this.#writer.saved();
    else this.#writer.save();
    return 'resumed';
  }

  /**
   * Numbers of `lane` that will never come: dropped for lack of room, for age or as corrupt, and not yet
   * acknowledged. They are kept across restarts; an acknowledgement at or above them ends them.
   */
  droppedRanges(lane: Lane): readonly DroppedRange[] {
    const { base, acked } = this.#numbers[lane];
    const lost = this.#writer.lost.filter((range) => range.lane === lane);
    const ranges = lost.reduce<readonly DroppedRange[]>(
      (all, { first, last, reason }) => addDroppedRange(all, { first, last, reason }),
      this.#writer.snapshot.lanes[lane].dropped,
    );
    return droppedAbove(ranges, acked).map((range) => shiftRange(range, -base));
  }

  /**
   * A fresh random epoch, in which everything not acknowledged is renumbered from 1, in order; dropped ranges move with
   * it. Counts at once for append(); nothing may be sent under the new epoch before this resolves.
   */
  async startNewEpoch(reason: string): Promise<void> {
    this.#epoch = randomBytes(EPOCH_BYTES);
    for (const lane of lanes) this.#numbers[lane].base = this.#numbers[lane].acked;
    this.#lastAtOpen = null;
    this.#log.warn({ reason, epoch: this.#epoch.toString('hex') }, 'new epoch of the spool started');
    await this.#writer.saved();
  }

  /**
   * Calls `listener` when the file was found corrupt while open and had to be replaced: what it held is lost, what was
   * in memory has new numbers in a new epoch. A link then starts over. Answers how to stop listening.
   */
  onEpochLost(listener: (reason: string) => void): () => void {
    this.#epochLost.add(listener);
    return () => this.#epochLost.delete(listener);
  }

  stats(): SpoolStats {
    const { snapshot, lost, problem } = this.#writer;
    const droppedFor = addDropped(snapshot.dropped, 'spool_full', droppedCount(lost));
    const lanesNow = mapLanes((lane) => this.#laneStats(lane));
    const { task, check } = lanesNow;
    const replayed = lanes.map((lane) => snapshot.lanes[lane].replay.bytes);
    return {
      rows: task.rows + check.rows,
      bytes: task.bytes + check.bytes,
      oldestAt: earlier(task.oldestAt, check.oldestAt),
      dropped: totalDropped(droppedFor),
      droppedFor,
      lanes: lanesNow,
      heldBytes: replayed.reduce(sum, task.bytes + check.bytes),
      ...this.#bounds,
      problem,
      setAside: this.#setAside,
    };
  }

  /** Commits everything and ends the thread; what the disk does not take is lost, and logged. May be called twice. */
  close(): Promise<void> {
    this.#cancelSweep();
    this.#closing ??= this.#writer.close();
    return this.#closing;
  }

  #marks(): CommitContext {
    return {
      epoch: this.#epoch.toString('hex'),
      lanes: mapLanes((lane) => this.#numbers[lane]),
      time: { spoolMs: this.#time.now(), wallMs: this.#clock.now() },
    };
  }

  #moveAcked(numbers: LaneNumbers, position: number): void {
    if (position !== numbers.acked) numbers.ackedMs = this.#time.now();
    numbers.acked = position;
  }

  #laneStats(lane: Lane): LaneStats {
    const { waiting: stored, oldestMs } = this.#writer.snapshot.lanes[lane];
    const pending = this.#writer.pending.above(lane, this.#numbers[lane].acked);
    const firstMs = earlier(oldestMs, pending[0]?.createdMs ?? null);
    return {
      rows: stored.rows + pending.length,
      bytes: pending.map((row) => row.payload.length).reduce(sum, stored.bytes),
      oldestAt: firstMs === null ? null : this.#time.toWall(firstMs),
    };
  }

  /** Reads from the file, unless everything requested is still in memory. */
  async #readFile(request: ReadRequest): Promise<{ rows: PlacedPayload[]; isCut: boolean }> {
    const nothing = { rows: [], isCut: false };
    if (request.after >= this.#writer.snapshot.lanes[request.lane].last) return nothing;
    const reply = await this.#writer.read(request);
    if (reply === null) return nothing;
    return { rows: unpackPayloads(reply.rows, reply.payloads), isCut: reply.isCut };
  }

  /** The file is a new one: what is in memory is all there is, and begins its first epoch. */
  #startOver(opened: OpenReply): void {
    const { head } = opened;
    this.#epoch = Buffer.from(head.epoch, 'hex');
    this.#setAside = opened.setAside;
    this.#lastAtOpen = null;
    for (const lane of lanes) Object.assign(this.#numbers[lane], { base: 0, last: head.lanes[lane].last, acked: 0 });
    this.#writer.pending.renumber((lane) => ++this.#numbers[lane].last);
    this.#reportDamage(opened);
    for (const listener of this.#epochLost) listener('the spool file was corrupt');
  }

  /** Numbers not acknowledged that are not in memory: what goes with the file. */
  #rowsInFile(): LostRows {
    return mapLanes((lane) => {
      const { acked, last } = this.#numbers[lane];
      return last - acked - this.#writer.pending.above(lane, acked).length;
    });
  }

  #reportDamage({ damage, setAside }: OpenReply): void {
    if (damage === null) return;
    const lostRows = damage.lost;
    if (damage.kind === 'cut') this.#log.error({ lostRows }, 'spool has lost its last commits');
    else this.#log.error({ setAside, lostRows }, 'spool was corrupt, starting with an empty one');
  }

  /** Age and replay windows run out without anybody calling; an empty spool leaves the disk alone. */
  #sweepLater(): void {
    this.#cancelSweep = this.#clock.after(
      SWEEP_MS,
      () => {
        const held = lanes.some((lane) => {
          const { waiting, replay } = this.#writer.snapshot.lanes[lane];
          return waiting.rows + replay.rows > 0;
        });
        if (held) this.#writer.save();
        this.#sweepLater();
      },
      { unref: true },
    );
  }
}

interface PlacedPayload {
  readonly position: number;
  readonly payload: Uint8Array;
}

/** The longest unbroken run at the start of `rows` within the limits; the first row whatever its size. */
function takeRun(rows: readonly PlacedPayload[], limit: number, maxBytes: number): PlacedPayload[] {
  const run: PlacedPayload[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += row.payload.length;
    const previous = run.at(-1);
    const isNext = previous === undefined || (row.position === previous.position + 1 && bytes <= maxBytes);
    if (!isNext || run.length === limit) break;
    run.push(row);
  }
  return run;
}

function startThreadOf(options: SpoolOptions): StartFileThread {
  return options.startThread ?? startSpoolThread;
}

function threadOptions(options: SpoolOptions, suspect: LostRows | null): SpoolThreadOptions {
  return {
    folder: options.folder,
    maxBytes: options.maxBytes ?? SPOOL_BOUNDS.maxBytes,
    maxAgeMs: options.maxAgeMs ?? SPOOL_BOUNDS.maxAgeMs,
    replayMs: REPLAY_MS,
    wallMs: options.clock.now(),
    suspect,
  };
}

function earlier(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

function sum(a: number, b: number): number {
  return a + b;
}
