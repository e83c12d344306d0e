import { readFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import path from 'node:path';
import { missing } from '@vantage/shared/_support/missing.js';
import type { Test } from 'tap';
import { findPostgresBinaries } from '../../src/db/embedded/binaries.js';
import { processesIn } from '../../src/db/embedded/postmaster.js';
import { temporaryDirectory } from './temporary-directory.js';

// Machines unlike this one, simulated by mounts that only the spawned process sees (`mounts` of spawnOwner).

/** Options of tests that need such mounts; under CI nothing is skipped. */
export const needsMounts = { skip: missing('permission to mount') };
/** Options of tests that run a program of the checkout as another user; under CI nothing is skipped. */
export const needsOtherUsers = { skip: missing('a checkout for every user') };

const packageDirectory = path.dirname(findPostgresBinaries().root);
const scope = path.dirname(packageDirectory);
const packageName = path.basename(packageDirectory);

/** A machine without user namespaces. */
export const refuseUserNamespaces = 'mount --bind /bin/false "$(command -v unshare)"';
/** A machine on which only root may read the npm package, as in a clone under /root. */
export const hidePackage = `
  keep=$(mktemp -d)
  mount --bind '${scope}' "$keep"
  mount -t tmpfs -o mode=0700 tmpfs '${scope}'
  mkdir '${scope}/${packageName}'
  mount --bind "$keep/${packageName}" '${scope}/${packageName}'
  umount "$keep"
  rmdir "$keep"`;

/** User ids of a database's processes. */
export async function serverUids(dataDir: string): Promise<number[]> {
  const pids = await processesIn(path.join(dataDir, 'postgres'));
  const uids = pids.flatMap((pid) => Number(/^Uid:\t(\d+)/m.exec(statusOf(pid))?.[1] ?? []));
  return [...new Set(uids)];
}

/** The kernel's description of a process, proc(5); empty if it has ended: a session ends a moment after its client. */
function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

/** A path for a data directory that any user may reach. */
export async function reachableDirectory(t: Test): Promise<string> {
  const directory = temporaryDirectory(t);
  await chmod(directory, 0o711);
  return path.join(directory, 'data');
}
