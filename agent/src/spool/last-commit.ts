import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type Lane, lanes } from '@vantage/shared/protocol/lanes.js';
import { totalDropped } from './dropped-ranges.js';
import { acknowledgeLane, type LaneMarks, type LostRows, loseAfterStored, mapLanes, type SpoolHead } from './head.js';
import type { OpenDamage } from './spool-thread.js';

// SQLite ignores the damaged end of its log as if it had never been written: commits vanish, and their numbers would be
// assigned again. Therefore each commit is also recorded next to the database, in place:
//
//   "<8 hex digits of the CRC-32> <JSON>" and spaces up to 512 bytes
//
// The note needs no fsync: it is written after the commit is durable, so it may be older than the database, and is
// newer only if the database lost a commit.

const NOTE_BYTES = 512;

/** Numbers that the last commit decided; positions. */
export interface LastCommit extends Pick<SpoolHead, 'file' | 'commits' | 'epoch'> {
  readonly lanes: Readonly<Record<Lane, LaneMarks & { readonly stored: number }>>;
}

/**
 * The head as the last commit left it: `head` itself, unless the database lost commits. Numbers are the note's then,
 * and what was stored since is dropped as corrupt.
 */
export function recoverHead(
  head: SpoolHead,
  note: LastCommit | null,
): { readonly head: SpoolHead; readonly damage: OpenDamage | null } {
  if (note === null || note.file !== head.file || note.commits <= head.commits) return { head, damage: null };
  const recovered = lanes.reduce((before, lane) => recoverLane(before, lane, note.lanes[lane]), head);
  const lost = totalDropped(recovered.dropped) - totalDropped(head.dropped);
  return { head: { ...recovered, epoch: note.epoch, commits: note.commits }, damage: { kind: 'cut', lost } };
}

/** Number of rows that waited in a spool whose file is missing or unreadable: one for each lane where it is unknown. */
export function countLost(head: SpoolHead | null, note: LastCommit | null): LostRows {
  const known = head === null ? note?.lanes : recoverHead(head, note).head.lanes;
  return mapLanes((lane) => (known === undefined ? 1 : known[lane].stored - known[lane].acked));
}

function recoverLane(head: SpoolHead, lane: Lane, { base, acked, stored }: LastCommit['lanes'][Lane]): SpoolHead {
  const lost = loseAfterStored(head, lane, stored - head.lanes[lane].stored);
  const marked = acknowledgeLane(lost.lanes[lane], acked, head.time.spoolMs);
  return { ...lost, lanes: { ...lost.lanes, [lane]: { ...marked, base } } };
}

/** The file of that note; of no other use than to notice what the database lost. */
export class LastCommitFile {
  readonly #path: string;
  #descriptor: number | null = null;

  constructor(folder: string) {
    this.#path = join(folder, 'last-commit');
  }

  /** The note, or null without an intact one. */
  read(): LastCommit | null {
    try {
      const text = readFileSync(this.#path, 'utf8').trimEnd();
      const body = text.slice(9);
      // the checksum guarantees the form: only write() writes it
      return text.startsWith(`${checksum(body)} `) ? (JSON.parse(body) as LastCommit) : null;
    } catch {
      return null;
    }
  }

  /** Notes a commit. Where that fails, what the database may lose later is noticed less well, and nothing else. */
  write({ file, commits, epoch, lanes }: SpoolHead): void {
    const numbers = mapLanes((lane) => ({
      base: lanes[lane].base,
      acked: lanes[lane].acked,
      stored: lanes[lane].stored,
    }));
    const body = JSON.stringify({ file, commits, epoch, lanes: numbers } satisfies LastCommit);
    try {
      this.#descriptor ??= openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
      writeSync(this.#descriptor, `${checksum(body)} ${body}`.padEnd(NOTE_BYTES), 0);
    } catch {
      // the previous note remains, or a partial one, which counts as none
    }
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
