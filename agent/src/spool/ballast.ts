import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const MIB = 1024 * 1024;
// the log holds half a MiB when SQLite first tries to empty it, and one commit more; where that fails for want of
// room, as much again
const BALLAST_BYTES = 2 * MIB;
/** Free space below which the disk counts as full. */
const COMFORT_BYTES = 4 * MIB;

/**
 * A file of 2 MiB beside the spool that holds nothing. On a full disk even a DELETE needs room for the write-ahead
 * log; throwing the ballast overboard makes that room.
 */
export class Ballast {
  readonly #path: string;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#path = join(folder, 'ballast');
  }

  /** Makes the file where it is missing and the disk has plenty of room; whether there is one now. */
  takeOn(): boolean {
    try {
      if (existsSync(this.#path)) return true;
      const disk = statfsSync(this.#folder);
      if (disk.bavail * disk.bsize < COMFORT_BYTES) return false;
      this.#write();
      return true;
    } catch {
      // without it the spool merely gets into difficulty earlier
      this.release();
      return false;
    }
  }

  /** Removes the file, if there is one and it can be. */
  release(): void {
    try {
      rmSync(this.#path);
    } catch {
      // then there is nothing to be gained from it
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
