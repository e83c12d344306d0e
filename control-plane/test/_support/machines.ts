import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import path from 'node:path';
import type { Test } from 'tap';
import { findPostgresBinaries } from '../../src/db/embedded/binaries.js';
import { processesIn } from '../../src/db/embedded/postmaster.js';
import { temporaryDirectory } from './temporary-directory.js';

// Machines unlike this one, made of mounts that only the spawned process sees (`mounts` of spawnOwner).

const isCi = process.env['CI'] === 'true';
const mayMount = spawnSync('unshare', ['--mount', 'true']).status === 0;

/** Options of tests that need such mounts; under CI nothing is skipped. */
export const needsMounts =
  mayMount || isCi ? {} : { skip: 'needs root and mount namespaces (Debian package util-linux)' };
/** Options of tests that run something as another user; under CI nothing is skipped. */
export const needsRoot = process.getuid?.() === 0 || isCi ? {} : { skip: 'needs root' };

const packageDirectory = path.dirname(findPostgresBinaries().root);
const scope = path.dirname(packageDirectory);
const packageName = path.basename(packageDirectory);

/** Programs that need user namespaces find that this machine has none. */
export const refuseUserNamespaces = 'mount --bind /bin/false "$(command -v unshare)"';
/** The npm package is where only root may look, as in a clone under /root. */
export const hidePackage = `
  keep=$(mktemp -d)
  mount --bind '${scope}' "$keep"
  mount -t tmpfs -o mode=0700 tmpfs '${scope}'
  mkdir '${scope}/${packageName}'
  mount --bind "$keep/${packageName}" '${scope}/${packageName}'
  umount "$keep"
  rmdir "$keep"`;

/** The user ids a database's processes have. */
export async function serverUids(dataDir: string): Promise<number[]> {
  const pids = await processesIn(path.join(dataDir, 'postgres'));
  const uids = pids.map((pid) => Number(/^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]));
  return [...new Set(uids)];
}

/** A path for a data directory that any user may reach. */
export async function reachableDirectory(t: Test): Promise<string> {
  const directory = temporaryDirectory(t);
  await chmod(directory, 0o711);
  return path.join(directory, 'data');
}
