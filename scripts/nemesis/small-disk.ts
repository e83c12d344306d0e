import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BALLAST = 'nobody-needs-this';

/** A file system of its own in memory, so small that it can be filled. Only root can make one. */
export class SmallDisk {
  private constructor(readonly folder: string) {}

  /** True if this process may create one. */
  static get isPossible(): boolean {
    return process.getuid?.() === 0;
  }

  /** @throws Error when it can't be mounted */
  static mount(folder: string, { mebibytes }: { readonly mebibytes: number }): SmallDisk {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=700`, 'tmpfs', folder]);
    return new SmallDisk(folder);
  }

  /** Fills the space that is free now. May be called again. */
  fill(): void {
    const { bavail, bsize } = statfsSync(this.folder);
    try {
      if (bavail > 0) writeFileSync(join(this.folder, BALLAST), Buffer.alloc(bavail * bsize), { flag: 'a' });
    } catch (error) {
      // another process took some of it meanwhile: it is full
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }

  empty(): void {
    rmSync(join(this.folder, BALLAST), { force: true });
  }

  /** Unmounts it; files that are open on it remain until they are closed. */
  unmount(): void {
    execFileSync('umount', ['--lazy', this.folder]);
  }
}

/** Unmounts what a killed process has left mounted below a directory. */
export function unmountBelow(directory: string): void {
  const points = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  for (const point of points.filter((path) => path.startsWith(`${directory}/`)))
    execFileSync('umount', ['--lazy', point]);
}
