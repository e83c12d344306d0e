import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const MIB = 1024 * 1024;
// the log has half a MiB, and one commit more, when SQLite first tries to empty it; if that fails for lack of space,
// twice as much
const BALLAST_BYTES = 2 * MIB;
/** Free space below which the disk counts as full. */
const COMFORT_BYTES = 4 * MIB;

/**
 * A file of 2 MiB without data, next to the spool. On a full disk even a DELETE needs room for the write-ahead log;
 * throwing the ballast overboard makes that room.
 */
export class Ballast {
  readonly #path: string;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#path = join(folder, 'ballast');
  }

  /** Creates the file where it is missing and the disk has plenty of space; true if it exists now. */
  takeOn(): boolean {
    try {
      if (existsSync(this.#path)) return true;
      const disk = statfsSync(this.#folder);
      if (disk.bavail * disk.bsize < COMFORT_BYTES) return false;
      this.#write();
      return true;
    } catch {
      // without it the spool merely runs out of space earlier
      this.release();
      return false;
    }
  }

  /** Removes the file, if there is one and it can be. */
  release(): void {
    try {
      rmSync(this.#path);
    } catch {
      // then freeing it gains nothing
    }
  }

  #write(): void {
    const descriptor = openSync(this.#path, 'w', 0o600);
    try {
      // real bytes: a sparse file would free nothing
      writeSync(descriptor, Buffer.alloc(BALLAST_BYTES, 0x56));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
}
