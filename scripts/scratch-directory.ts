import { readlinkSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// created with its owner's process id ──remove()──> gone
//    │  └──keep()──> without an owner: no one removes it
//    └──owner killed──> removed by the next makeScratchDirectory() with the same prefix

const OWNER_FILE = 'owner.pid';

/** Numbers of processes mean nothing in another namespace, which may share the directory: `pid:[4026531836]`. */
const PID_NAMESPACE = readlinkSync('/proc/self/ns/pid');

/** A directory that lasts as long as the process that made it, or a little longer. */
export interface ScratchDirectory {
  readonly path: string;
  /** Leaves it where it is for good. */
  keep(): Promise<void>;
  remove(): Promise<void>;
}

export interface ScratchOptions {
  /** Common prefix of all names. */
  readonly prefix: string;
  /** Called for a directory that a killed process has left, before it is removed. */
  readonly release?: (path: string) => void;
}

/** Creates one for this process, and removes those that killed processes have left. */
export async function makeScratchDirectory({ prefix, release }: ScratchOptions): Promise<ScratchDirectory> {
  for (const path of await leftovers(prefix)) {
    release?.(path);
    await remove(path).catch(() => {});
  }
  const path = await mkdtemp(join(tmpdir(), prefix));
  // where root may make no user namespace, PostgreSQL runs as another user and has to get through to its data
  await chmod(path, 0o711);
  await writeFile(join(path, OWNER_FILE), `${process.pid} ${PID_NAMESPACE}`);
  return {
    path,
    keep: () => rm(join(path, OWNER_FILE), { force: true }),
    remove: () => remove(path),
  };
}

async function leftovers(prefix: string): Promise<string[]> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix));
  const owned = names.map(async (name) => {
    const path = join(tmpdir(), name);
    const [pid = '', namespace] = (await readFile(join(path, OWNER_FILE), 'utf8').catch(() => '')).split(' ');
    return namespace === PID_NAMESPACE && !isRunning(Number(pid)) ? [path] : [];
  });
  return (await Promise.all(owned)).flat();
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs as another user
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Removes a directory; retries, because a process that was just killed may still be writing. */
function remove(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
