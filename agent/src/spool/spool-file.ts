import { type Lane, lanes } from '@vantage/shared/protocol/lanes.js';
import type Database from 'better-sqlite3';
import { Ballast } from './ballast.js';
import { type OpenDatabase, type OpenOptions, openDatabase, sqliteCode } from './database.js';
import type { DroppedRange, DropReason } from './dropped-ranges.js';
import {
  acknowledgeLane,
  dropFromLane,
  encodeHead,
  expireReplay,
  type LaneHead,
  mapLanes,
  reachPosition,
  rewindLane,
  type SpoolHead,
} from './head.js';
import { isIntactRow, type StoredRow } from './lane-lookup.js';
import { LaneRows, type RowPlace } from './lane-rows.js';
import { LastCommitFile } from './last-commit.js';
import { unpackRows } from './packed-rows.js';
import {
  type CommitRequest,
  type OpenDamage,
  packPayloads,
  type ReadReply,
  type ReadRequest,
  type SpoolSnapshot,
  type SpoolThreadOptions,
} from './spool-thread.js';

/** Payload bytes given up when the disk is full, beyond those of the commit: for the pages touched on the way. */
const SPARE_BYTES = 64 * 1024;
/** A spool no larger than this gives up nothing: there is too little to be gained. Rows then wait in memory. */
const FLOOR_BYTES = 1024 * 1024;

/** Storage of a spool: a folder, or its replacement in a simulation. */
export interface SpoolPlace {
  readonly note: Pick<LastCommitFile, 'read' | 'write' | 'close'>;
  readonly ballast: Pick<Ballast, 'takeOn' | 'release'>;
  /** @throws SpoolOpenError */
  open(options: OpenOptions): OpenDatabase;
}

function placeIn(folder: string): SpoolPlace {
  return { note: new LastCommitFile(folder), ballast: new Ballast(folder), open: openDatabase };
}

/**
 * Opens the file with the space of the ballast if necessary: on a full disk SQLite has no space for the index of its
 * log. @throws SpoolOpenError
 */
function openWithRoom(options: SpoolThreadOptions, { note, ballast, open }: SpoolPlace): OpenDatabase {
  const asked = { ...options, note: note.read() };
  try {
    return open(asked);
  } catch (error) {
    if (!mayWantRoom(error)) throw error;
    ballast.release();
    return open(asked);
  }
}

/** True if the disk may be full: SQLite reports that as an I/O error when its shared memory is affected. */
function mayWantRoom(error: unknown): boolean {
  const { cause } = error as Error;
  return (
    /^SQLITE_(FULL|IOERR)/.test(sqliteCode(cause)) || (cause as NodeJS.ErrnoException | undefined)?.code === 'ENOSPC'
  );
}

/**
 * The spool's file: SQLite, one writer, every call synchronous. It decides what is dropped; numbers are decided by
 * the main thread and only recorded here. A commit that fails leaves file and object as they were.
 */
export class SpoolFile {
  /** Damage of the file when it was opened, or null. */
  readonly damage: OpenDamage | null;
  readonly #options: SpoolThreadOptions;
  readonly #database: Database.Database;
  readonly #rows: Record<Lane, LaneRows>;
  readonly #saveHead: Database.Statement<[string, number]>;
  readonly #applyWhole: Database.Transaction<(request: CommitRequest) => void>;
  readonly #ballast: SpoolPlace['ballast'];
  readonly #lastCommit: SpoolPlace['note'];
  #head: SpoolHead;
  /** Payload bytes held at most: as configured, or on a full disk what was held when it filled. */
  #limitBytes: number;
  /** Number of the last commit that succeeded. */
  #lastNumber: number | null = null;

  /** @throws SpoolOpenError */
  constructor(options: SpoolThreadOptions, place: SpoolPlace = placeIn(options.folder)) {
    const { note, ballast } = place;
    const { database, head, damage } = openWithRoom(options, place);
    this.damage = damage;
    this.#lastCommit = note;
    this.#options = options;
    this.#database = database;
    this.#rows = mapLanes((lane) => new LaneRows(database, lane, head.lanes[lane].acked));
    this.#saveHead = database.prepare('UPDATE head SET body = ?, crc = ?');
    this.#applyWhole = database.transaction((request: CommitRequest) => this.#apply(request));
    this.#ballast = ballast;
    this.#ballast.takeOn();
    this.#head = head;
    this.#limitBytes = options.maxBytes;
    // for a file that was just replaced, so that the note of the old file is not taken for its note
    this.#lastCommit.write(head);
  }

  get head(): SpoolHead {
    return this.#head;
  }

  /** Current contents of the file. */
  snapshot(): SpoolSnapshot {
    return {
      dropped: this.#head.dropped,
      lanes: mapLanes((lane) => ({
        last: this.#head.lanes[lane].stored,
        waiting: this.#rows[lane].waiting,
        replay: this.#rows[lane].replay,
        oldestMs: this.#rows[lane].findOldestWaiting()?.createdMs ?? null,
        dropped: this.#head.lanes[lane].dropped,
      })),
    };
  }

  /**
   * Writes numbers and rows in one durable transaction, and drops what is over the bounds. May be called again with
   * the same request. On a full disk the file stops growing: the ballast goes, and the oldest rows make room for new.
   * @throws SqliteError
   * @throws Error when the commit that this one follows has failed: its rows would be missing
   */
  commit(request: CommitRequest): SpoolSnapshot {
    if (request.after !== null && request.after !== this.#lastNumber) throw new Error('the previous commit failed');
    if (this.#ballast.takeOn()) this.#limitBytes = this.#options.maxBytes;
    try {
      this.#transact(request);
    } catch (error) {
      if (sqliteCode(error) !== 'SQLITE_FULL') throw error;
      this.#stopGrowing();
      this.#transact(request);
    }
    this.#lastNumber = request.number;
    this.#lastCommit.write(this.#head);
    return this.snapshot();
  }

  /**
   * Rows above `after` up to the first hole or limit; the first row is given whatever its size. A row whose checksum
   * is wrong is skipped and becomes a dropped range.
   */
  read(request: ReadRequest): ReadReply {
    const { rows, corrupt, isCut } = this.#collect(request);
    for (const position of corrupt) this.#noteCorrupt(request.lane, position);
    return {
      rows: rows.map((row) => ({ position: row.position, bytes: row.payload.length })),
      payloads: packPayloads(rows.map((row) => row.payload)),
      isCut,
      snapshot: this.snapshot(),
    };
  }

  close(): void {
    this.#database.close();
    this.#lastCommit.close();
  }

  /**
   * Releases the ballast, in whose space the log can be emptied into the file; from then on new rows replace those
   * that are deleted.
   */
  #stopGrowing(): void {
    this.#ballast.release();
    const shrunkBytes = Math.min(this.#limitBytes, this.#heldBytes()) - SPARE_BYTES;
    this.#limitBytes = Math.min(this.#limitBytes, Math.max(FLOOR_BYTES, shrunkBytes));
    try {
      this.#database.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // the log keeps its length; the next transaction finds out if that is too long
    }
  }

  #transact(request: CommitRequest): void {
    const before = this.#head;
    try {
      this.#applyWhole.immediate(request);
    } catch (error) {
      this.#head = before;
      for (const lane of lanes) this.#rows[lane].recount(before.lanes[lane].acked);
      throw error;
    }
  }

  #apply(request: CommitRequest): void {
    const stored = mapLanes((lane) => this.#head.lanes[lane].stored);
    this.#head = { ...this.#head, commits: this.#head.commits + 1, epoch: request.epoch, time: request.time };
    for (const lane of lanes) this.#moveNumbers(lane, request);
    for (const lane of lanes) this.#dropExpired(lane, request.time.spoolMs);
    for (const { lane, ...range } of request.lost) if (range.first > stored[lane]) this.#drop(lane, range);
    // before the new rows need it, so that they can use the pages of those that go
    this.#makeRoom(Math.max(0, this.#limitBytes - request.rows.payloads.length));
    this.#insertRows(request, stored);
    this.#makeRoom(this.#limitBytes);
    const { body, crc } = encodeHead(this.#head);
    this.#saveHead.run(body, crc);
  }

  /** Epoch base and acknowledged mark, in whichever direction the mark moved. */
  #moveNumbers(lane: Lane, request: CommitRequest): void {
    const { base, acked, ackedMs } = request.lanes[lane];
    const before = { ...this.#head.lanes[lane], base };
    if (acked >= before.acked) {
      this.#setLane(lane, acknowledgeLane(before, acked, ackedMs));
      if (acked > before.acked) this.#rows[lane].moveMark(acked);
      return;
    }
    // rows of the replay window wait again; rows that have left it are lost, and declared as dropped
    this.#setLane(lane, rewindLane(before, acked));
    this.#rows[lane].moveMark(acked);
    const holes = this.#rows[lane].findHoles(acked, before.acked);
    for (const hole of holes) this.#drop(lane, { ...hole, reason: 'expired' });
  }

  #insertRows(request: CommitRequest, stored: Readonly<Record<Lane, number>>): void {
    const highest = { ...stored };
    for (const { lane, position, createdMs, payload } of unpackRows(request.rows)) {
      if (position <= stored[lane]) continue;
      this.#rows[lane].insert({ position, createdMs }, payload);
      highest[lane] = position;
    }
    for (const lane of lanes) this.#setLane(lane, reachPosition(this.#head.lanes[lane], highest[lane]));
  }

  /** Acknowledged rows whose replay window is over, and rows that have waited too long. */
  #dropExpired(lane: Lane, spoolMs: number): void {
    const { lane: head, deletable } = expireReplay(this.#head.lanes[lane], spoolMs, this.#options.replayMs);
    this.#setLane(lane, head);
    if (deletable > 0) this.#rows[lane].deleteThrough(deletable);
    for (;;) {
      const oldest = this.#rows[lane].findOldestWaiting();
      if (oldest === null || oldest.createdMs >= spoolMs - this.#options.maxAgeMs) return;
      this.#dropWaiting(lane, oldest, 'expired');
    }
  }

  /** Deletes until at most `maxBytes` are held: the replay windows first, then the oldest of all rows. */
  #makeRoom(maxBytes: number): void {
    while (this.#heldBytes() > maxBytes) {
      const replayed = lanes.find((lane) => this.#rows[lane].replay.rows > 0);
      if (replayed !== undefined) {
        this.#rows[replayed].deleteThrough(this.#rows[replayed].findOldest()?.position ?? 0);
        continue;
      }
      const oldest = this.#findOldestWaiting();
      if (oldest === null) return;
      this.#dropWaiting(oldest.lane, oldest, 'spool_full');
    }
  }

  #findOldestWaiting(): (RowPlace & { readonly lane: Lane }) | null {
    const oldest = lanes.flatMap((lane) => {
      const row = this.#rows[lane].findOldestWaiting();
      return row === null ? [] : [{ lane, ...row }];
    });
    return oldest.sort((a, b) => a.createdMs - b.createdMs)[0] ?? null;
  }

  #dropWaiting(lane: Lane, { position }: RowPlace, reason: DropReason): void {
    this.#rows[lane].deleteThrough(position);
    this.#drop(lane, { first: position, last: position, reason });
  }

  #drop(lane: Lane, range: DroppedRange): void {
    this.#head = dropFromLane(this.#head, lane, range);
    this.#setLane(lane, reachPosition(this.#head.lanes[lane], range.last));
  }

  /** Saved with the next commit; a crash before that finds the row corrupt again. Its bytes go when its turn comes. */
  #noteCorrupt(lane: Lane, position: number): void {
    if (position <= this.#head.lanes[lane].acked) return;
    this.#head = dropFromLane(this.#head, lane, { first: position, last: position, reason: 'corrupt' });
  }

  #collect({ lane, after, limit, maxBytes }: ReadRequest): { rows: StoredRow[]; corrupt: number[]; isCut: boolean } {
    const rows: StoredRow[] = [];
    const corrupt: number[] = [];
    let bytes = 0;
    for (const row of this.#rows[lane].iterate(after)) {
      if (!isIntactRow(lane, row)) {
        corrupt.push(row.position);
        continue;
      }
      bytes += row.payload.length;
      const previous = rows.at(-1);
      const isNext = previous === undefined || (row.position === previous.position + 1 && bytes <= maxBytes);
      if (!isNext || rows.length === limit) return { rows, corrupt, isCut: true };
      rows.push(row);
    }
    return { rows, corrupt, isCut: false };
  }

  #heldBytes(): number {
    return lanes.reduce((sum, lane) => sum + this.#rows[lane].replay.bytes + this.#rows[lane].waiting.bytes, 0);
  }

  #setLane(lane: Lane, head: LaneHead): void {
    this.#head = { ...this.#head, lanes: { ...this.#head.lanes, [lane]: head } };
  }
}
